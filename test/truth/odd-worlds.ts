import { holds, holdsUnseen, lies, type Spec, liesUnseen } from "./plant.ts";
import { openShop } from "./shop-worlds.ts";
import * as says from "./statements.ts";
import { type Workbench, type World, lines } from "./workbench.ts";

/** Names and files that are easy to get wrong. */
export async function oddFilesWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("odd/shop");
  openShop(place);
  place.write("run.sh", "#!/bin/sh\necho\n");
  place.write("image.png", "\0\u0001before\0");
  place.write("windows.txt", lines(10).replaceAll("\n", "\r\n"));
  place.write("no-end.txt", lines(10).trimEnd());
  place.commit("chore: odd files");
  const base = await bench.mark(place);
  const made = {
    "docs/\u00fcber uns.md": lines(5),
    "src/caf\u00e9/men\u00fc.ts": lines(7),
    "app/[id]/page.tsx": lines(9),
    "app/(shop)/{slug}.tsx": lines(4),
    "notes/\u{1f381} gift.md": lines(2),
    'it\'s "quoted".md': lines(3),
    ".config/settings.json": "{}\n",
    "empty.txt": "",
    [`deep/${"folder/".repeat(20)}file.ts`]: lines(2),
    "no-final-end.txt": lines(6).trimEnd(),
  };
  for (const [path, text] of Object.entries(made)) place.write(path, text);
  place.write("image.png", "\0\u0001after\0");
  place.write("windows.txt", lines(10, "line", [4]).replaceAll("\n", "\r\n"));
  place.write("no-end.txt", lines(12).trimEnd());
  place.mode("run.sh", 0o755);
  const created = Object.keys(made);
  const changed = [...created, "image.png", "windows.txt", "no-end.txt", "run.sh"];
  const plants = [
    ...created.map((path) => holds(says.created(path))),
    holds(says.created("src/caf\u00e9/men\u00fc.ts", "1-7")),
    holds(says.created("app/[id]/page.tsx", "1-9")),
    holds(says.created("no-final-end.txt", "1-6")),
    holds(says.artifact("app/[id]/page.tsx")),
    holds(says.artifact("docs/\u00fcber uns.md")),
    holds(says.artifact("app/[id]/*.tsx", ["app/[id]/page.tsx"])),
    holds(says.artifact(".config/*.json", [".config/settings.json"])),
    holds(says.changed("app/[id]/*.tsx", ["app/[id]/page.tsx"])),
    lies(says.artifact("app/[slug]/*.tsx")),
    holds(says.changed("src/caf\u00e9/", ["src/caf\u00e9/men\u00fc.ts"])),
    holds(says.changed("image.png")),
    holdsUnseen(says.modified("image.png", "1-1")),
    holds(says.modified("windows.txt", "4-4")),
    holds(says.modified("no-end.txt", "10-12")),
    holds(says.modified("run.sh")),
    holds(says.issueAt("docs/\u00fcber uns.md:5")),
    holds(says.source("app/[id]/page.tsx:1-9")),
    lies(says.created("docs/\u00fcber euch.md")),
    lies(says.created("app/[slug]/page.tsx")),
    lies(says.created("src/caf\u00e9/men\u00fc.ts", "1-70")),
    lies(says.created("empty.txt", "1-30")),
    lies(says.modified("windows.txt", "9-10")),
    lies(says.modified("no-end.txt", "1-5")),
    lies(says.modified("run.sh", "1-2")),
    lies(says.deleted("image.png")),
    lies(says.issueAt("app/[id]/page.tsx:40")),
  ];
  return { name: "odd files", directory: place.path, base, changed, created, plants, scene: {} };
}

/** Links, inside and to the outside, and folders with a repository of their own. */
export async function linkedWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("linked/shop");
  const outside = bench.directory("linked/outside");
  outside.write("secret.ts", lines(3));
  openShop(place);
  place.link("../outside", "way-out");
  place.link("src/cart", "cart");
  place.commit("chore: links");
  const library = bench.directory("linked/shop/vendor/library");
  library.git("init", "--quiet", "--initial-branch=main");
  library.write("index.js", lines(5));
  library.commit("chore: library");
  const base = await bench.mark(place);
  place.write("src/cart/total.ts", lines(60, "line", [7]));
  place.link("src/old.ts", "legacy.ts");
  place.link("../outside/secret.ts", "secret-link.ts");
  library.write("index.js", lines(6));
  library.write("more.js", lines(2));
  const created = ["legacy.ts", "secret-link.ts"];
  // Git sees that something in the library changed, and not what.
  const changed = ["src/cart/total.ts", "vendor/library", ...created];
  const plants = [
    holds(says.created("legacy.ts")),
    holds(says.created("secret-link.ts")),
    holdsUnseen(says.created("legacy.ts", "1-20")),
    holds(says.modified("src/cart/total.ts", "7-7")),
    holdsUnseen(says.modified("cart/total.ts", "all", "modify", [])),
    holdsUnseen(says.modified("vendor/library/index.js", "all", "modify", [])),
    holdsUnseen(says.created("vendor/library/more.js", "all", [])),
    holds(says.changed("vendor/library/", ["vendor/library"])),
    holds(says.issueAt("vendor/library/index.js:6")),
    lies(says.created("way-out/secret.ts", "all", [])),
    lies(says.modified("way-out/secret.ts", "1-3", "modify", [])),
    lies(says.artifact("way-out/secret.ts", [])),
    lies(says.issueAt("way-out/secret.ts:1")),
    lies(says.source("way-out/secret.ts:1-3")),
    lies(says.created("vendor/library/gone.js", "all", [])),
    lies(says.deleted("legacy.ts", ["legacy.ts"])),
  ];
  return { name: "links", directory: place.path, base, changed, created, plants, scene: {} };
}

/** Paths and names that want something else than to be looked at. */
export async function hostileWorld(bench: Workbench): Promise<World> {
  const place = bench.directory("hostile/shop");
  openShop(place);
  const base = await bench.mark(place);
  place.write("src/card.ts", lines(5));
  const manyLetters = "a".repeat(120);
  place.write(manyLetters, lines(1));
  const paths = [
    "../outside.ts",
    "src/../../outside.ts",
    "/etc/passwd",
    "~/.ssh/id_rsa",
    "C:/boot.ini",
    ".git/config",
    ".GIT/hooks/pre-commit",
    "src/.git/config",
    ".g\u200cit/config",
    "src\\card.ts",
    "x".repeat(300),
  ];
  // Files can have such names, but they are not looked for.
  const odd = ["-rf", "--output=x", "~old.ts", "a\u0007b.ts", ":(top)src/card.ts"];
  const about = (path: string): Spec[] => [
    says.artifact(path, []),
    says.changed(path, []),
    says.created(path, "1-5", []),
    says.issueAt(`${path}:1`),
    says.source(`${path}:1-2`),
  ];
  const plants = [
    ...paths.flatMap((path) => about(path).map(lies)),
    ...odd.flatMap((path) => about(path).map(liesUnseen)),
    ...["--upload-pack=x", "-b", "a..b", "refs/heads/../x", "main^{commit}", "main:src", "@{-1}", "a.lock"].map(
      (name) => lies(says.branch(name)),
    ),
    ...["--all", "HEAD~1", "main", "1234567 --exec", "$(id)", "zzzzzzz"].map((sha) =>
      lies(says.commit(sha, "feat: x")),
    ),
    ...["--help", "HEAD", "v1.0"].map((sha) => lies(says.merged(sha))),
    // A matcher that tries every way would try for years.
    lies(says.artifact(`${"*a".repeat(30)}b`, [])),
    lies(says.changed(`${"*a".repeat(30)}b`, [])),
    holds(says.artifact("*a".repeat(30), [manyLetters])),
    holds(says.created("src/card.ts", "1-5")),
  ];
  const changed = ["src/card.ts", manyLetters];
  return { name: "hostile names", directory: place.path, base, changed, created: changed, plants, scene: {} };
}
