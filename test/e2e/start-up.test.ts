import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";

const root = join(import.meta.dirname, "../..");

describe("the built command", () => {
  it("says in one line that a Node is too old, with exit code 3", () => {
    const run = under({ node: "20.20.2", sqlite: "3.46.0" }, "--version");
    expect(run.stderr).toMatch(/^baton needs Node 22\.22\.3 or newer; this is Node v20\.20\.2\. .+\n$/);
    expect(run.stdout).toBe("");
    expect(run.status).toBe(3);
  });

  it("opens no database under a Node whose SQLite can damage it, and says which Node is needed", () => {
    for (const args of [["status"], ["knowledge", "search", "x"], ["backup", "copy.db"]]) {
      const run = under({ node: "22.22.2", sqlite: "3.51.2" }, ...args);
      expect(run.stderr).toMatch(
        /needs Node 22\.22\.3, 24\.15\.0 or newer: SQLite 3\.51\.2 of Node 22\.22\.2 can damage a database\.\n/,
      );
      expect(run.stdout).toBe("");
      expect(run.status).toBe(3);
    }
  });

  it("does what needs no state there", () => {
    const old = { node: "22.13.0", sqlite: "3.47.2" };
    for (const args of [["--version"], ["explain", "000-R07"], ["instructions", "task-yaml"], ["schema", "workflow"]])
      expect(under(old, ...args)).toMatchObject({ status: 0, stderr: "" });
    expect(under(old, "validate", "examples/broken/retry-summary.md")).toMatchObject({ status: 1, stderr: "" });
  });

  it("starts under the Node that runs this test", () => {
    const run = spawnSync(process.execPath, ["dist/cli/baton.cjs", "--version"], { cwd: root });
    expect(run.stderr.toString()).toBe("");
    expect(run.stdout.toString()).toMatch(/\d+\.\d+\.\d+/);
    expect(run.status).toBe(0);
  });
});

/** As if another Node ran it. */
function under(versions: Record<string, string>, ...args: readonly string[]): SpawnSyncReturns<string> {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, ...${JSON.stringify(versions)} } });`;
  const script = `${pretend} process.argv.splice(1, 0, "baton"); require("./dist/cli/baton.cjs")`;
  const home = { HOME: join(tmpdir(), "baton-start-nobody") };
  return spawnSync(process.execPath, ["-e", script, "--", ...args], { cwd: root, encoding: "utf8", env: home });
}

describe("the built command on a valid file", () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-start-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ["pipeline-json", "handoff-BackendBuilder.json", ["pipeline-json"]],
    ["output-json", "output.json", ["output-json"]],
    ["phase-yaml", "phase.yaml", ["phase-yaml"]],
    ["task-yaml", "task.yaml", ["task-yaml"]],
    ["issue-xml", "handoff.xml", ["issue-xml", "saxes", "xml"]],
  ] as const)("loads of %s only what validating needs", (name, file, asked) => {
    const { print, example } = DIALECTS[name];
    writeFileSync(join(folder, file), print(example));
    expect(loadedBy("validate", join(folder, file))).toEqual(
      ["baton", "main", ...asked, ...RUNTIME, "validate"].sort(),
    );
  });

  it("loads the parser of YAML for a text that is not plain", () => {
    const file = join(folder, "anchors.yaml");
    writeFileSync(file, "outcome: &word completed\nfiles_created: []\nnext_step_note: *word\n");
    expect(loadedBy("validate", file)).toContain("js-yaml");
  });

  it("loads the server for coding agents only when it serves one", () => {
    for (const command of ["status", "check", "mcp"]) expect(loadedBy(command, "--help")).not.toContain("open-mcp");
    const files = readdirSync(join(root, "dist/cli")).filter((file) => file.endsWith(".cjs"));
    const uses = files.flatMap((file) =>
      [...readFileSync(join(root, "dist/cli", file), "utf8").matchAll(/.{0,40}require\("\.\/open-mcp\.cjs"\)/g)].map(
        String,
      ),
    );
    expect(uses).toHaveLength(2);
    expect(uses.filter((use) => !use.includes("then("))).toEqual([]);
  });

  it("loads no command where none is called", () => {
    expect(loadedBy("--version")).toEqual(["baton", "main", "start"]);
  });
});

/** What every command needs, and the bundler's own functions. */
const RUNTIME = ["rolldown-runtime", "start"];

/** The files of the built command that a call has loaded. */
function loadedBy(...args: readonly string[]): string[] {
  const script = `process.argv.splice(1, 0, "baton"); require("./dist/cli/baton.cjs");
    process.on("exit", () => console.error(Object.keys(require.cache).map((path) => require("path").basename(path, ".cjs")).join(" ")));`;
  const run = spawnSync(process.execPath, ["-e", script, "--", ...args], { cwd: root });
  return (run.stderr.toString().trim().split("\n").at(-1) ?? "").split(" ").sort();
}

describe("the built command, when it was run before", () => {
  const home = mkdtempSync(join(tmpdir(), "baton-start-home-"));
  afterAll(() => rmSync(home, { recursive: true }));
  const file = join(home, "task.yaml");
  writeFileSync(file, DIALECTS["task-yaml"].print(DIALECTS["task-yaml"].example));
  const validate = (flags: readonly string[], more: Record<string, string>): ReturnType<typeof spawnSync> => {
    const env = { PATH: process.env["PATH"], TMPDIR: home, ...more };
    return spawnSync(process.execPath, [...flags, "dist/cli/baton.cjs", "validate", file], { cwd: root, env });
  };

  it.each([
    ["in the user's own folder", { HOME: home }, [".cache/baton"]],
    ["where the user keeps such things", { HOME: home, XDG_CACHE_HOME: join(home, "kept") }, ["kept/baton"]],
    ["in no folder that is not the user's own", {}, []],
    ["in no folder that depends on where it is called", { XDG_CACHE_HOME: "here" }, []],
    ["nowhere, and goes on, where no folder can be made", { HOME: "/proc" }, []],
    ["nowhere when the home is not there", { HOME: join(home, "nobody") }, []],
  ])("keeps what it compiled %s", (_, more, folders) => {
    for (const name of [".cache", "kept", "node-compile-cache"])
      rmSync(join(home, name), { recursive: true, force: true });
    expect(validate([], more).status).toBe(0);
    const places = [".cache/baton", "kept/baton", "node-compile-cache"];
    expect(places.filter((name) => existsSync(join(home, name)))).toEqual(folders);
    expect([join(root, "here"), join(home, "nobody")].filter((path) => existsSync(path))).toEqual([]);
  });
});

describe("the built library", () => {
  it("is imported by the package's own name", () => {
    const script = 'import * as library from "baton-handoff"; process.stdout.write(typeof library);';
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
    expect(run.stderr.toString()).toBe("");
    expect(run.stdout.toString()).toBe("object");
  });
});
