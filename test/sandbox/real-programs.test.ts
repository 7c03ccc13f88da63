import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandRunner } from "../../src/agents/run-command.ts";
import type { CommandResult, GateCommand } from "../../src/ports/command-runner.ts";
import { projectRoot } from "../architecture/source-files.ts";
import { aFolder, aGate, hasNoSandbox, removeFolders } from "./gates.ts";

afterAll(removeFolders);

/** A reason to leave a test out on somebody's machine. Where `CI` is set the program must be there, or the test fails. */
function isMissing(file: string, debianPackage: string): boolean {
  if (existsSync(file) || process.env["CI"] !== undefined) return false;
  console.log(`left out: there is no ${file} (Debian's package ${debianPackage})`);
  return true;
}

function aProject(files: Readonly<Record<string, string>>): string {
  const folder = aFolder("real-program-");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** With the limits that gates have unless they say otherwise. */
async function runGate(
  directory: string,
  command: readonly string[],
  changes: Partial<GateCommand> = {},
): Promise<CommandResult> {
  return await commandRunner.run(aGate(directory, command, { timeout: 100_000, memory: 2 ** 32, ...changes }));
}

/** The programs of the system, whatever else this machine has. */
const SYSTEM = { PATH: "/usr/bin:/bin" };
/** A test that fails shows that the tests were really run. */
const CASES = [
  [0, "2"],
  [1, "3"],
] as const;

describe.skipIf(hasNoSandbox())("a gate runs", { timeout: 120_000 }, () => {
  it.each(CASES)("Vitest with a configuration file: exit code %d", async (exitCode, sum) => {
    const directory = aProject({
      // Of a module Vite writes a temporary copy into node_modules.
      "package.json": `{ "type": "module" }`,
      "vitest.config.ts": `import { defineConfig } from "vitest/config";\nexport default defineConfig({ test: { include: ["checks/*.ts"] } });\n`,
      "checks/sum.ts": `import { expect, it } from "vitest";\nit("adds", () => expect(1 + 1).toBe(${sum}));\n`,
    });
    const from = join(projectRoot, "node_modules");
    const before = readdirSync(from);
    const result = await runGate(directory, ["node_modules/.bin/vitest", "run"], {
      bring: [{ from, to: "node_modules" }],
    });
    expect(result, result.output).toMatchObject({ end: "exited", exitCode, sandbox: "bubblewrap" });
    expect(result.output).toMatch(exitCode === 0 ? /1 passed/ : /1 failed/);
    expect(readdirSync(from)).toEqual(before);
  });

  const PACKAGE = {
    "package.json": `{ "name": "shop", "private": true, "scripts": { "test": "node test.cjs" }, "dependencies": { "sum": "file:./sum" } }`,
    "sum/package.json": `{ "name": "sum", "version": "1.0.0", "main": "sum.cjs" }`,
    "sum/sum.cjs": "module.exports = (a, b) => a + b;\n",
    "test.cjs": `console.log("sum is " + require("sum")(1, 1));\n`,
    ".yarnrc.yml":
      "nodeLinker: node-modules\nenableTelemetry: false\nenableNetwork: false\nenableImmutableInstalls: false\n",
  };

  it.each([
    ["pnpm", "pnpm/bin/pnpm.cjs", ["install", "--offline"]],
    ["yarn", "@yarnpkg/cli-dist/bin/yarn.js", ["install"]],
  ])("%s", async (name, program, install) => {
    // As npm installs programs for all users of a machine.
    const prefix = aFolder();
    const [packageFolder = ""] = /^.*(?=\/bin\/)/.exec(program) ?? [];
    cpSync(join(projectRoot, "node_modules", packageFolder), join(prefix, "lib/node_modules", packageFolder), {
      recursive: true,
    });
    mkdirSync(join(prefix, "bin"));
    symlinkSync(`../lib/node_modules/${program}`, join(prefix, "bin", name));
    const path = process.env["PATH"];
    process.env["PATH"] = `${join(prefix, "bin")}:${path}`;
    try {
      const workspace = aProject(PACKAGE);
      execFileSync(name, install, { cwd: workspace, env: { ...process.env, HOME: aFolder() }, stdio: "pipe" });
      const directory = aProject(PACKAGE);
      const lock = name === "yarn" ? "yarn.lock" : "pnpm-lock.yaml";
      cpSync(join(workspace, lock), join(directory, lock));
      const bring = [{ from: join(workspace, "node_modules"), to: "node_modules" }];
      const result = await runGate(directory, [name, "test"], { bring });
      expect(result, result.output).toMatchObject({ end: "exited", exitCode: 0 });
      expect(result.output).toContain("sum is 2");
    } finally {
      process.env["PATH"] = path;
    }
  });

  it.skipIf(isMissing("/usr/lib/python3/dist-packages/pytest", "python3-pytest"))("pytest", async () => {
    const directory = aProject({ "test_sum.py": "def test_sum():\n    assert 1 + 1 == 2\n" });
    const result = await runGate(directory, ["/usr/bin/python3", "-m", "pytest"], { environment: SYSTEM });
    expect(result, result.output).toMatchObject({ end: "exited", exitCode: 0 });
    expect(result.output).toContain("1 passed");
  });

  it.skipIf(isMissing("/usr/bin/go", "golang-go"))("Go", async () => {
    const directory = aProject({
      "go.mod": "module example.org/shop\n\ngo 1.19\n",
      "sum_test.go": `package shop\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif 1+1 != 2 {\n\t\tt.Fail()\n\t}\n}\n`,
    });
    const result = await runGate(directory, ["/usr/bin/go", "test", "-v", "./..."], { environment: SYSTEM });
    expect(result, result.output).toMatchObject({ end: "exited", exitCode: 0 });
    expect(result.output).toContain("--- PASS: TestSum");
  });

  it.skipIf(isMissing("/usr/bin/cargo", "cargo"))("cargo", async () => {
    const directory = aProject({
      "Cargo.toml": `[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n`,
      "src/lib.rs": "#[test]\nfn sum() {\n    assert_eq!(1 + 1, 2);\n}\n",
    });
    const command = ["/usr/bin/cargo", "test", "--offline", "--lib"];
    const result = await runGate(directory, command, { environment: SYSTEM });
    expect(result, result.output).toMatchObject({ end: "exited", exitCode: 0 });
    expect(result.output).toContain("1 passed");
  });
});
