import { holds, holdsUnseen, lies, liesUnseen } from "./plant.ts";
import { openShop } from "./shop-worlds.ts";
import * as says from "./statements.ts";
import { type Place, type Workbench, type World, lines } from "./workbench.ts";

const BRANCH = "feature/issue-7-gift-cards";
const WORK = ["src/card.ts", "src/cart/total.ts"];

/** Two commits on a branch of their own. */
function workOnBranch(place: Place): [first: string, second: string] {
  place.git("checkout", "--quiet", "-b", BRANCH);
  place.write("src/card.ts", lines(20));
  const first = place.commit("feat: cards");
  place.write("src/cart/total.ts", lines(60, "line", [40]));
  return [first, place.commit("feat: cards in totals")];
}

/** The branch was squashed onto main, by a forge, and the workspace is still on it. */
export async function squashedWorld(bench: Workbench, how: "alone" | "with others"): Promise<World> {
  const place = bench.directory(`squashed ${how}/shop`);
  const opened = openShop(place);
  const [first] = workOnBranch(place);
  place.git("checkout", "--quiet", "main");
  place.write("README.md", "Meanwhile\n");
  const other = place.commit("docs: meanwhile");
  // Somebody else changed the same file in another place.
  if (how === "with others") place.write("src/cart/total.ts", lines(60, "line", [3]));
  const near = place.commit("fix: the first lines");
  place.git("merge", "--quiet", "--squash", BRANCH);
  const squashed = place.commit("feat: gift cards (#8)");
  place.write("README.md", "Later\n");
  const later = place.commit("docs: later");
  place.git("checkout", "--quiet", BRANCH);
  const base = await bench.repository.chooseBase(place.path, null);
  const isAlone = how === "alone";
  const plants = [
    (isAlone ? holds : holdsUnseen)(says.merged(squashed)),
    (isAlone ? holds : holdsUnseen)(says.merged(squashed.slice(0, 10))),
    holds(says.mergedBy(squashed, "squash")),
    lies(says.merged(other)),
    lies(says.merged(opened)),
    lies(says.merged(first)),
    (isAlone ? lies : liesUnseen)(says.merged(near)),
    (isAlone ? holds : holdsUnseen)(says.merged(later)),
    holds(says.branch(BRANCH)),
    holdsUnseen(says.branch("main")),
    holds(says.created("src/card.ts", "1-20")),
    holds(says.modified("src/cart/total.ts", "40-40")),
    holds(says.metric("commit", "commits_added", 2)),
    lies(says.metric("commit", "commits_added", 3)),
    lies(says.modified("README.md", "all", "modify", [])),
  ];
  return {
    name: `squashed ${how}`,
    directory: place.path,
    base,
    changed: WORK,
    created: ["src/card.ts"],
    plants,
    scene: {},
  };
}

/** As a forge's machine checks a pull request out: a trial merge into main, on no branch. */
export async function trialMergeWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("trial merge/shop");
  openShop(place);
  place.git("branch", "release", "main");
  const [first, second] = workOnBranch(place);
  place.git("checkout", "--quiet", "main");
  place.write("README.md", "Meanwhile\n");
  const other = place.commit("docs: meanwhile");
  place.git("checkout", "--quiet", "-b", "fix/issue-8", "main");
  place.write("src/cart/tax.ts", lines(30, "tax", [2]));
  place.commit("fix: tax");
  place.git("checkout", "--quiet", "--detach", "main");
  place.git("merge", "--quiet", "--no-ff", "-m", "Merge gift cards into main", BRANCH);
  for (const name of ["main", BRANCH, "fix/issue-8", "release"]) {
    place.git("update-ref", `refs/remotes/origin/${name}`, name);
    place.git("branch", "--quiet", "-D", name);
  }
  const base = await bench.repository.chooseBase(place.path, null);
  const plants = [
    holds(says.branch(BRANCH)),
    lies(says.branch("main")),
    lies(says.branch("fix/issue-8")),
    lies(says.branch("release")),
    lies(says.branch("feature/issue-9")),
    holds(says.commit(first, "feat: cards")),
    holds(says.commit(second.slice(0, 8), "feat: cards in totals")),
    lies(says.merged(other)),
    lies(says.merged(second)),
    holds(says.metric("commit", "commits_added", 2)),
    holds(says.metric("commit", "commits_added", 3)),
    lies(says.metric("commit", "commits_added", 4)),
    holds(says.metric("count", "files_changed", 2)),
    lies(says.modified("README.md", "all", "modify", [])),
    holds(says.created("src/card.ts", "1-20")),
  ];
  return {
    name: "trial merge",
    directory: place.path,
    base,
    changed: WORK,
    created: ["src/card.ts"],
    plants,
    scene: {},
  };
}

/** The work was done, and not committed, on another branch than was asked for. */
export async function elsewhereWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("elsewhere/shop");
  const opened = openShop(place);
  place.git("branch", BRANCH);
  place.git("checkout", "--quiet", "-b", "fix/issue-8");
  place.write("docs/guide.md", lines(10, "guide", [2]));
  place.commit("docs: mend the guide");
  place.git("checkout", "--quiet", "main");
  place.git("worktree", "add", "--quiet", "-b", "feature/issue-6-vouchers", "../shop-issue-6");
  const base = await bench.mark(place);
  place.write("src/card.ts", lines(20));
  const plants = [
    holds(says.branch("main")),
    // It may speak of the worktree that is on it.
    holdsUnseen(says.branch("feature/issue-6-vouchers")),
    lies(says.branch(BRANCH)),
    lies(says.branch("fix/issue-8")),
    lies(says.branch("feature/issue-9")),
    lies(says.merged(opened)),
    holds(says.created("src/card.ts", "1-20")),
    holds(says.metric("commit", "commits_added", 0)),
    holds(says.metric("count", "files_changed", 1)),
    lies(says.metric("count", "files_changed", 0)),
  ];
  const changed = ["src/card.ts"];
  return { name: "elsewhere", directory: place.path, base, changed, created: changed, plants, scene: {} };
}

/** The operator names main, and main went on since the work left it. */
export async function movedTargetWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("moved target/shop");
  openShop(place);
  const [first] = workOnBranch(place);
  place.git("checkout", "--quiet", "main");
  place.write("docs/guide.md", lines(10, "guide", [2]));
  place.write("docs/page.md", lines(3));
  place.commit("docs: a page");
  place.git("checkout", "--quiet", BRANCH);
  const base = await bench.repository.chooseBase(place.path, "main");
  const plants = [
    holds(says.created("src/card.ts", "1-20")),
    holds(says.modified("src/cart/total.ts", "40-40")),
    holds(says.commit(first, "feat: cards")),
    holds(says.metric("commit", "commits_added", 2)),
    holds(says.metric("count", "files_changed", 2)),
    lies(says.metric("count", "files_changed", 4)),
    lies(says.modified("docs/guide.md", "2-2", "modify", [])),
    lies(says.deleted("docs/page.md", [])),
    lies(says.branch("main")),
  ];
  return {
    name: "moved target",
    directory: place.path,
    base,
    changed: WORK,
    created: ["src/card.ts"],
    plants,
    scene: {},
  };
}

/** Handoffs that are committed, and work that is not yet. */
export async function countedWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("counted/shop");
  openShop(place);
  workOnBranch(place);
  place.write("handoffs/builder.md", lines(9));
  place.commit("chore: hand over");
  place.write("src/more.ts", lines(5));
  const base = await bench.repository.chooseBase(place.path, null);
  const plants = [
    ...[2, 3].map((count) => holds(says.metric("commit", "commits_added", count))),
    ...[1, 4].map((count) => lies(says.metric("commit", "commits_added", count))),
    ...[2, 3].map((count) => holds(says.metric("count", "files_changed", count))),
    ...[1, 4, 5].map((count) => lies(says.metric("count", "files_changed", count))),
    ...[1, 2].map((count) => holds(says.metric("count", "files_created", count))),
    ...[0, 3].map((count) => lies(says.metric("count", "files_created", count))),
    holds(says.created("src/more.ts", "1-5")),
    lies(says.created("src/less.ts")),
  ];
  return {
    name: "counted",
    directory: place.path,
    base,
    changed: [...WORK, "src/more.ts"],
    created: ["src/card.ts", "src/more.ts"],
    plants,
    scene: { ownFiles: ["handoffs/builder.md"] },
  };
}

/** Only the last two commits were fetched, and no other branch. */
export async function shallowWorld(bench: Workbench): Promise<World> {
  const origin = bench.directory("shallow/origin");
  const opened = openShop(origin);
  const [first, second] = workOnBranch(origin);
  const place = bench.directory("shallow/shop");
  place.git("clone", "--quiet", "--depth=2", `--branch=${BRANCH}`, `file://${origin.path}`, ".");
  const base = await bench.repository.chooseBase(place.path, "HEAD~1");
  const plants = [
    holds(says.commit(second, "feat: cards in totals")),
    holdsUnseen(says.commit(first, "feat: cards")),
    holdsUnseen(says.commit(opened, "chore: open the shop")),
    holdsUnseen(says.merged(opened)),
    liesUnseen(says.commit("deadbeefdeadbeefdeadbeefdeadbeefdeadbeef", "feat: cards")),
    lies(says.commit(second, "feat: something else")),
    holds(says.branch(BRANCH)),
    liesUnseen(says.branch("main")),
    holds(says.metric("commit", "commits_added", 1)),
    lies(says.metric("commit", "commits_added", 2)),
    holds(says.modified("src/cart/total.ts", "40-40")),
    lies(says.modified("src/cart/tax.ts", "all", "modify", [])),
  ];
  const changed = ["src/cart/total.ts"];
  return { name: "shallow", directory: place.path, base, changed, created: [], plants, scene: {} };
}

/** The work says itself that nobody should look at the lines of its files. */
export async function attributesWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("attributes/shop");
  openShop(place);
  const base = await bench.mark(place);
  place.write(".gitattributes", "*.ts -diff\n*.md binary\n");
  place.write("src/cart/total.ts", lines(60, "line", [40]));
  place.write("docs/guide.md", lines(10, "guide", [9]));
  const plants = [
    holds(says.created(".gitattributes", "1-2")),
    holds(says.modified("src/cart/total.ts", "40-40")),
    holds(says.modified("docs/guide.md", "9-9")),
    lies(says.modified("src/cart/total.ts", "1-20")),
    lies(says.modified("docs/guide.md", "1-2")),
  ];
  const changed = [".gitattributes", "src/cart/total.ts", "docs/guide.md"];
  return { name: "attributes", directory: place.path, base, changed, created: [".gitattributes"], plants, scene: {} };
}
