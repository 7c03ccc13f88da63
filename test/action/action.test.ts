import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { projectRoot } from "../cli/run-baton.ts";
import { hasNoSandbox } from "../sandbox/gates.ts";
import { git, handoff, put, repository, room } from "../cli/verify-repository.ts";
import { action, runAction } from "./run-action.ts";

const runner = room({});
const local = { package: projectRoot };

function withHandoff(text = handoff({ results: {} })): string {
  const folder = repository();
  put(folder, "handoffs/one.md", text);
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "docs: hand over");
  return folder;
}

describe("the GitHub action", () => {
  it("never writes an input into a script: all of them travel through the environment", () => {
    expect(action.runs.using).toBe("composite");
    for (const step of action.runs.steps) {
      expect(step.shell).toBe("bash");
      expect(step.run).not.toContain("${{");
      for (const value of Object.values(step.env ?? {})) expect(value).toMatch(/^\$\{\{ [\w.-]+ \}\}$/);
    }
    const used = action.runs.steps.flatMap((step) => Object.values(step.env ?? {}));
    for (const name of Object.keys(action.inputs)) expect(used).toContain(`\${{ inputs.${name} }}`);
  });

  it("is documented with a workflow that can be copied, and with every input", () => {
    const guide = readFileSync(join(projectRoot, "docs/guide/2-in-ci.md"), "utf8");
    const [, text = ""] = /```yaml\n(name: handoffs\n[^]*?)```/.exec(guide) ?? [];
    const { jobs } = parse(text) as { jobs: { handoffs: { steps: { uses?: string; with?: object }[] } } };
    const use = jobs.handoffs.steps.find(({ uses = "" }) => uses.includes("/baton@"));
    expect(Object.keys(use?.with ?? {})).toEqual(["paths", "run-gates"]);
    expect(Object.keys(action.inputs).filter((name) => !guide.includes(`| \`${name}\` |`))).toEqual([]);
    for (const name of Object.keys(action.outputs)) expect(guide).toContain(`\`${name}\``);
  });

  it("passes handoffs that are valid and true, and says so in the summary", () => {
    const { code, outputs, summary, log } = runAction(withHandoff(), runner, { ...local, paths: "handoffs" });
    expect(log).toContain("baton validate ended with 0, baton verify with 0");
    expect(code).toBe(0);
    expect(outputs).toEqual({ validated: "0", verified: "0" });
    expect(summary).toMatch(/^## ✅ Handoffs: accepted\n/);
  });

  it("fails on a claim that is not true, with an annotation on its line", () => {
    const folder = withHandoff(handoff({ modified: ["src/new.js", "src/old.js", "src/never.js"] }));
    const run = runAction(folder, runner, { ...local, paths: "handoffs" });
    expect(run).toMatchObject({ code: 1, failed: "Result", outputs: { validated: "0", verified: "1" } });
    expect(run.log).toMatch(/^::error file=handoffs\/one\.md,line=\d+,.*src\/never\.js/m);
    expect(run.summary).toMatch(/^## ❌ Handoffs: not accepted\n/);
    expect(run.summary).toContain("src/never.js");
  });

  it("fails on a handoff that is not valid, and still tells what verification found", () => {
    const folder = withHandoff(handoff().replace('"complete"', '"splendid"'));
    const run = runAction(folder, runner, { ...local, paths: "handoffs" });
    expect(run).toMatchObject({ code: 1, failed: "Result", outputs: { validated: "1", verified: "1" } });
    expect(run.log).toMatch(/^::error file=handoffs\/one\.md/m);
  });

  it("verifies on a pull request only what it changes", () => {
    const folder = withHandoff(handoff({ modified: ["src/never.js"] }));
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD");
    put(folder, "src/later.js", "export const later = 1;\n");
    git(folder, "add", "-A");
    git(folder, "commit", "-qm", "feat: later");
    const run = runAction(folder, runner, { ...local, paths: "handoffs" }, { GITHUB_BASE_REF: "main" });
    expect(run).toMatchObject({ code: 0, outputs: { verified: "0" } });
    expect(run.summary).toContain("No changed handoff");
    expect(runAction(folder, runner, { ...local, paths: "handoffs", base: "main" }).code).toBe(1);
  });

  it.skipIf(hasNoSandbox())("runs gates in the sandbox, and fails when one does not pass (needs bubblewrap)", () => {
    const folder = withHandoff();
    const gates = "test=node --test\nlint=true";
    const passed = runAction(folder, runner, { ...local, paths: "handoffs", "run-gates": gates });
    expect(passed).toMatchObject({ code: 0, outputs: { verified: "0" } });
    expect(passed.summary).toMatch(/\| `test` \| passed \|/);
    expect(passed.summary).toMatch(/\| `lint` \| passed \|/);
    const failed = runAction(folder, runner, { ...local, paths: "handoffs", "run-gates": "test=false" });
    expect(failed).toMatchObject({ code: 1, outputs: { verified: "1" } });
    expect(failed.summary).toMatch(/\| `test` \| failed \|/);
  });

  it("writes no summary when none is wanted, and takes several paths, one a line", () => {
    const folder = withHandoff();
    put(folder, "more files/two.md", handoff());
    const paths = "handoffs/one.md\r\n\nmore files/two.md\n";
    const run = runAction(folder, runner, { ...local, paths, report: "false" });
    expect(run.summary).toBe("");
    expect(run.log).toContain("2 files");
  });

  it.each([
    ["paths", '$(touch owned)\n`touch owned`\n"; touch owned; "\n--help\n-rf'],
    ["dialect", "x; touch owned"],
    ["base", "$(touch owned) --output=owned"],
    ["base", "--output=owned"],
    ["strict", "true]; touch owned; ["],
    ["report", "$(touch owned)"],
    ["run-gates", "test=\ntest"],
    ["version", "latest; touch owned"],
    ["version", "latest"],
    ["package", "$(touch owned)"],
    ["package", "-x; touch owned"],
  ])("an input %s that means harm runs nothing and opens no option: %j", (name, value) => {
    const folder = withHandoff();
    const inputs = { ...(name === "version" ? {} : local), paths: "handoffs", [name]: value };
    const run = runAction(folder, runner, inputs);
    const isSwitch = name === "strict" || name === "report";
    expect(run.code === 0).toBe(isSwitch);
    expect(readdirSync(folder)).not.toContain("owned");
    expect(run.log).not.toContain("Usage: baton");
  });

  it("installs the version of the package that it belongs to, and no other by itself", () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { version: string };
    expect(action.inputs["version"]?.default).toBe(version);
  });

  it("says what is missing: the package, or the right version of Node", () => {
    const empty = mkdtempSync(join(runner, "empty-"));
    for (const folder of [empty, join(empty, "nowhere")])
      expect(runAction(withHandoff(), runner, { paths: "handoffs", package: folder })).toMatchObject({
        code: 2,
        failed: "Find baton",
        log: expect.stringContaining("There is no built package") as string,
      });
    const old = mkdtempSync(join(runner, "old-"));
    writeFileSync(join(old, "node"), "#!/bin/sh\necho 18\n", { mode: 0o755 });
    const environment = { PATH: `${old}:${process.env["PATH"] ?? ""}` };
    expect(runAction(withHandoff(), runner, { ...local, paths: "handoffs" }, environment)).toMatchObject({
      code: 3,
      log: expect.stringContaining("Baton needs Node 22 or newer") as string,
    });
    expect(runAction(withHandoff(), runner, { ...local, paths: "\n" })).toMatchObject({ code: 2, failed: "Validate" });
  });
});
