import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { entryLayers, importTable, refusedFileNames, type Layer } from "./import-table.ts";
import {
  importSpecifiers,
  projectRoot,
  readSourceFiles,
  type ImportedModule,
  type SourceFile,
} from "./source-files.ts";

interface LintOverride {
  readonly rules: object;
}

const files = readSourceFiles();

describe("the layers of src", () => {
  it("are read at all", () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(0);
  });

  it("have every folder in the import table", () => {
    const folders = new Set(files.map((file) => folderOf(file.path)).filter((folder) => folder !== null));
    expect([...folders].filter((folder) => importTable[folder] === undefined)).toEqual([]);
  });

  it("import only what the table allows", () => {
    const broken = files.flatMap((file) =>
      file.imports.map((target) => brokenRule(file, target)).filter((rule) => rule !== null),
    );
    expect(broken).toEqual([]);
  });

  it("have no import cycle, types included", () => {
    expect(findCycle(files)).toBeNull();
  });

  it("have no file or folder whose name says nothing", () => {
    const named = files.filter((file) =>
      file.path.split("/").some((part) => refusedFileNames.includes(part.replace(/\..*$/, ""))),
    );
    expect(named.map((file) => file.path)).toEqual([]);
  });

  it("have no clock and no randomness where the table says pure: the linter refuses both", () => {
    const config = JSON.parse(readFileSync(join(projectRoot, ".oxlintrc.json"), "utf8"));
    const override = config.overrides.find((entry: LintOverride) => "no-restricted-globals" in entry.rules);
    const pure = Object.entries(importTable).filter(([, layer]) => layer.pure);
    expect(override.files.toSorted()).toEqual(["src/index.ts", ...pure.map(([name]) => `src/${name}/**`)].toSorted());
    expect(override.rules["no-restricted-globals"][1]).toMatchObject({ name: "Date" });
    expect(override.rules["no-restricted-properties"][1]).toMatchObject({ object: "Math", property: "random" });
  });
});

describe("the reader of imports", () => {
  it("sees every way to name a module, and no text that only looks like one", () => {
    const text = `
      import { a } from "./a.ts"; import type { B } from "./b.ts"; import "./c.ts";
      export * from "./d.ts"; export type { E } from "./e.ts"; export { f } from "./f.ts";
      const g = await import("./g.ts"); type H = import("./h.ts").H;
      const text = 'import { x } from "./x.ts"'; // import "./y.ts"
    `;
    expect(
      importSpecifiers("sample.ts", text)
        .map((specifier) => specifier[2])
        .join(""),
    ).toBe("abcdefgh");
  });

  it("refuses a module whose name is computed", () => {
    expect(() => importSpecifiers("sample.ts", "await import(name)")).toThrow("computed");
  });
});

describe("the table", () => {
  const protocolFile: SourceFile = { path: "src/protocol/dialects/rule-parts.ts", imports: [] };
  const cliFile: SourceFile = { path: "src/cli/rule-parts.ts", imports: [] };

  it.each([
    [protocolFile, "../../workflow/decide.ts"],
    [protocolFile, "../../index.ts"],
    [protocolFile, "../../../test/rule-parts.ts"],
    [protocolFile, "node:fs"],
    [protocolFile, "yaml"],
    [cliFile, "../main/baton.ts"],
    [cliFile, "saxes"],
  ])("refuses %o -> %s", (file, specifier) => {
    expect(brokenRule(file, importOf(file, specifier))).toContain(specifier);
  });

  it.each([
    [protocolFile, "../../shared/json-value.ts"],
    [protocolFile, "../handoff.ts"],
    [protocolFile, "saxes"],
    [cliFile, "../protocol/handoff.ts"],
    [cliFile, "node:fs"],
  ])("allows %o -> %s", (file, specifier) => {
    expect(brokenRule(file, importOf(file, specifier))).toBeNull();
  });

  it("finds a cycle and names its files", () => {
    const first = { path: "src/a.ts", imports: [{ specifier: "./b.ts", path: "src/b.ts" }] };
    const second = { path: "src/b.ts", imports: [{ specifier: "./a.ts", path: "src/a.ts" }] };
    expect(findCycle([first, second])).toEqual(["src/a.ts", "src/b.ts", "src/a.ts"]);
  });
});

function brokenRule(file: SourceFile, target: ImportedModule): string | null {
  const isTest = file.path.endsWith(".test.ts");
  const own = folderOf(file.path);
  const layer = own === null ? entryLayers[file.path] : importTable[own];
  if (layer === undefined) return own === null ? `${file.path} is no entry` : null;
  const allowed =
    target.path === null ? isTest || opensModule(layer, target) : opensFile(own, isTest, layer, target.path);
  return allowed ? null : `${file.path} -> ${target.specifier}`;
}

function opensModule(layer: Layer, target: ImportedModule): boolean {
  return target.specifier.startsWith("node:") ? !layer.pure : layer.packages.includes(target.specifier);
}

/** Outside `src` a test may take what it needs; the composition root takes the version out of package.json. */
function opensFile(own: string | null, isTest: boolean, layer: Layer, path: string): boolean {
  if (!path.startsWith("src/")) return isTest || (own === "main" && path === "package.json");
  const folder = folderOf(path);
  return folder === own ? folder !== null : folder !== null && layer.folders.includes(folder);
}

/** `src/protocol/handoff.ts` is in `protocol`; `src/index.ts` is in no folder. */
function folderOf(path: string): string | null {
  const parts = path.split("/");
  return parts.length > 2 ? (parts[1] ?? null) : null;
}

function importOf(file: SourceFile, specifier: string): ImportedModule {
  const path = specifier.startsWith(".") ? join(file.path, "..", specifier) : null;
  return { specifier, path };
}

function findCycle(sources: readonly SourceFile[]): string[] | null {
  const importsOf = new Map(sources.map((file) => [file.path, file.imports]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] | null => {
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) return [...trail.slice(seenAt), path];
    if (done.has(path)) return null;
    for (const target of importsOf.get(path) ?? []) {
      const cycle = target.path === null ? null : visit(target.path, [...trail, path]);
      if (cycle !== null) return cycle;
    }
    done.add(path);
    return null;
  };
  for (const file of sources) {
    const cycle = visit(file.path, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
