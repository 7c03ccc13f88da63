// Five agents, each with a dialect of its own, that do the same small piece of work and keep their prompts.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const task = process.env["BATON_TASK"] ?? "";
const me = process.env["BATON_AGENT"] ?? "";
mkdirSync(".prompts", { recursive: true });
writeFileSync(`.prompts/${task}.md`, readFileSync(0, "utf8"));

const path = `docs/${task}.md`;
mkdirSync("docs", { recursive: true });
writeFileSync(path, `# ${task}\n`);
execFileSync("git", ["add", "--", path]);
execFileSync("git", ["commit", "--quiet", "--message", `Write ${path}`]);

/** @param {string} language @param {string} text */
function fenced(language, text) {
  console.log(`\`\`\`${language}\n${text}\n\`\`\``);
}

/** @type {Record<string, () => void>} */
const AGENTS = {
  architect() {
    const context = "Prices are kept in cents. Start with docs/plan.md.\nDo not round twice.";
    const output = {
      phase: "architecture",
      status: "complete",
      summary: "Planned the cart as one module that counts in cents",
      files_modified: [path],
      artifacts: [],
      verification: {},
      handoff: { next_phase: "implementation", next_agent: "Builder", context, blockers: [] },
    };
    fenced("json", JSON.stringify(output, null, 2));
  },
  Builder() {
    const handoff = {
      from_agent: me,
      to_agent: "COMPLETE",
      timestamp: new Date().toISOString(),
      status: "PASS",
      iteration: 1,
      loop_required: false,
      loop_target: null,
      loop_reason: null,
      artifacts: [{ type: "source_file", path, purpose: "The cart", priority: "high" }],
      context: {
        design_decisions: ["One cart for each session"],
        known_limitations: ["One currency only"],
        assumptions: ["Prices are known"],
      },
      test_requirements: { coverage: 90, critical_paths: ["Adding up"], edge_cases_to_test: ["An empty cart"] },
      validation: { command: "true", expected_result: "passes", checklist: ["done"] },
    };
    fenced("json", JSON.stringify(handoff, null, 2));
  },
  "test-agent"() {
    fenced(
      "yaml",
      `handoff:
  phase: Testing
  from: "@${me}"
  to: "None"
  status: complete
  timestamp: "${new Date().toISOString()}"
  metrics:
    scenarios_written: 4
  context:
    project_type: "Shop"`,
    );
  },
  explorer() {
    console.log("## Handoff\n");
    fenced(
      "yaml",
      `outcome: completed
files_created:
  - path: ${path}
    purpose: What was seen
    lines: 1-1
patterns_discovered:
  - pattern: Sums are made in cents
    location: docs/build.md:1
    applies_to: [cart]
gotchas:
  - issue: Rounding twice loses a cent
    discovered_in: docs/build.md
    mitigation: Round at the end
    severity: high
dependencies_for_next:
  - file: docs/build.md
    reason: It shows the order
open_questions:
  - question: Which currency comes next?
    context: Only one is there
    recommendation: The franc
    blocking: false
suggested_next_steps:
  - step: Add a second currency
    priority: low
    depends_on: [look]`,
    );
  },
  "writer-agent"() {
    console.log(`<handoff>
  <from>${me}</from>
  <to>orchestrator</to>
  <timestamp>${new Date().toISOString()}</timestamp>
  <issue_number>7</issue_number>
  <status>success</status>
  <summary>Wrote ${path}</summary>
  <data><note>It is short</note></data>
</handoff>`);
  },
};

AGENTS[me]?.();
