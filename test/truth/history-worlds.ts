import { holds, holdsUnseen, lies, liesUnseen } from "./plant.ts";
import { openShop } from "./shop-worlds.ts";
import * as says from "./statements.ts";
import { type Place, type Workbench, type World, lines } from "./workbench.ts";

/** Files that were moved, by git and by hand, with and without an edit. */
export async function renamedWorld(bench: Workbench, isCommitted: boolean): Promise<World> {
  const name = isCommitted ? "renamed" : "renamed by hand";
  const place = bench.directory(`${name}/shop`);
  openShop(place);
  const base = await bench.mark(place);
  place.move("src/cart/total.ts", "src/cart/sum.ts");
  place.move("src/cart/tax.ts", "src/duty.ts");
  place.write("src/duty.ts", lines(30, "tax", [3]));
  place.move("docs/guide.md", "manual/guide.md");
  if (isCommitted) place.commit("refactor: better names");
  const changed = ["src/cart/sum.ts", "src/duty.ts", "manual/guide.md"];
  const plants = [
    holds(says.created("src/cart/sum.ts", "1-60")),
    holds(says.created("src/duty.ts", "1-30")),
    holds(says.modified("src/cart/sum.ts", "all", "refactor")),
    holdsUnseen(says.modified("src/cart/sum.ts", "10-12")),
    holds(says.modified("src/duty.ts", "3-3")),
    holds(says.modified("src/duty.ts")),
    holds(says.deleted("src/cart/total.ts", [])),
    holds(says.modified("src/cart/total.ts", "all", "refactor", [])),
    holds(says.modified("src/cart/tax.ts", "all", "modify", [])),
    holds(says.changed("manual/", ["manual/guide.md"])),
    holds(says.changed("docs/", [])),
    holds(says.artifact("manual/guide.md")),
    holds(says.metric("count", "files_changed", 3)),
    holds(says.metric("count", "files_changed", 6)),
    holdsUnseen(says.issueAt("src/cart/total.ts:7")),
    holds(says.issueAt("src/cart/sum.ts:60")),
    lies(says.modified("src/duty.ts", "20-25")),
    lies(says.created("src/cart/sum.ts", "1-99")),
    lies(says.deleted("src/cart/sum.ts", ["src/cart/sum.ts"])),
    lies(says.created("src/cart/total.ts", "all", [])),
    lies(says.changed("src/old.ts", [])),
    lies(says.metric("count", "files_changed", 2)),
    lies(says.metric("count", "files_changed", 7)),
    lies(says.artifact("docs/guide.md", [])),
  ];
  return { name, directory: place.path, base, changed, created: [], plants, scene: {} };
}

type Strategy = "merge" | "squash" | "rebase";

/** The validator's world: the work was merged, and the workspace is on main. */
export async function mergedWorld(bench: Workbench, strategy: Strategy): Promise<World> {
  const place = bench.directory(`merged by ${strategy}/shop`);
  openShop(place);
  place.git("checkout", "--quiet", "-b", "feature/issue-7-gift-cards");
  place.write("src/card.ts", lines(20));
  place.commit("feat: cards");
  place.write("src/card.ts", lines(22));
  const tip = place.commit("feat: more cards");
  place.git("checkout", "--quiet", "main");
  place.write("README.md", "Meanwhile\n");
  place.commit("docs: meanwhile");
  const base = await bench.mark(place);
  const sha = merge(place, strategy);
  if (strategy !== "squash") place.git("branch", "-D", "feature/issue-7-gift-cards");
  const isMerge = strategy === "merge";
  const plants = [
    holds(says.merged(sha)),
    holds(says.merged(sha.slice(0, 9))),
    holds(says.mergedBy(sha, strategy)),
    holds(says.created("src/card.ts", "1-22")),
    holds(says.branch("main")),
    (isMerge ? holds : lies)(says.commit(tip, "feat: more cards")),
    holds(says.commit(sha, place.git("log", "-1", "--format=%s", sha))),
    holds(says.metric("commit", "commits_added", { merge: 3, squash: 1, rebase: 2 }[strategy])),
    (isMerge ? lies : holds)(says.mergedBy(sha, isMerge ? "squash" : "rebase")),
    lies(says.mergedBy(sha, isMerge ? "rebase" : "merge")),
    (isMerge ? holds : lies)(says.merged(tip)),
    lies(says.merged("0123456789abcdef0123456789abcdef01234567")),
    lies(says.merged("main")),
    lies(says.branch("feature/issue-9")),
    lies(says.metric("commit", "commits_added", 5)),
    lies(says.modified("README.md", "all", "modify", [])),
    holdsUnseen(says.mergedBy(sha, "octopus")),
  ];
  const changed = ["src/card.ts"];
  return { name: `merged by ${strategy}`, directory: place.path, base, changed, created: changed, plants, scene: {} };
}

function merge(place: Place, strategy: Strategy): string {
  const branch = "feature/issue-7-gift-cards";
  if (strategy === "merge") place.git("merge", "--quiet", "--no-ff", "-m", "Merge gift cards", branch);
  else if (strategy === "squash") {
    place.git("merge", "--quiet", "--squash", branch);
    place.git("commit", "--quiet", "-m", "feat: gift cards (#8)");
  } else {
    place.git("checkout", "--quiet", branch);
    place.git("rebase", "--quiet", "main");
    place.git("checkout", "--quiet", "main");
    place.git("merge", "--quiet", "--ff-only", branch);
  }
  return place.git("rev-parse", "HEAD");
}

/** History that was written anew: the commit that the step began with is gone. */
export async function amendedWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("amended/shop");
  openShop(place);
  place.git("checkout", "--quiet", "-b", "fix/issue-3-rounding");
  place.write("src/cart/tax.ts", lines(30, "tax", [2]));
  const before = place.commit("fix: rounding");
  const base = await bench.mark(place);
  place.write("src/cart/total.ts", lines(60, "line", [9]));
  place.git("add", "--all");
  place.git("commit", "--quiet", "--amend", "-m", "fix: rounding, everywhere");
  const after = place.git("rev-parse", "HEAD");
  const plants = [
    holds(says.commit(after, "fix: rounding, everywhere")),
    lies(says.commit(before, "fix: rounding")),
    lies(says.commit(after, "fix: rounding")),
    holds(says.modified("src/cart/total.ts", "9-9")),
    lies(says.modified("src/cart/tax.ts", "2-2")),
    holds(says.branch("fix/issue-3-rounding")),
  ];
  return {
    name: "amended",
    directory: place.path,
    base,
    changed: ["src/cart/total.ts"],
    created: [],
    plants,
    scene: {},
  };
}

/** A repository without a commit: there is a state to begin with, and no history. */
export async function firstCommitWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("first/shop");
  place.git("init", "--quiet", "--initial-branch=main");
  place.write("README.md", lines(3));
  const base = await bench.mark(place);
  place.write("src/a.ts", lines(12));
  place.write("README.md", lines(5));
  const sha = place.commit("feat: begin");
  const plants = [
    holds(says.created("src/a.ts", "1-12")),
    holds(says.modified("README.md", "4-5")),
    holds(says.branch("main")),
    holdsUnseen(says.commit(sha, "feat: begin")),
    holdsUnseen(says.metric("commit", "commits_added", 1)),
    lies(says.commit("0123456789abcdef", "feat: begin")),
    lies(says.created("README.md")),
    lies(says.created("src/b.ts")),
    lies(says.modified("src/a.ts", "5-40")),
    liesUnseen(says.metric("commit", "commits_added", 4)),
  ];
  const changed = ["src/a.ts", "README.md"];
  return { name: "first commit", directory: place.path, base, changed, created: ["src/a.ts"], plants, scene: {} };
}

/** As the preparer leaves it: a worktree of its own beside the repository, and a port. */
export async function worktreeWorld(bench: Workbench): Promise<World> {
  const main = bench.directory("worktree/shop");
  openShop(main);
  main.git("worktree", "add", "--quiet", "-b", "feature/issue-7-gift-cards", "../shop-issue-7");
  const place = bench.directory("worktree/shop-issue-7");
  const base = await bench.mark(place);
  place.write("src/card.ts", lines(8));
  const sha = place.commit("feat: cards");
  main.write("src/elsewhere.ts", lines(5));
  const elsewhere = main.commit("feat: elsewhere");
  const plants = [
    holds(says.branch("feature/issue-7-gift-cards")),
    holds(says.workspace("path", "../shop-issue-7")),
    holds(says.workspace("path", place.path)),
    holds(says.workspace("type", "worktree", "../shop-issue-7")),
    holds(says.workspace("port", "3100")),
    holds(says.created("src/card.ts", "1-8")),
    holds(says.commit(sha, "feat: cards")),
    lies(says.workspace("type", "in-place", "../shop-issue-7")),
    lies(says.workspace("port", "3200")),
    lies(says.workspace("port", "99999")),
    lies(says.created("src/elsewhere.ts")),
    liesUnseen(says.commit(elsewhere, "feat: elsewhere")),
    lies(says.branch("main")),
    lies(says.branch("feature/issue-8")),
    lies(says.merged(sha)),
  ];
  const changed = ["src/card.ts"];
  return { name: "worktree", directory: place.path, base, changed, created: changed, plants, scene: { port: "3100" } };
}

/** The fixer's world: main went on, was merged into the branch, and the fix stands on top. */
export async function caughtUpWorld(bench: Workbench, how: "merge" | "rebase"): Promise<World> {
  const place = bench.directory(`caught up by ${how}/shop`);
  openShop(place);
  place.git("checkout", "--quiet", "-b", "fix/issue-4-tax");
  place.write("src/cart/tax.ts", lines(30, "tax", [2]));
  place.commit("fix: tax");
  const base = await bench.mark(place);
  place.git("checkout", "--quiet", "main");
  for (const at of [1, 2, 3]) {
    place.write(`docs/page-${at}.md`, lines(at));
    place.commit(`docs: page ${at}`);
  }
  place.git("checkout", "--quiet", "fix/issue-4-tax");
  if (how === "merge") place.git("merge", "--quiet", "--no-edit", "main");
  else place.git("rebase", "--quiet", "main");
  place.write("src/cart/total.ts", lines(60, "line", [50]));
  const sha = place.commit("fix: round tax in totals");
  const created = [1, 2, 3].map((at) => `docs/page-${at}.md`);
  const plants = [
    holds(says.commit(sha, "fix: round tax in totals")),
    holds(says.metric("commit", "commits_added", how === "merge" ? 1 : 2)),
    holds(says.metric("commit", "commits_added", 5)),
    lies(says.metric("commit", "commits_added", 9)),
    lies(says.metric("commit", "commits_added", 0)),
    holds(says.modified("src/cart/total.ts", "50-50")),
    lies(says.modified("src/cart/tax.ts", "2-2", "modify", [])),
    holds(says.branch("fix/issue-4-tax")),
    lies(says.merged(sha)),
  ];
  const changed = ["src/cart/total.ts", ...created];
  return { name: `caught up by ${how}`, directory: place.path, base, changed, created, plants, scene: {} };
}

/** Several edits in one file, of which each moves the numbers of the lines below it; HEAD is on no branch. */
export async function editedWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("edited/shop");
  openShop(place);
  place.write("src/long.ts", lines(300, "long"));
  place.write("src/short.ts", lines(100, "short"));
  place.write("src/kind.ts", lines(4));
  place.write("built/kept.js", lines(6));
  place.write(".gitignore", "dist/\n*.log\nbuilt/\n");
  place.git("add", "--force", "built/kept.js");
  place.commit("chore: long files");
  place.git("checkout", "--quiet", "--detach");
  const base = await bench.mark(place);
  const long = lines(300, "long", [200, 201, 202]).split("\n");
  place.write("src/long.ts", [...Array.from({ length: 40 }, (_, at) => `import ${at}`), ...long].join("\n"));
  place.write("src/short.ts", lines(60, "short"));
  place.remove("src/kind.ts");
  place.link("long.ts", "src/kind.ts");
  place.write("built/kept.js", lines(7));
  const changed = ["src/long.ts", "src/short.ts", "src/kind.ts", "built/kept.js"];
  const plants = [
    holds(says.modified("src/long.ts", "1-40", "add")),
    holds(says.modified("src/long.ts", "240-242")),
    holds(says.modified("src/long.ts", "200-202")),
    holds(says.modified("src/short.ts", "61-100", "delete")),
    holds(says.modified("src/short.ts", "90-100")),
    holds(says.modified("src/kind.ts")),
    holds(says.modified("built/kept.js", "7-7")),
    lies(says.modified("src/long.ts", "100-150")),
    lies(says.modified("src/long.ts", "280-290")),
    lies(says.modified("src/long.ts", "400-420")),
    lies(says.modified("src/short.ts", "1-50", "delete")),
    lies(says.modified("src/short.ts", "101-140")),
    lies(says.created("built/kept.js")),
    lies(says.deleted("src/kind.ts")),
    liesUnseen(says.branch("main")),
    holds(says.metric("count", "files_changed", 4)),
  ];
  return { name: "edited", directory: place.path, base, changed, created: [], plants, scene: {} };
}
