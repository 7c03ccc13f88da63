import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

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

describe("the built library", () => {
  it("is imported by the package's own name", () => {
    const script = 'import * as library from "baton-handoff"; process.stdout.write(typeof library);';
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
    expect(run.stderr.toString()).toBe("");
    expect(run.stdout.toString()).toBe("object");
  });
});
