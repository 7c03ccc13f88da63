import { chmodSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, sample, workroom } from "./run-baton.ts";

const folderWith = workroom();
const GOOD = sample("phase-yaml");
const REPAIRABLE = GOOD.replace('"@checkout-tester"', "@checkout-tester").replace("Testing", "testing");
const HALF = REPAIRABLE.replace("complete", "finished-more-or-less");
const DIFF = ["-  phase: testing", "-  from: @checkout-tester", "+  phase: Testing", '+  from: "@checkout-tester"'];

describe.concurrent("baton fix", () => {
  it("shows the repairs and changes nothing", async () => {
    const cwd = folderWith({ "summary.md": REPAIRABLE });
    const run = await baton(["fix", "summary.md"], { cwd });
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^--- summary\.md\n\+\+\+ summary\.md \(fixed\)\n@@ -\d+,\d+ \+\d+,\d+ @@\n/);
    expect(run.stdout.split("\n").filter((line) => /^[-+] /.test(line))).toEqual(DIFF);
    expect(run.stderr).toBe("summary.md: 2 repairs possible; --write makes them.\n");
    expect(readFileSync(join(cwd, "summary.md"), "utf8")).toBe(REPAIRABLE);
  });

  it("writes them when told, as a whole file with its mode, through a link", async () => {
    const cwd = folderWith({ "real.md": REPAIRABLE });
    chmodSync(join(cwd, "real.md"), 0o666);
    symlinkSync("real.md", join(cwd, "link.md"));
    const before = statSync(join(cwd, "real.md")).ino;
    const run = await baton(["fix", "--write", "link.md"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "link.md: 2 repairs written.\n" });
    expect(readFileSync(join(cwd, "real.md"), "utf8")).toBe(GOOD);
    expect(statSync(join(cwd, "real.md")).mode & 0o777).toBe(0o666);
    expect(lstatSync(join(cwd, "link.md")).isSymbolicLink()).toBe(true);
    // A new file was put in the place of the old one, and nothing was left beside it.
    expect(statSync(join(cwd, "real.md")).ino).not.toBe(before);
    expect(readdirSync(cwd).toSorted()).toEqual(["link.md", "real.md"]);
  });

  it("speaks of one repair as of one", async () => {
    const cwd = folderWith({ "summary.md": GOOD.replace("Testing", "testing") });
    const run = await baton(["fix", "summary.md"], { cwd });
    expect(run.stderr).toBe("summary.md: 1 repair possible; --write makes it.\n");
  });

  it("leaves a file alone that needs nothing", async () => {
    const cwd = folderWith({ "summary.md": GOOD });
    const before = statSync(join(cwd, "summary.md")).mtimeMs;
    const run = await baton(["fix", "--write", "summary.md"], { cwd });
    expect(run).toEqual({ code: 0, stdout: "", stderr: "summary.md: nothing to repair safely.\n" });
    expect(statSync(join(cwd, "summary.md")).mtimeMs).toBe(before);
  });

  it("prints the repaired text of standard input", async () => {
    const run = await baton(["fix", "-"], { input: REPAIRABLE });
    expect(run).toEqual({ code: 0, stdout: GOOD, stderr: "<stdin>: 2 repairs made.\n" });
  });

  it("leaves a text alone that would stay invalid, and says why", async () => {
    const cwd = folderWith({ "half.md": HALF });
    const run = await baton(["fix", "--write", "half.md"], { cwd });
    expect(run.code).toBe(1);
    expect(readFileSync(join(cwd, "half.md"), "utf8")).toBe(HALF);
    expect(run.stderr).toContain(
      "half.md: 2 repairs not made: the text would still be invalid; --partial makes them all the same.",
    );
    const piped = await baton(["fix", "-"], { input: HALF });
    expect(piped).toMatchObject({ code: 1, stdout: HALF });
  });

  it("says what is left for a person after a partial repair", async () => {
    const run = await baton(["fix", "--partial", "-"], { input: HALF });
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("phase: Testing");
    expect(run.stdout).toContain("status: finished-more-or-less");
    expect(run.stderr).toContain("002-R06 not-allowed");
  });

  it("never changes a prompt, a schema or an unfilled template", async () => {
    const files = {
      "prompt.md": `---\nname: tester\ndescription: Tests\n---\n\nAnswer with:\n\n${REPAIRABLE}`,
      "schema.json": '{ "type": "object", "properties": { "blocked_reason": {}, }, }\n',
      "template.md": HALF.replace("finished-more-or-less", "[complete | failed]"),
    };
    const cwd = folderWith(files);
    const run = await baton(["fix", "--write", "--partial", ...Object.keys(files)], { cwd });
    expect(run.code).toBe(1);
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(cwd, name), "utf8")).toBe(text);
    expect(run.stderr).toContain("prompt.md: 2 repairs not made: the file is the prompt of an agent");
  });

  it("changes neither prose nor fences around a handoff, also when asked for partial repairs", async () => {
    const prose = "# Task 1: A\n\n## Handoff\n\n- @tester: Complete\n- `code`: R&D,\n";
    const bare = "## Handoff\n\noutcome: Completed\n`sign` is no field, says @tester\n";
    const fenced = "```yaml\nhandoff:\n  phase: testing\n```\n";
    const files = { "prose.md": prose, "bare.md": bare, "fenced.yaml": fenced, "open.md": "<handoff>\n<a>R&D</a>\n" };
    const cwd = folderWith(files);
    await baton(["fix", "--write", "--partial", ...Object.keys(files)], { cwd });
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(cwd, name), "utf8")).toBe(text);
  });

  it("goes through folders, past files without a handoff", async () => {
    const cwd = folderWith({ "a/one.md": REPAIRABLE, "a/two.md": GOOD, "a/prose.md": "Nothing.\n", "a/x.bin": "x" });
    const run = await baton(["fix", "--json", "--write", "a"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(run.stdout)).toEqual({
      files: [
        { path: "a/one.md", fixes: ["Write Testing", "Quote @checkout-tester"], written: true, valid: true },
        { path: "a/two.md", fixes: [], written: false, valid: true },
      ],
    });
    expect(readFileSync(join(cwd, "a/one.md"), "utf8")).toBe(GOOD);
  });

  it("refuses a named file without a handoff, and one that is not there", async () => {
    const cwd = folderWith({ "prose.md": "Nothing.\n" });
    const [prose, missing, pattern] = await Promise.all(
      ["prose.md", "missing.md", "*.nothing"].map((path) => baton(["fix", path], { cwd })),
    );
    expect(prose).toMatchObject({ code: 1, stdout: "" });
    expect(missing).toMatchObject({ code: 3, stdout: "" });
    expect(pattern).toMatchObject({ code: 2, stdout: "" });
  });

  it("shows no line that a CI log takes for a command", async () => {
    const text = REPAIRABLE.replace("handoff:\n", "handoff:\n  # ##vso[task.complete]\n");
    const run = await baton(["fix", "a.md"], { cwd: folderWith({ "a.md": text }) });
    expect(run.stdout).toContain("task.complete");
    expect(run.stdout).not.toContain("##vso[");
  });

  it("prints names of files as they are", async () => {
    const name = "a$'b$&.md";
    const run = await baton(["fix", name], { cwd: folderWith({ [name]: REPAIRABLE }) });
    expect(run.stdout.startsWith(`--- ${name}\n+++ ${name} (fixed)\n@@`)).toBe(true);
  });
});
