import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { describe, expect, it } from "vitest";
import { projectRoot } from "./source-files.ts";

/** Exports that no import names: the library's doors, and what a program looks for by name. */
const USED_FROM_OUTSIDE = [
  { names: /./, files: /^src\/(?:index|engine)\.ts$/ },
  { names: /^(?:run|parts|lastResult)$/, files: /^bench\// },
  { names: /^behave$/, files: /^proofs\/cheats\/behave\.ts$/ },
  { names: /^default$/, files: /\.config\.ts$|\.mjs$|^test\/seeded-fast-check\.ts$/ },
];

describe("an export", () => {
  it("is used by another file, or is no export", () => {
    const folders = "{src,dashboard,test,bench,proofs,scripts}";
    const paths = globSync([`${folders}/**/*.{ts,tsx,mjs}`, "*.config.ts"], { cwd: projectRoot })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => !path.includes("node_modules/") && !path.includes("/fixtures/"));
    const files = new Map(paths.map((path) => [path, readFileSync(join(projectRoot, path), "utf8")]));
    expect(files.size).toBeGreaterThan(500);
    expect(unusedExports(files)).toEqual([]);
  });

  it("is found however it is used", () => {
    const files = new Map([
      ["a.ts", "export const named = 1, all = 2, later = 3, type = 4, again = 5, alone = 6, own = 7; own;"],
      ["b.ts", 'import { named as n } from "./a.ts"; import * as a from "./a.ts"; n; a.all;'],
      ["c.ts", 'const { later } = await import("./a.ts"); later; type X = import("./a.ts").type;'],
      ["d.ts", 'export { again } from "./a.ts";'],
      ["e.test.ts", 'import { again } from "./d.ts"; again; export const ofTest = 1;'],
    ]);
    expect(unusedExports(files)).toEqual(["a.ts: alone", "a.ts: own", "e.test.ts: ofTest"]);
  });
});

/** `FILE: NAME` of every export that no other file of these imports. */
function unusedExports(files: ReadonlyMap<string, string>): string[] {
  const used = new Set<string>();
  const exported: { readonly path: string; readonly name: string }[] = [];
  for (const [path, text] of files) {
    const { exports, imports } = namesOf(path, text);
    for (const name of exports) exported.push({ path, name });
    for (const { from, name } of imports) used.add(`${from}: ${name}`);
  }
  return exported
    .filter(({ path, name }) => !USED_FROM_OUTSIDE.some(({ names, files: of }) => of.test(path) && names.test(name)))
    .map(({ path, name }) => `${path}: ${name}`)
    .filter((unused) => !used.has(unused));
}

interface Import {
  readonly from: string;
  readonly name: string;
}

function namesOf(path: string, text: string): { exports: string[]; imports: Import[] } {
  const parsed = parseSync(path, text);
  const { module, errors } = parsed;
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const resolve = (specifier: string): string => posix.join(posix.dirname(path), specifier);
  const entries = module.staticExports.flatMap((statement) => statement.entries);
  const wholes: string[] = [];
  const imports = [
    ...module.staticImports.flatMap(({ moduleRequest, entries: names }) =>
      names.map(({ importName: { kind, name } }) => ({
        from: resolve(moduleRequest.value),
        name: kind === "Default" ? "default" : name,
      })),
    ),
    ...entries.flatMap(({ moduleRequest, importName }) =>
      moduleRequest === null ? [] : [{ from: resolve(moduleRequest.value), name: importName.name ?? null }],
    ),
  ];
  // Of a module that is taken as a whole, every word of the file counts as used.
  for (const { from, name } of imports) if (name === null) wholes.push(from);
  const addWhole = (node: { readonly source: { readonly type: string } }): void => {
    if ("value" in node.source && typeof node.source.value === "string") wholes.push(resolve(node.source.value));
  };
  // Taking the tree out of the parser is slow, and few files need it.
  if (text.includes("import("))
    new Visitor({ ImportExpression: addWhole, TSImportType: addWhole }).visit(parsed.program);
  const words = wholes.length === 0 ? [] : new Set(text.match(/[\w$]+/g));
  return {
    exports: entries.flatMap(({ exportName: { kind, name } }) => (kind === "Default" ? ["default"] : (name ?? []))),
    imports: [
      ...imports.flatMap(({ from, name }) => (name === null ? [] : [{ from, name }])),
      ...wholes.flatMap((from) => [...words].map((name) => ({ from, name }))),
    ],
  };
}
