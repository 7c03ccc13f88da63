import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

describe("the built library", () => {
  it("is imported by the package's own name", () => {
    const script = 'import * as library from "baton-handoff"; process.stdout.write(typeof library);';
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
    expect(run.stderr.toString()).toBe("");
    expect(run.stdout.toString()).toBe("object");
  });
});
