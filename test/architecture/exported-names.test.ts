import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";
import { describe, expect, it } from "vitest";
import { projectRoot, readSourceFiles } from "./source-files.ts";

/** Names that are repeated on purpose: files of one kind that are taken by their folder, one of them at a time. */
const REPEATED = [
  { names: /^command$/, files: /^src\/cli\/commands\/[\w-]+\.ts$/ },
  { names: /./, files: /^src\/protocol\/dialects\/[\w-]+\/[\w-]+\.ts$/ },
  // Two stores behind one port.
  { names: /./, files: /^src\/stores\/(?:sqlite|postgres)\/[\w-]+\.ts$/ },
];

describe("exported names", () => {
  it("mean one thing across src: a name is exported by one file", () => {
    const files = readSourceFiles().filter(({ path }) => !path.endsWith(".test.ts"));
    const places = new Map<string, string[]>();
    for (const { path } of files)
      for (const name of new Set(declaredExports(path, readFileSync(join(projectRoot, path), "utf8"))))
        places.set(name, [...(places.get(name) ?? []), path]);
    const doubles = [...places].filter(([name, paths]) => paths.length > 1 && !isRepeated(name, paths));
    expect(places.size).toBeGreaterThan(100);
    expect(doubles).toEqual([]);
  });

  it("are seen in every way to declare them, and re-exports are not counted again", () => {
    const text = `
      export function a() {} export const b = 1, c = 2; export class D {} export interface E {} export type F = 1;
      export { g } from "./g.ts"; export type { H } from "./h.ts"; const i = 1; export { i }; function j() {}
      export async function* k() {} export const { l } = { l: 1 };
    `;
    expect(declaredExports("sample.ts", text).join("")).toBe("abcDEFikl");
  });
});

function isRepeated(name: string, paths: readonly string[]): boolean {
  return REPEATED.some(({ names, files }) => names.test(name) && paths.every((path) => files.test(path)));
}

/** Names that a file declares and exports itself. */
function declaredExports(path: string, text: string): string[] {
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .filter(({ moduleRequest }) => moduleRequest === null)
    .flatMap(({ exportName }) => exportName.name ?? []);
}
