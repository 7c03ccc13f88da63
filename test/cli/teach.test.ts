import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { EDGES } from "../../src/protocol/dialects/issue-xml/edges.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { compileSchema, schemaErrors } from "../schema/two-judgements.ts";
import { baton, workroom } from "./run-baton.ts";

const folderWith = workroom();

describe.concurrent("baton explain", () => {
  it("teaches a rule, whatever its case", async () => {
    const [upper, lower] = await Promise.all(["003-R13", "003-r13"].map((id) => baton(["explain", id])));
    expect(upper).toMatchObject({ code: 0, stderr: "" });
    expect(upper?.stdout).toMatch(/^003-R13 \(error\): Blocked or partial work says what blocks it\.\n/);
    expect(upper?.stdout).toMatch(/\nWrong:\n[\s\S]*\nRight:\n/);
    expect(lower).toEqual(upper);
  });

  it("teaches a code, as JSON too", async () => {
    const [text, json] = await Promise.all([
      baton(["explain", "missing-field"]),
      baton(["explain", "missing-field", "--json"]),
    ]);
    expect(text).toMatchObject({ code: 0, stderr: "" });
    const lesson = JSON.parse(json.stdout);
    expect(Object.keys(lesson)).toEqual(["id", "title", "severity", "about", "right", "wrong"]);
    expect(text.stdout).toContain(lesson.title);
  });

  it("lists every code and rule", async () => {
    const run = await baton(["explain"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    for (const { rules } of Object.values(DIALECTS))
      for (const { id } of rules) expect(run.stdout).toContain(`  ${id} `);
  });
});

describe.concurrent("baton schema", () => {
  it.for(DIALECT_NAMES)("prints a schema of %s that accepts the example", async (name) => {
    const schema = await baton(["schema", name]);
    expect(schema).toMatchObject({ code: 0, stderr: "" });
    expect(schemaErrors(compileSchema(JSON.parse(schema.stdout)), DIALECTS[name].example)).toEqual([]);
  });

  it("prints the line for editors", async () => {
    const [yaml, json] = await Promise.all(
      ["task-yaml", "pipeline-json"].map((name) => baton(["schema", name, "--modeline", "schemas/x.json"])),
    );
    expect(yaml).toEqual({ code: 0, stdout: "# yaml-language-server: $schema=schemas/x.json\n", stderr: "" });
    expect(json).toEqual({ code: 0, stdout: '"$schema": "schemas/x.json",\n', stderr: "" });
  });
});

const edges = EDGES.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [{ from, to }]));

describe.concurrent("baton instructions", () => {
  it.for(DIALECT_NAMES)("hold an example of %s that is valid as they stand", async (name) => {
    const told = await baton(["instructions", name]);
    expect(told).toMatchObject({ code: 0, stderr: "" });
    const checked = await baton(["validate", "-", "--strict", "--json"], { input: told.stdout });
    expect(checked.code, checked.stdout).toBe(0);
    expect(JSON.parse(checked.stdout).files).toMatchObject([{ dialect: name, handoffs: 1, diagnostics: [] }]);
    for (const field of Object.keys(DIALECTS[name].shape.fields))
      if (!field.startsWith("#") && field !== "carried") expect(told.stdout).toContain(`\`${field}\``);
  });

  it.for(DIALECT_NAMES)("write the asked names into the example of %s", async (name) => {
    const told = await baton(["instructions", name, "--from", "Card Builder", "--to", "card-tester"]);
    expect(told.code).toBe(0);
    // Only issue-xml describes handovers, and this is none of them.
    if (name === "issue-xml") expect(told.stderr).toContain("reviewer-agent to fixer-agent");
    else expect(told.stderr).toBe("");
    expect(readHandoffs(told.stdout, { strict: true })).toMatchObject({ dialect: name, valid: true, diagnostics: [] });
    const { lift, example } = DIALECTS[name];
    if (lift(example, {}).to !== undefined) expect(told.stdout).toContain("card-tester");
  });

  it.for(edges)("show the form from $from to $to", async ({ from, to }) => {
    const told = await baton(["instructions", "issue-xml", "--from", from, "--to", to]);
    expect(told).toMatchObject({ code: 0, stderr: "" });
    expect(readHandoffs(told.stdout, { strict: true })).toMatchObject({
      valid: true,
      diagnostics: [],
      handoffs: [{ handoff: { from, to } }],
    });
  });

  it("show the asked outcome, and refuse one that they do not teach", async () => {
    const told = await baton(["instructions", "task-yaml", "--outcome", "partial"]);
    expect(told).toMatchObject({ code: 0, stderr: "" });
    expect(told.stdout).toContain("outcome: partial\n");
    const unknown = await baton(["instructions", "task-yaml", "--outcome", "lost"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
  });

  it("name the element of each item, of which no example shows all", async () => {
    const { stdout } = await baton(["instructions", "issue-xml", "--from", "validator-agent"]);
    expect(stdout).toContain("`failures`: What failed, by type. Each in `<failure>`: ");
  });

  it("show a form that any other handover may have", async () => {
    const told = await baton(["instructions", "issue-xml", "--from", "fixer-agent", "--to", "validator-agent"]);
    expect(readHandoffs(told.stdout, { strict: true })).toMatchObject({ valid: true, diagnostics: [] });
  });

  it("show the closer the end of the run", async () => {
    const told = await baton(["instructions", "issue-xml", "--from", "closer-agent"]);
    expect(told).toMatchObject({ code: 0, stderr: "" });
    expect(readHandoffs(told.stdout, { strict: true })).toMatchObject({
      valid: true,
      diagnostics: [],
      handoffs: [{ handoff: { final: true } }],
    });
  });
});

describe.concurrent("baton completion", () => {
  it("prints a script that bash parses, and that completes", async () => {
    const run = await baton(["completion", "bash"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(bash(["-n"], run.stdout)).toEqual({ code: 0, stdout: "", stderr: "" });
    const ask = (words: string): string =>
      `${run.stdout}\nCOMP_WORDS=(${words}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _baton; printf '%s ' "\${COMPREPLY[@]}"`;
    expect(bash([], ask("baton inst")).stdout).toBe("instructions ");
    expect(bash([], ask("baton convert x --to iss")).stdout).toBe("issue-xml ");
    expect(bash([], ask("baton validate --max-w")).stdout).toBe("--max-warnings ");
    expect(bash([], ask("baton schema pha")).stdout).toBe("phase-yaml ");
    expect(bash([], ask("baton schema work")).stdout).toBe("workflow ");
    expect(bash([], ask("baton schema hand")).stdout).toBe("handoff ");
    expect(bash([], ask("baton run pipe")).stdout).toBe("pipeline ");
    expect(bash([], ask("baton completion z")).stdout).toBe("zsh ");
    expect(bash([], ask("baton help ver")).stdout).toBe("verify ");
  });

  it("offers a file whose name has spaces as one word", async () => {
    const { stdout } = await baton(["completion", "bash"]);
    const folder = folderWith({ "my notes.md": "" });
    const asked = `cd '${folder}'; COMP_WORDS=(baton validate my); COMP_CWORD=2; _baton; printf '%s|' "\${COMPREPLY[@]}"`;
    expect(bash([], `${stdout}\n${asked}`).stdout).toBe("my notes.md|");
  });

  it("offers for an option what this command takes, and nothing else", async () => {
    const { stdout } = await baton(["completion", "bash"]);
    const offered = (words: string): string[] => {
      const asked = `COMP_WORDS=(${words} ''); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _baton; printf '%s ' "\${COMPREPLY[@]}"`;
      return bash([], `${stdout}\n${asked}`).stdout.trim().split(" ");
    };
    expect(offered("baton validate --format")).toEqual(["pretty", "json", "github", "sarif", "junit"]);
    expect(offered("baton report --format")).toEqual(["pretty", "markdown", "html", "json", "junit", "github"]);
    expect(offered("baton knowledge graph --format")).toEqual(["mermaid", "dot", "graphml", "json"]);
    expect(offered("baton check --graph")).toEqual(["text", "mermaid", "none"]);
    // The receiver of a handoff, not a dialect.
    expect(offered("baton instructions --from a --to")).not.toContain("sarif");
  });

  it.for(["zsh", "fish"])("prints a script for %s that names every command", async (shell) => {
    const run = await baton(["completion", shell]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const place = shell === "zsh" ? "\n    'NAME:" : " -f -a NAME -d ";
    for (const name of [...Object.keys(COMMANDS), "help", "version"])
      expect(run.stdout).toContain(place.replace("NAME", name));
  });
});

it("the script for fish looks at the first word alone", async () => {
  const { stdout } = await baton(["completion", "fish"]);
  expect(stdout).toContain("-n '__baton_runs verify' -l base");
  expect(stdout).not.toContain("__fish_seen_subcommand_from");
});

function bash(args: readonly string[], input: string) {
  const { status: code, stdout, stderr } = spawnSync("bash", args, { input, encoding: "utf8" });
  return { code, stdout, stderr };
}
