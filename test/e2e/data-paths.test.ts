import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { EXAMPLES, prepareExample } from "../../examples/prepare-example.mjs";
import { importSpecifiers, projectRoot } from "../architecture/source-files.ts";

const scratch = mkdtempSync(join(tmpdir(), "baton-paths-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const paths = pathsIn(readFileSync(join(projectRoot, "ARCHITECTURE.md"), "utf8"));

describe("the four paths of ARCHITECTURE.md", () => {
  it("are there", () => {
    expect([...paths.keys()]).toEqual(["A text to its diagnostics", "A run", "A fact", "A claim to the page"]);
    expect([...paths.values()].every((files) => files.length >= 10)).toBe(true);
  });

  it.each([...paths])("%s: each file is connected with an earlier one", (_name, files) => {
    const apart = files.filter(
      (file, index) => index > 0 && !files.slice(0, index).some((earlier) => touch(earlier, file)),
    );
    expect(apart).toEqual([]);
  });

  it("a text passes all files of its path", () => {
    const called = filesCalled("text", [
      "--input-type=module-typescript",
      "-e",
      `import { readHandoffs } from ${JSON.stringify(pathToFileURL(join(projectRoot, "src/index.ts")).href)};
       readHandoffs(${JSON.stringify(BROKEN)}, { path: "handoff-BackendBuilder.json" });`,
    ]);
    expect(paths.get("A text to its diagnostics")?.filter((file) => !called.has(file))).toEqual([]);
  });

  it("a run passes all files of the paths of a run, of a fact and of a claim, up to the log", () => {
    const folder = prepareExample("pipeline");
    try {
      const args = EXAMPLES["pipeline"]?.[0]?.args ?? [];
      const called = filesCalled("run", [join(projectRoot, "src/main/baton.ts"), ...args], folder);
      const files = ["A run", "A fact", "A claim to the page"].flatMap((name) => paths.get(name) ?? []);
      const later = files.indexOf("src/runtime/read-run.ts");
      expect(later).toBeGreaterThan(0);
      expect(files.slice(0, later).filter((file) => !called.has(file))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

const BROKEN =
  'Done.\n\n```json\n{ "from_agent": "BackendBuilder", "timestamp": "yesterday", "status": "DONE" }\n```\n';

/** The fenced lists below the headings of the section, each line a file and what it does. */
function pathsIn(page: string): Map<string, string[]> {
  const section = page.slice(page.indexOf("## Four paths"), page.indexOf("## Rooms"));
  const lists = [...section.matchAll(/^### (.+)\n\n```\n([\s\S]*?)\n```$/gm)];
  return new Map(
    lists.map(([, name = "", list = ""]) => [name, list.split("\n").map((line) => line.split(/\s/)[0] ?? "")]),
  );
}

/** One imports the other, itself or through one file between them (a registry, say), or both use the same port. */
function touch(one: string, other: string): boolean {
  return leads(one, other) || leads(other, one) || share(one, other);
}

function leads(from: string, to: string): boolean {
  const imports = importsOf(from);
  return imports.includes(to) || imports.some((between) => importsOf(between).includes(to));
}

/** A port stands between an adapter and its callers: both import it, and neither the other. */
function share(one: string, other: string): boolean {
  const ports = importsOf(one).filter((path) => path.startsWith("src/ports/"));
  return ports.some((port) => importsOf(other).includes(port) || (port === "src/ports/ports.ts" && usesPort(other)));
}

function usesPort(file: string): boolean {
  return importsOf(file).some((path) => path.startsWith("src/ports/"));
}

const known = new Map<string, string[]>();

function importsOf(file: string): string[] {
  const imports = known.get(file) ?? readImports(file);
  known.set(file, imports);
  return imports;
}

function readImports(file: string): string[] {
  if (!/\.tsx?$/.test(file)) return [];
  return importSpecifiers(file, readFileSync(join(projectRoot, file), "utf8"))
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(posix.dirname(file), specifier));
}

/** Files of src with a function that was called while the program ran from its source. */
function filesCalled(name: string, args: readonly string[], cwd = projectRoot): Set<string> {
  const folder = join(scratch, name);
  const home = join(scratch, `${name}-home`);
  mkdirSync(home);
  const env = { ...process.env, NODE_V8_COVERAGE: folder, HOME: home, XDG_CONFIG_HOME: join(home, "config") };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8", timeout: 120_000 });
  expect(status, stderr).toBe(0);
  return new Set(readdirSync(folder).flatMap((file) => calledIn(join(folder, file))));
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

function calledIn(file: string): string[] {
  const { result } = JSON.parse(readFileSync(file, "utf8")) as Coverage;
  return result.flatMap(({ url, functions }) => {
    const path = url.startsWith("file:") ? fileURLToPath(url).replaceAll("\\", "/") : "";
    const isOurs = path.startsWith(`${projectRoot}/src/`);
    // A function at offset 0 is the module itself.
    const isCalled = functions.some(
      ({ ranges: [range] }) => range !== undefined && range.startOffset > 0 && range.count > 0,
    );
    return isOurs && isCalled ? [path.slice(projectRoot.length + 1)] : [];
  });
}
