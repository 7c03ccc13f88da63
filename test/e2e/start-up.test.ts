import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";

const root = join(import.meta.dirname, "../..");

describe("the built command", () => {
  it("says in one line that a Node is too old, with exit code 3", () => {
    const pretendOld = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });";
    const run = spawnSync(process.execPath, ["-e", `${pretendOld} require("./dist/cli/baton.cjs")`], { cwd: root });
    expect(run.stderr.toString()).toMatch(/^baton needs Node 24 or newer; this is Node v20\.20\.2\. .+\n$/);
    expect(run.stdout.toString()).toBe("");
    expect(run.status).toBe(3);
  });

  it("starts under the Node that runs this test", () => {
    const run = spawnSync(process.execPath, ["dist/cli/baton.cjs", "--version"], { cwd: root });
    expect(run.stderr.toString()).toBe("");
    expect(run.stdout.toString()).toMatch(/\d+\.\d+\.\d+/);
    expect(run.status).toBe(0);
  });
});

describe("the built command on a file with nothing wrong", () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-start-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ["pipeline-json", "handoff-BackendBuilder.json", ["pipeline-json"]],
    ["output-json", "output.json", ["output-json"]],
    ["phase-yaml", "phase.yaml", ["phase-yaml", "plain-yaml"]],
    ["task-yaml", "task.yaml", ["task-yaml", "plain-yaml"]],
    ["issue-xml", "handoff.xml", ["issue-xml", "plain-xml"]],
  ] as const)("loads of %s only what it needs", (name, file, needed) => {
    const { print, example } = DIALECTS[name];
    writeFileSync(join(folder, file), print(example));
    const script = `process.argv.splice(1, 0, "baton"); require("./dist/cli/baton.cjs");
      process.on("exit", () => console.error(Object.keys(require.cache).map((path) => require("path").basename(path, ".cjs")).join(" ")));`;
    const run = spawnSync(process.execPath, ["-e", script, "--", "validate", join(folder, file)], { cwd: root });
    expect(run.stdout.toString()).toContain(`(${name}, 1 handoff)`);
    const loaded = run.stderr.toString().trim().split(" ").sort();
    expect(loaded).toEqual(["baton", "main", "reading", ...needed].sort());
  });
});

describe("the built command, when it was run before", () => {
  const home = mkdtempSync(join(tmpdir(), "baton-start-home-"));
  afterAll(() => rmSync(home, { recursive: true }));
  const file = join(home, "task.yaml");
  writeFileSync(file, DIALECTS["task-yaml"].print(DIALECTS["task-yaml"].example));
  const validate = (flags: readonly string[], more: Record<string, string>): ReturnType<typeof spawnSync> => {
    const env = { PATH: process.env["PATH"], TMPDIR: home, ...more };
    return spawnSync(process.execPath, [...flags, "dist/cli/baton.cjs", "validate", file], { cwd: root, env });
  };

  it("compiles nothing again of what a file with nothing wrong needs", () => {
    const journal = join(home, "functions.log");
    const flags = ["--log-function-events", "--no-logfile-per-isolate", `--logfile=${journal}`];
    const compiled = [1, 2].map(() => {
      expect(validate(flags, { HOME: home }).status).toBe(0);
      const lines = readFileSync(journal, "utf8").split("\n");
      rmSync(journal);
      return lines.flatMap((line) => /^function,interpreter,.*,(\w+)$/.exec(line)?.[1] ?? []);
    });
    const needed = ["parseArguments", "readHandoffs", "readFlawlessFile", "formatReport"];
    expect(compiled[0]).toEqual(expect.arrayContaining(needed));
    expect(needed.filter((name) => compiled[1]?.includes(name))).toEqual([]);
  });

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
