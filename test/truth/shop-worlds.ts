import { type Plant, holds, holdsUnseen, lies, liesUnseen } from "./plant.ts";
import * as says from "./statements.ts";
import { type Place, type Workbench, type World, lines } from "./workbench.ts";

/** What every shop has before anybody works on it, on branch main. */
export function openShop(place: Place): string {
  place.git("init", "--quiet", "--initial-branch=main");
  place.write("src/cart/total.ts", lines(60));
  place.write("src/cart/tax.ts", lines(30, "tax"));
  place.write("src/old.ts", lines(20, "old"));
  place.write("docs/guide.md", lines(10, "guide"));
  place.write("package.json", '{ "name": "shop" }\n');
  place.write(".gitignore", "dist/\n*.log\n");
  place.write("dist/bundle.js", "before\n");
  return place.commit("chore: open the shop");
}

const SUBJECT = "feat(cart): accept gift cards when an order is paid";

function work(place: Place, commit: (message: string) => string): [first: string, second: string] {
  place.write("src/card/redeem.ts", lines(84, "redeem"));
  place.write("src/card/index.ts", lines(3, "index"));
  place.write("src/cart/total.ts", lines(60, "line", [40, 41, 42, 43, 44]));
  place.write("dist/bundle.js", "after\n");
  const first = commit(`${SUBJECT}\n\nA card pays a part of an order.\n`);
  place.remove("src/old.ts");
  place.write("src/cart/tax.ts", lines(30, "tax").replace("tax 15\ntax 16\n", ""));
  return [first, commit("refactor(cart): drop what nobody calls")];
}

const CHANGED = ["src/card/redeem.ts", "src/card/index.ts", "src/cart/total.ts", "src/old.ts", "src/cart/tax.ts"];
const CREATED = ["src/card/redeem.ts", "src/card/index.ts"];
const CARD = ["src/card/redeem.ts", "src/card/index.ts"];

/** True of the files, whether they are committed or not. */
function trueOfFiles(): Plant[] {
  return [
    holds(says.metric("figure", "insertions", 92)),
    holds(says.metric("figure", "deletions", 27)),
    holds(says.metric("figure", "lines_changed", 119)),
    holdsUnseen(says.metric("figure", "lines_added", 80)),
    lies(says.metric("figure", "lines_added", 900)),
    lies(says.metric("figure", "lines_removed", 600)),
    holds(says.created("src/card/redeem.ts", "1-84")),
    holds(says.created("src/card/redeem.ts", "20-40")),
    holds(says.created("src/card/index.ts", "1-4")),
    holds(says.created("src/card/index.ts")),
    holds(says.modified("src/cart/total.ts", "40-44")),
    holds(says.modified("src/cart/total.ts", "1-60")),
    holds(says.modified("src/cart/total.ts", "44-52", "add")),
    holds(says.modified("src/cart/total.ts", "all", "refactor")),
    holds(says.modified("src/card/index.ts", "1-3")),
    holds(says.modified("src/cart/tax.ts", "13-17")),
    holds(says.modified("src/cart/tax.ts", "15-16", "delete")),
    holds(says.deleted("src/old.ts")),
    holds(says.deletedBeside("src/old.ts")),
    holds(says.changed("src/cart/tax.ts")),
    holds(says.changed("src/old.ts")),
    holds(says.changed("./src/card/index.ts", ["src/card/index.ts"])),
    holds(says.changed("src/card/", CARD)),
    holds(says.changed("src/card", CARD)),
    holds(says.changed("src/card/*.ts", CARD)),
    holds(says.artifact("src/card/redeem.ts")),
    holds(says.artifact("src/card/*.ts", CARD)),
    holds(says.artifact("src/card/", CARD)),
    holds(says.artifact("src/**/{redeem,index}.ts", CARD)),
    holds(says.artifact("src/card/[a-z]*.ts", CARD)),
    holds(says.artifact("src/car*/", [...CARD, "src/cart/total.ts", "src/cart/tax.ts"])),
    holds(says.changed("src/card/[ir]*.ts", CARD)),
    holds(says.changed("src/?ard/", CARD)),
    holdsUnseen(says.changed("dist/bundle.js", [])),
    holdsUnseen(says.modified("dist/bundle.js", "1-1", "modify", [])),
    holdsUnseen(says.changed("dist/", [])),
    holdsUnseen(says.artifact("dist/bundle.js", [])),
    holds(says.metric("count", "files_changed", 5)),
    holds(says.metric("count", "files_created", 2)),
    holds(says.metric("count", "files_modified", 2)),
    holds(says.metric("count", "files_deleted", 1)),
    holds(says.issueAt("src/cart/total.ts:60")),
    holds(says.issueAt("src/card/redeem.ts:84")),
    holdsUnseen(says.issueAt("src/old.ts:7")),
    holdsUnseen(says.issueAt("src/cart/tax.ts:33", "fixed")),
    holds(says.source("src/cart/total.ts:1-60")),
    holdsUnseen(says.source("src/old.ts:1-20")),
    holdsUnseen(says.skill("writing-components")),
  ];
}

function falseOfFiles(): Plant[] {
  return [
    lies(says.fixAt("docs/guide.md:3")),
    lies(says.created("docs/guide.md")),
    lies(says.created("src/cart/total.ts")),
    lies(says.created("src/nowhere.ts", "1-10")),
    lies(says.created("src/card/redeem.ts", "1-120")),
    lies(says.created("src/old.ts")),
    lies(says.modified("docs/guide.md", "1-5")),
    lies(says.modified("package.json")),
    lies(says.modified("src/cart/total.ts", "1-20")),
    lies(says.modified("src/cart/total.ts", "50-60")),
    lies(says.modified("src/cart/total.ts", "40-90")),
    lies(says.modified("src/cart/tax.ts", "24-28")),
    lies(says.modified("src/old.ts", "1-5")),
    lies(says.deleted("src/cart/total.ts")),
    lies(says.deleted("docs/guide.md")),
    lies(says.deleted("src/never.ts")),
    lies(says.deletedBeside("package.json")),
    lies(says.changed("package.json")),
    lies(says.changed("docs/")),
    lies(says.changed("tests/*.ts")),
    lies(says.changed("src/nowhere.ts")),
    lies(says.artifact("reports/REVIEW.md")),
    lies(says.artifact("tests/**/*.test.ts")),
    lies(says.artifact("src/card/redeem.ts/", ["src/card/redeem.ts"])),
    liesUnseen(says.artifact("docs/guide.md")),
    ...["**", "?*", "**/?*", "**/{*,x}"].map((pattern) => liesUnseen(says.artifact(pattern, []))),
    liesUnseen(says.changed("**/?*", [])),
    lies(says.artifact("src/card/[x-z]*.ts")),
    lies(says.changed("src/card/[!a-z]*.ts")),
    lies(says.artifact("tests/*/")),
    lies(says.metric("count", "files_changed", 4)),
    lies(says.metric("count", "files_changed", 12)),
    lies(says.metric("count", "files_created", 3)),
    lies(says.metric("count", "files_deleted", 0)),
    lies(says.issueAt("src/cart/total.ts:90")),
    lies(says.issueAt("src/nowhere.ts:1")),
    lies(says.issueAt("docs:3")),
    lies(says.source("docs/guide.md:1-50")),
    lies(says.source("src/nowhere.ts:1-5")),
    liesUnseen(says.source("src/cart/tax.ts:1-99")),
  ];
}

const UNKNOWN_SHA = "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef";

export async function committedWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("committed/shop");
  const opened = openShop(place);
  place.git("checkout", "--quiet", "-b", "feature/issue-7-gift-cards");
  const base = await bench.mark(place);
  const [first, second] = work(place, (message) => place.commit(message));
  place.git("branch", "stale", opened);
  const plants = [
    ...trueOfFiles(),
    ...falseOfFiles(),
    holds(says.commit(first, SUBJECT)),
    holds(says.commit(first.slice(0, 7), SUBJECT)),
    holds(says.commit(first.slice(0, 12).toUpperCase(), `${SUBJECT}\r\n\r\nA card pays a part of an order.`)),
    holds(says.commit(second.slice(0, 8), "refactor(cart): drop what nobody\u2026")),
    holds(says.metric("commit", "commits_added", 2)),
    holds(says.branch("feature/issue-7-gift-cards")),
    holds(says.workspace("path", place.path)),
    holds(says.workspace("path", "../shop")),
    holds(says.workspace("type", "in-place", place.path)),
    lies(says.commit(UNKNOWN_SHA, SUBJECT)),
    lies(says.commit("abc1234", SUBJECT)),
    lies(says.commit(first, "feat(cart): accept gift cards and vouchers")),
    lies(says.commit(second, SUBJECT)),
    lies(says.commit("HEAD", SUBJECT)),
    liesUnseen(says.commit(opened, "chore: open the shop")),
    lies(says.metric("commit", "commits_added", 3)),
    lies(says.metric("commit", "commits_added", 0)),
    lies(says.branch("feature/issue-8-vouchers")),
    lies(says.branch("--upload-pack=x")),
    lies(says.branch("stale")),
    holdsUnseen(says.commit(first.slice(0, 5), SUBJECT)),
    liesUnseen(says.commit("abc12", SUBJECT)),
    liesUnseen(says.workspace("path", "/elsewhere/shop")),
    lies(says.workspace("type", "worktree", place.path)),
    lies(says.merged(first)),
    lies(says.merged(UNKNOWN_SHA)),
  ];
  return {
    commits: [first, second],
    name: "committed",
    directory: place.path,
    base,
    changed: CHANGED,
    created: CREATED,
    plants,
    scene: {},
  };
}

export async function uncommittedWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("uncommitted/shop");
  openShop(place);
  // Changed before the work began, and so nobody's claim to make.
  place.write("src/cart/rebate.ts", lines(25, "rebate"));
  place.write("docs/guide.md", lines(10, "guide", [3]));
  const base = await bench.mark(place);
  work(place, () => "");
  place.git("add", "src/card/redeem.ts");
  const plants = [
    ...trueOfFiles(),
    ...falseOfFiles(),
    holds(says.metric("commit", "commits_added", 0)),
    holds(says.branch("main")),
    lies(says.metric("commit", "commits_added", 2)),
    lies(says.commit(UNKNOWN_SHA, SUBJECT)),
    lies(says.created("src/cart/rebate.ts", "1-25")),
    lies(says.modified("docs/guide.md", "3-3")),
    lies(says.artifact("notes/REVIEW.md")),
  ];
  return { name: "uncommitted", directory: place.path, base, changed: CHANGED, created: CREATED, plants, scene: {} };
}

/** Without a run: the base is what the branch left. */
export async function guessedBaseWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("guessed/shop");
  openShop(place);
  place.git("checkout", "--quiet", "-b", "feature/issue-7-gift-cards");
  const [first] = work(place, (message) => place.commit(message));
  const base = await bench.repository.chooseBase(place.path, null);
  const plants = [
    ...trueOfFiles().filter((_, at) => at % 3 === 0),
    ...falseOfFiles().filter((_, at) => at % 3 === 1),
    holds(says.commit(first, SUBJECT)),
    holds(says.metric("commit", "commits_added", 2)),
    lies(says.metric("commit", "commits_added", 1)),
    holdsUnseen(says.writtenAt("2026-03-09T14:05:07Z")),
    lies(says.writtenAt("2036-03-09T14:05:07Z")),
    liesUnseen(says.writtenAt("2026-03-09T00:00:00Z")),
    holdsUnseen(says.phase("implementation")),
  ];
  return { name: "guessed base", directory: place.path, base, changed: CHANGED, created: CREATED, plants, scene: {} };
}

export async function withoutGitWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("without-git/shop");
  place.write("src/card/redeem.ts", lines(84));
  const plants = [
    holdsUnseen(says.created("src/card/redeem.ts", "1-84")),
    holdsUnseen(says.deleted("src/old.ts")),
    holdsUnseen(says.artifact("src/card/redeem.ts")),
    holds(says.issueAt("src/card/redeem.ts:84")),
    holds(says.source("src/card/redeem.ts:1-84")),
    holdsUnseen(says.branch("main")),
    holdsUnseen(says.metric("count", "files_changed", 1)),
    holdsUnseen(says.metric("commit", "commits_added", 2)),
    lies(says.created("src/card/gone.ts")),
    lies(says.deleted("src/card/redeem.ts")),
    lies(says.artifact("src/card/gone.ts")),
    lies(says.issueAt("src/card/redeem.ts:99")),
    liesUnseen(says.source("src/card/gone.ts:1-3")),
    liesUnseen(says.commit(UNKNOWN_SHA, SUBJECT)),
  ];
  const base = await bench.repository.chooseBase(place.path, null);
  return { name: "without git", directory: place.path, base, changed: [], created: [], plants, scene: {} };
}
