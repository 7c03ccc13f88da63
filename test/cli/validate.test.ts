import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { EXAMPLES, baton, sample, workroom } from "./run-baton.ts";

const folderWith = workroom();
const ALL = DIALECT_NAMES.length;
const examples = Object.fromEntries(Object.values(EXAMPLES).map(({ file, text }) => [file, text]));
/** Two values that the format itself supplies: two warnings, no error. */
const WARNED = sample("pipeline-json", { iteration: undefined, loop_required: undefined });
const BROKEN = sample("phase-yaml", { "handoff.status": "Complete", "handoff.from": "tester" });
const isRoot = process.getuid?.() === 0;

describe.concurrent("baton validate", () => {
  it("accepts the example of every dialect, each under its own name", async () => {
    const cwd = folderWith(examples);
    const run = await baton(["validate", "--json", "."], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const { files, summary } = JSON.parse(run.stdout);
    expect(summary).toEqual({ files: ALL, valid: ALL, invalid: 0, skipped: 0, documents: 0, errors: 0, warnings: 0 });
    expect(files).toEqual(
      DIALECT_NAMES.map((dialect) => ({
        path: EXAMPLES[dialect].file,
        dialect,
        valid: true,
        handoffs: 1,
        diagnostics: [],
      })).toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    );
  });

  it("prints exactly the documented shape of a finding", async () => {
    const cwd = folderWith({ "summary.md": BROKEN });
    const run = await baton(["validate", "--json", "summary.md"], { cwd });
    expect(run).toMatchObject({ code: 1, stderr: "" });
    const report = JSON.parse(run.stdout);
    expect(Object.keys(report)).toEqual(["files", "summary", "skipped", "documents"]);
    expect(Object.keys(report.summary)).toEqual([
      "files",
      "valid",
      "invalid",
      "skipped",
      "documents",
      "errors",
      "warnings",
    ]);
    expect(Object.keys(report.files[0])).toEqual(["path", "dialect", "valid", "handoffs", "diagnostics"]);
    const [unnamed, misspelt] = report.files[0].diagnostics;
    expect(Object.keys(unnamed)).toEqual(["code", "rule", "severity", "message", "range", "hint", "fix"]);
    expect(unnamed).toMatchObject({ code: "bad-format", rule: "002-R04", severity: "error", fix: null });
    const at = lineAndColumn(BROKEN, "tester\n");
    expect(unnamed.range.start).toEqual(at);
    expect(unnamed.range.end).toEqual({ ...at, column: at.column + 6, offset: at.offset + 6 });
    expect(misspelt).toMatchObject({ code: "not-allowed", rule: "002-R06", hint: "Did you mean complete?" });
    const { title, edits } = misspelt.fix;
    expect({ title, edits }).toEqual({
      title: "Write complete",
      edits: [{ range: misspelt.range, text: "complete" }],
    });
  });

  it("counts files without a handoff in folders as skipped, and leaves dependencies alone", async () => {
    const cwd = folderWith({
      ...examples,
      "notes/prose.md": "Nothing to see here.\n",
      "notes/data.json": '{ "name": "not a handoff" }\n',
      "picture.png": "no text of ours",
      "node_modules/x/task.md": sample("task-yaml", { outcome: "wrong" }),
      "deep/node_modules/task.md": sample("task-yaml", { outcome: "wrong" }),
    });
    const run = await baton(["validate", "--json", "."], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const { summary, skipped } = JSON.parse(run.stdout);
    expect(summary).toMatchObject({ files: ALL, valid: ALL, skipped: 2 });
    expect(skipped).toEqual(["notes/data.json", "notes/prose.md"]);
  });

  it("leaves the state of runs alone, unless it is named: prompts hold examples, and worktrees are others' work", async () => {
    const wrong = sample("task-yaml", { outcome: "wrong" });
    const cwd = folderWith({ ...examples, ".baton/worktrees/k3x9/task.md": wrong });
    expect(JSON.parse((await baton(["validate", "--json", "."], { cwd })).stdout).summary).toMatchObject({
      files: ALL,
    });
    for (const operand of [".baton", ".baton/worktrees/k3x9", ".baton/worktrees/*/task.md"])
      expect(await baton(["validate", operand], { cwd }), operand).toMatchObject({ code: 1, stderr: "" });
  });

  it.for([
    ["", "empty"],
    [" \n", "empty"],
    ["\u0000\u0001\u0002", "binary"],
    ["[]", "wrong-type"],
    ["Done!\n", "wrong-container"],
  ])("never skips a file that is called like a handoff: %j", async ([text = "", code]) => {
    const cwd = folderWith({ "deep/handoff-Empty.json": text, "deep/handoffs.json": text });
    for (const operand of [".", "deep", "**/*.json"]) {
      const run = await baton(["validate", "--json", operand], { cwd });
      expect(run, operand).toMatchObject({ code: 1, stderr: "" });
      const { files, skipped } = JSON.parse(run.stdout);
      expect(files).toMatchObject([{ path: "deep/handoff-Empty.json", valid: false, diagnostics: [{ code }] }]);
      expect(skipped).toEqual(["deep/handoffs.json"]);
    }
    expect(await baton(["fix", "."], { cwd })).toMatchObject({ code: 1 });
  });

  it("refuses a file that is named and holds no handoff, also when its folder is named too", async () => {
    const cwd = folderWith({ ...examples, "prose.md": "Nothing to see here.\n" });
    const run = await baton(["validate", "--json", ".", "./prose.md", "prose.md"], { cwd });
    expect(run).toMatchObject({ code: 1, stderr: "" });
    const { files, summary } = JSON.parse(run.stdout);
    expect(summary).toMatchObject({ files: ALL + 1, valid: ALL, invalid: 1, skipped: 0, errors: 1 });
    const refused = files.filter((file: { valid: boolean }) => !file.valid);
    expect(refused).toMatchObject([{ path: "prose.md", dialect: null, diagnostics: [{ code: "no-handoff" }] }]);
  });

  it("expands globs itself, and skips what they meet by chance", async () => {
    const cwd = folderWith({
      ...examples,
      "prose.md": "Nothing.\n",
      "node_modules/a/task.md": "## Handoff\n\noutcome: x\n",
    });
    const run = await baton(["validate", "--json", "**/*.md", "*.xml"], { cwd });
    expect(run.code).toBe(0);
    const { files, summary } = JSON.parse(run.stdout);
    expect(files.map((file: { path: string }) => file.path)).toEqual([
      "output.md",
      "summary.md",
      "task-7.md",
      "handoff.xml",
    ]);
    expect(summary).toMatchObject({ files: 4, skipped: 1 });
  });

  it("takes only files from a pattern", async () => {
    const cwd = folderWith(examples);
    symlinkSync("nowhere.md", join(cwd, "link.md"));
    if (process.platform !== "win32") execFileSync("mkfifo", [join(cwd, "pipe.md")]);
    const run = await baton(["validate", "--json", "*.md"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(run.stdout).summary).toMatchObject({ files: 3, valid: 3 });
  });

  it("does not pass over a handoff for a byte that is not UTF-8", async () => {
    const cwd = folderWith({});
    writeFileSync(join(cwd, "task.md"), Buffer.from("## Handoff\n\noutcome: completed\nnote: caf\xe9\n", "latin1"));
    writeFileSync(join(cwd, "menu.md"), Buffer.from("Caf\xe9\n", "latin1"));
    const run = await baton(["validate", "--json", "."], { cwd });
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      files: [{ path: "task.md", dialect: "task-yaml", valid: false, diagnostics: [{ code: "wrong-encoding" }] }],
      skipped: ["menu.md"],
    });
  });

  it("says that a pattern matches nothing, as wrong usage", async () => {
    const run = await baton(["validate", "*.md", "*.nothing"], { cwd: folderWith(examples) });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("Nothing matches *.nothing.");
  });

  it.for(["missing.md", "summary.md/inside.md"])("ends with 3 when %s cannot be read", async (path) => {
    const run = await baton(["validate", "summary.md", path], { cwd: folderWith(examples) });
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toContain(`${path} cannot be read`);
  });

  it.skipIf(isRoot)("ends with 3 when permission is denied", async () => {
    const cwd = folderWith({ ...examples, "shut/a.md": "x" });
    chmodSync(join(cwd, "summary.md"), 0);
    chmodSync(join(cwd, "shut"), 0);
    const runs = await Promise.all(["summary.md", "shut"].map((path) => baton(["validate", path], { cwd })));
    expect(runs).toMatchObject([
      { code: 3, stdout: "", stderr: expect.stringContaining("permission is denied") },
      { code: 3, stdout: "", stderr: expect.stringContaining("permission is denied") },
    ]);
  });

  it("reads standard input for -", async () => {
    const good = await baton(["validate", "-", "--json"], { input: EXAMPLES["issue-xml"].text });
    expect(good).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(good.stdout).files).toMatchObject([{ path: "<stdin>", dialect: "issue-xml", valid: true }]);
    const bad = await baton(["validate", "-"], { input: BROKEN });
    expect(bad).toMatchObject({ code: 1, stderr: "" });
    expect(bad.stdout).toContain("<stdin>:4:9  error  ");
    const empty = await baton(["validate", "-", "--json"]);
    expect(empty.code).toBe(1);
    expect(JSON.parse(empty.stdout).files[0].diagnostics).toMatchObject([{ code: "empty" }]);
  });

  it("counts warnings as errors when strict", async () => {
    const lenient = await baton(["validate", "-", "--json"], { input: WARNED });
    const strict = await baton(["validate", "-", "--json", "--strict"], { input: WARNED });
    expect([lenient.code, strict.code]).toEqual([0, 1]);
    expect(JSON.parse(lenient.stdout).summary).toMatchObject({ valid: 1, errors: 0, warnings: 2 });
    expect(JSON.parse(strict.stdout).summary).toMatchObject({ valid: 0, errors: 2, warnings: 0 });
  });

  it("allows as many warnings as it is told", async () => {
    const [two, one] = await Promise.all(
      ["2", "1"].map((most) => baton(["validate", "-", "--json", "--max-warnings", most], { input: WARNED })),
    );
    expect(two).toMatchObject({ code: 0, stderr: "" });
    expect(one).toMatchObject({ code: 1, stderr: "baton: 2 warnings are more than the 1 allowed.\n" });
    expect(one?.stdout).toBe(two?.stdout);
  });

  it("reads as the dialect it is told", async () => {
    const input = '{ "status": "PASS" }';
    const free = await baton(["validate", "-", "--json"], { input });
    expect(JSON.parse(free.stdout).files).toMatchObject([{ dialect: null, diagnostics: [{ code: "no-handoff" }] }]);
    const told = await baton(["validate", "-", "--json", "--dialect=pipeline-json"], { input });
    expect(told.code).toBe(1);
    const [file] = JSON.parse(told.stdout).files;
    expect(file.dialect).toBe("pipeline-json");
    expect(file.diagnostics).toContainEqual(expect.objectContaining({ code: "missing-field", rule: "000-R04" }));
  });

  it("refuses texts beyond the limit, which can be moved", async () => {
    const cwd = folderWith({ "long.md": `${"Prose without end.\n".repeat(60_000)}\n${EXAMPLES["task-yaml"].text}` });
    const [usual, raised, tiny] = await Promise.all([
      baton(["validate", "--json", "long.md"], { cwd }),
      baton(["validate", "--json", "--max-bytes", "2000000", "long.md"], { cwd }),
      baton(["validate", "--json", "--max-bytes", "10", "-"], { input: EXAMPLES["task-yaml"].text }),
    ]);
    expect([usual.code, raised.code, tiny.code]).toEqual([1, 0, 1]);
    for (const run of [usual, tiny])
      expect(JSON.parse(run.stdout).files[0].diagnostics).toMatchObject([{ code: "too-large" }]);
  });

  it("tells bytes that are no text from text", async () => {
    const cwd = folderWith({
      "utf16.md": Buffer.from(`\ufeff${EXAMPLES["task-yaml"].text}`, "utf16le"),
      "latin1.md": Buffer.from("## Handoff\n\noutcome: compl\xe9t\xe9\n", "latin1"),
      "binary.md": Uint8Array.from({ length: 300 }, (_, index) => index % 256),
    });
    const run = await baton(["validate", "--json", ...readdirSync(cwd).toSorted()], { cwd });
    expect(run.code).toBe(1);
    const files: { path: string; diagnostics: { code: string }[] }[] = JSON.parse(run.stdout).files;
    expect(files.map((file) => [file.path, ...file.diagnostics.map((diagnostic) => diagnostic.code)])).toEqual([
      ["binary.md", "binary"],
      ["latin1.md", "wrong-encoding"],
      ["utf16.md", "wrong-encoding"],
    ]);
  });

  it.for(["pretty", "json", "github", "sarif", "junit"])("prints %s to standard output alone", async (format) => {
    const run = await baton(["validate", "-", "--format", format], { input: BROKEN });
    expect(run).toMatchObject({ code: 1, stderr: "" });
    expect(run.stdout).toMatch(/\n$/);
    expect(run.stdout).toContain("002-R04");
    if (format === "json" || format === "sarif") expect(() => JSON.parse(run.stdout)).not.toThrow();
  });

  it("takes a name that begins with a hyphen after --", async () => {
    const cwd = folderWith({ "-task.md": EXAMPLES["task-yaml"].text, "[id].md": EXAMPLES["task-yaml"].text });
    const run = await baton(["validate", "--json", "--", "-task.md", "[id].md"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(run.stdout).summary).toMatchObject({ files: 2, valid: 2 });
  });
});

function lineAndColumn(text: string, part: string): { line: number; column: number; offset: number } {
  const offset = text.indexOf(part);
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1, offset };
}
