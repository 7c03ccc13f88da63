import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { compileSchema, schemaErrors } from "../schema/two-judgements.ts";
import { EXAMPLES, baton, sample, workroom } from "./run-baton.ts";

const folderWith = workroom();
const WARNED = sample("pipeline-json", { iteration: undefined });
const BROKEN = sample("pipeline-json", { status: "passed" });
const printedSchema = baton(["schema", "handoff"]);

describe.concurrent("baton read", () => {
  it.for(DIALECT_NAMES)("prints a canonical handoff of %s that the printed schema accepts", async (name) => {
    const { file, text } = EXAMPLES[name];
    const run = await baton(["read", "--json", file], { cwd: folderWith({ [file]: text }) });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const handoff = JSON.parse(run.stdout);
    expect(handoff.dialect).toBe(name);
    expect(handoff).toEqual(JSON.parse(JSON.stringify(readHandoffs(text).handoffs[0]?.handoff)));
    expect(schemaErrors(compileSchema(JSON.parse((await printedSchema).stdout)), handoff)).toEqual([]);
  });

  it("prints several handoffs as a list", async () => {
    const input = `${EXAMPLES["issue-xml"].text}\nand then\n\n${EXAMPLES["issue-xml"].text}`;
    const run = await baton(["read", "--json", "-"], { input });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject([{ dialect: "issue-xml" }, { dialect: "issue-xml" }]);
  });

  it("prints a short text for people", async () => {
    const run = await baton(["read", "-"], { input: EXAMPLES["task-yaml"].text });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/^handoff \(task-yaml\)\n {2}task: \{"id":"7","name":"Cards"\}\n/);
  });

  it("tells warnings beside the data, and keeps the data clean", async () => {
    const run = await baton(["read", "--json", "-"], { input: WARNED });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ dialect: "pipeline-json", iteration: 1 });
    expect(run.stderr).toContain("000-R08 defaulted");
  });

  it.for([
    { what: "a handoff with an error", args: ["-"], input: BROKEN, says: "000-R07" },
    { what: "prose", args: ["-"], input: "Nothing.", says: "no-handoff" },
    { what: "too much text", args: ["-", "--max-bytes", "9"], input: BROKEN, says: "too-large" },
    { what: "another dialect", args: ["-", "--dialect", "issue-xml"], input: WARNED, says: "issue-xml" },
  ])("prints nothing of $what", async ({ args, input, says }) => {
    const run = await baton(["read", "--json", ...args], { input });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(says);
  });

  it("ends with 3 when the file is not there or is a folder", async () => {
    const cwd = folderWith({ "inner/x.md": "x" });
    const runs = await Promise.all(["missing.md", "inner"].map((path) => baton(["read", path], { cwd })));
    expect(runs).toMatchObject([
      { code: 3, stdout: "" },
      { code: 3, stdout: "" },
    ]);
  });
});

const pairs = DIALECT_NAMES.flatMap((from) => DIALECT_NAMES.filter((to) => to !== from).map((to) => ({ from, to })));

describe.concurrent("baton convert", () => {
  it("writes a task for programs that speak A2A", async () => {
    const run = await baton(["convert", "-", "--to", "a2a"], { input: '{"status":"PASS"}' });
    expect(run.code).not.toBe(0);
    const source = JSON.stringify(DIALECTS["pipeline-json"].example);
    const told = await baton(["convert", "-", "--to", "a2a"], { input: source });
    expect(told).toMatchObject({ code: 0, stderr: expect.stringContaining("[filled]") });
    expect(JSON.parse(told.stdout)).toMatchObject({ status: { state: "TASK_STATE_COMPLETED" } });
  });

  it("tells that of several handoffs only the last will count", async () => {
    const input = `${EXAMPLES["issue-xml"].text}\nand then\n\n${EXAMPLES["issue-xml"].text}`;
    const [task, xml] = await Promise.all(
      ["task-yaml", "issue-xml"].map((to) => baton(["convert", "-", "--to", to], { input })),
    );
    expect(task?.stderr).toContain("The text holds 2 handoffs, and of several in task-yaml only the last one counts.");
    expect(xml).toMatchObject({ code: 0, stderr: "" });
  });

  it.for(pairs)("writes $from as $to, valid and with every loss told", async ({ from, to }) => {
    const { file, text } = EXAMPLES[from];
    const cwd = folderWith({ [file]: text });
    const run = await baton(["convert", file, "--to", to, "--set", "issue=71,now=2026-03-09T15:00:00Z"], { cwd });
    expect(run.code, run.stderr).toBe(0);
    expect(readHandoffs(run.stdout)).toMatchObject({ dialect: to, valid: true, handoffs: [{ dialect: to }] });
    expect(run.stderr).toMatch(/^(?:(?:warning|info): .+ \[(?:loss|carried|filled|unused)\]\n)+$/);
  });

  it("gives text and losses together as JSON", async () => {
    const { text } = EXAMPLES["pipeline-json"];
    const args = ["convert", "-", "--to", "phase-yaml"];
    const [plain, json] = await Promise.all([
      baton(args, { input: text }),
      baton([...args, "--json"], { input: text }),
    ]);
    expect(json).toMatchObject({ code: 0, stderr: "" });
    const result = JSON.parse(json.stdout);
    expect(Object.keys(result)).toEqual(["text", "dialect", "diagnostics"]);
    expect(result).toMatchObject({ text: plain.stdout, dialect: "phase-yaml" });
    const told = result.diagnostics.map(
      ({ severity, message, code }: Record<string, string>) => `${severity}: ${message} [${code}]\n`,
    );
    expect(told.join("")).toBe(plain.stderr);
    expect(Object.keys(result.diagnostics[0])).toEqual(["code", "rule", "severity", "message", "range", "hint", "fix"]);
  });

  it("leaves out what has no field when told not to carry", async () => {
    const input = EXAMPLES["task-yaml"].text;
    const run = await baton(["convert", "-", "--to", "phase-yaml", "--no-carry"], { input });
    expect(run.code).toBe(0);
    expect(run.stdout).not.toContain("carried");
    expect(run.stderr).toContain("warning: `knowledge.gotchas` has no field in phase-yaml. [loss]");
  });

  it("says what the target still demands, and how to give it", async () => {
    const run = await baton(["convert", "-", "--to", "issue-xml"], { input: EXAMPLES["task-yaml"].text });
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("<handoff>");
    expect(run.stderr).toContain("--set issue=N. [001-R06]");
  });

  it.for([
    { to: "task-yaml", set: "issue=zz", why: "issue number" },
    { to: "pipeline-json", set: "from=somebody", why: "author" },
  ])("says that --set $set was of no use for $to", async ({ to, set, why }) => {
    const input = EXAMPLES["issue-xml"].text;
    const [plain, json, without] = await Promise.all([
      baton(["convert", "-", "--to", to, "--set", set], { input }),
      baton(["convert", "-", "--to", to, "--set", set, "--json"], { input }),
      baton(["convert", "-", "--to", to], { input }),
    ]);
    const warning = `warning: --set ${set} was of no use: the source states its ${why} itself, or the target has no field for it. [unused]\n`;
    expect(plain).toEqual({ ...without, stderr: without.stderr + warning });
    expect(json.stderr).toBe(warning);
    expect((await baton(["explain", "unused"])).stdout).toContain("was of no use");
  });

  it("says nothing of a --set that was used, also when it gives what would have been filled in", async () => {
    const input = EXAMPLES["task-yaml"].text;
    const set = "issue=71,to=orchestrator,from=builder";
    const run = await baton(["convert", "-", "--to", "issue-xml", "--set", set], { input });
    expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining("of no use") });
  });

  it("names what differs inside of a long part", async () => {
    const issues = ["critical", "high"].map((severity, index) => ({
      id: `I-${index}`,
      severity,
      category: "bug",
      description: `${"The total is rounded twice and nobody has noticed it. ".repeat(2)}${index}`,
      location: "src/total.ts:12",
      remediation: "Round it once.",
      status: "open",
    }));
    const input = sample("pipeline-json", { status: "PASS_WITH_FIXES", issues });
    const run = await baton(["convert", "-", "--to", "issue-xml", "--set", "issue=71"], { input });
    expect(run.stderr).toContain('`findings.issues[1].severity` reads as "important" instead of "high"');
    expect(run.stderr).not.toMatch(/reads as (.+) instead of \1[ ,]/);
  });

  it("keeps its own dialect as it is", async () => {
    const run = await baton(["convert", "-", "--to", "issue-xml"], { input: EXAMPLES["issue-xml"].text });
    expect(run).toEqual({ code: 0, stdout: EXAMPLES["issue-xml"].text, stderr: "" });
  });

  it("converts nothing that is not valid", async () => {
    const run = await baton(["convert", "-", "--to", "task-yaml"], { input: BROKEN });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("000-R07");
  });
});
