import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONTEXT_SHARE, MODEL_FAMILIES } from "../../src/workflow/file/read-context.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { projectRoot } from "../architecture/source-files.ts";

/** The budget of an agent that is run so. */
function tokensFor(run: string, more: { readonly workflow?: string; readonly agent?: string } = {}): number | null {
  const text = `baton: 1
name: one
start: a
${more.workflow ?? ""}
agents:
  a:
    run: ${run}
    dialect: task-yaml
    routes: { done: end }
    ${more.agent ?? ""}
`;
  const { workflow, diagnostics } = readWorkflow(text, { path: "one.yaml", hash: "" });
  expect(diagnostics).toEqual([]);
  return workflow?.agents["a"]?.context?.tokens ?? null;
}

describe("the budget of a packet", () => {
  it.each([
    ["{ claude: {} }", 4_000],
    ["{ claude: { model: opus } }", 4_000],
    ["{ claude: { model: 'sonnet[1m]' } }", 20_000],
    ["{ claude: { model: claude-sonnet-4-5 } }", 4_000],
    ["{ claude: { model: claude-opus-5-5 } }", 20_000],
    ["{ codex: {} }", 5_440],
    ["{ codex: { model: openai/gpt-5.4 } }", 5_440],
    ["{ codex: { model: gpt-5.3-codex-spark } }", 2_560],
    ["{ codex: { model: GPT-4.1-mini } }", 20_000],
    ["{ acp: [gemini, --experimental-acp, --model, gemini-2.5-pro] }", 20_000],
    ["{ acp: [goose, acp] }", 4_000],
    ["{ process: [my-agent, --model=qwen2.5-coder] }", 640],
    ["{ process: [my-agent, --model, llama3] }", 500],
    ["{ process: [my-agent, --model] }", 4_000],
    ["{ process: [my-agent] }", 4_000],
  ])("of %s is %i tokens", (run, tokens) => {
    expect(tokensFor(run)).toBe(tokens);
  });

  it("of a model that is not known is the usual one, whoever runs it", () => {
    expect(tokensFor("{ claude: { model: my-own-model } }")).toBe(4_000);
    expect(tokensFor("{ codex: { model: another } }")).toBe(4_000);
  });

  it("is what the workflow says, and what the agent says before that", () => {
    const run = "{ claude: { model: 'opus[1m]' } }";
    expect(tokensFor(run, { workflow: "context: { tokens: 900 }" })).toBe(900);
    expect(tokensFor(run, { workflow: "context: { tokens: 900 }", agent: "context: { tokens: 700 }" })).toBe(700);
    expect(tokensFor(run, { workflow: "context: { complexity: easy }" })).toBe(20_000);
    expect(tokensFor(run, { workflow: "context: { tokens: 0 }" })).toBe(0);
    expect(tokensFor(run, { workflow: "context: { tokens: 900 }", agent: "context: off" })).toBeNull();
  });

  it("stands on the page of the format, family by family", () => {
    const page = readFileSync(join(projectRoot, "docs/spec/workflow.md"), "utf8");
    expect(page).toContain(`${CONTEXT_SHARE} % of the model's context window`);
    for (const window of new Set(MODEL_FAMILIES.map((family) => family.window)))
      expect(page).toContain(`| ${window.toLocaleString("en")} |`);
  });
});
