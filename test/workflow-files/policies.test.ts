import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../src/evidence/policy.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";

/** A workflow of one agent, with more keys of its own and of the agent. */
function read(more: string, ofAgent = "", name = "one") {
  const agent = `${name}: { run: { process: [x] }, dialect: task-yaml, routes: { done: end }${ofAgent} }`;
  const text = `baton: 1\nname: w\nstart: ${name}\n${more}agents: { ${agent} }\n`;
  const { workflow, diagnostics } = readWorkflow(text, { path: "workflow.yaml", hash: "the hash" });
  return {
    workflow,
    agent: workflow?.agents[name],
    told: diagnostics.map(({ message, hint }) => `${message} ${hint}`),
  };
}

describe("what a refuted claim leads to", () => {
  it("is one word for all kinds, or a word for each, and an agent's own goes before the workflow's", () => {
    const kinds = Object.keys(DEFAULT_POLICY);
    expect(read("verify: record\n").agent?.verify).toEqual(Object.fromEntries(kinds.map((kind) => [kind, "record"])));
    expect(read("verify: warn\n", ", verify: { file: refuse, default: record }").agent?.verify).toEqual(
      Object.fromEntries(kinds.map((kind) => [kind, kind === "file" ? "refuse" : "record"])),
    );
    expect(read("verify: warn\n", ", verify: { file: refuse }").agent?.verify).toEqual(
      Object.fromEntries(kinds.map((kind) => [kind, kind === "file" ? "refuse" : "warn"])),
    );
    expect(read("verify: off\n", ", verify: { file: warn }").agent?.verify).toEqual({
      ...DEFAULT_POLICY,
      file: "warn",
    });
    expect(read("", ", verify: off").agent?.verify).toBeNull();
  });

  it("is told to be wrong at the kind or at the word", () => {
    expect(read("verify: { fil: warn }\n").told).toEqual(["`fil` means nothing here. Did you mean file?"]);
    expect(read("verify: { file: maybe }\n").told[0]).toContain(
      "`verify.file` must be one of refuse, ask, warn, record.",
    );
    expect(read("verify: { default: maybe }\n").told[0]).toContain("`verify.default` must be one of");
  });
});

it.each([
  ["context: { tokens: 1.5 }\n", "", "`context.tokens` must be a whole number up to 200000."],
  ["context: { tokens: 200001 }\n", "", "`context.tokens` must be a whole number up to 200000."],
  ["gates: { lint: { timeout: 1m } }\n", ", gates: [lint]", "Gate `lint` has neither a `command` nor anything"],
  ["blocked: { two words: person }\n", "", "A reason is one word"],
  ["blocked: { unknown: { two words: person } }\n", "", "A domain is one word"],
])("nobody may write %s%s", (more, ofAgent, message) => {
  expect(read(more, ofAgent).told[0]).toContain(message);
});

it.each(["end", "Return", "NULL", "none", "Complete", "Orchestrator", "default"])(
  "an agent cannot be called %s, in whatever case: handoffs mean something else by it",
  (name) => {
    expect(read("", "", `"${name}"`).told.join("\n")).toContain(`An agent cannot be called \`${name}\``);
  },
);

it("a gate is the answer to what people call it", () => {
  const proves = (name: string) =>
    read(`gates: { ${name}: { command: [x] } }\n`, `, gates: [${name}]`).workflow?.gates[name]?.proves;
  expect([proves("Unit_Tests"), proves("typeCheck"), proves("E2E"), proves("Security")]).toEqual([
    ["tests", "unit"],
    ["typecheck"],
    ["e2e"],
    ["security"],
  ]);
});

describe("a file that handoffs are written to", () => {
  const same = "Tasks that are worked on at once would take each other's handoff";

  it("has a name for each task where several are worked on at once", () => {
    expect(read("parallel: 2\n", ", file: out.md").told[0]).toContain(same);
    expect(read("parallel: 2\n", ", file: 'out-{iteration}.md'").told[0]).toContain(same);
    expect(read("parallel: 2\n", ", file: 'out/{task}.md'").told).toEqual([]);
  });

  it("may be one for all tasks that follow each other", () => {
    expect(read("", ", file: out.md").told).toEqual([]);
  });
});

it("a workflow has no more tasks than its budget has steps: it could not but fail", () => {
  const more = (steps: number) => `budget: { steps: ${steps} }\ntasks: [{ id: a }, { id: b }]\n`;
  expect(read(more(2)).told).toEqual([]);
  expect(read(more(1)).told).toEqual([
    "2 tasks take at least as many steps, and `budget.steps` allows 1. Raise it, so that there is room for retries, too.",
  ]);
});
