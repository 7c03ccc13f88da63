import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { jsonSchemaOf } from "../../src/protocol/json-schema.ts";
import type { BuiltinDialect } from "../../src/protocol/handoff.ts";

/** A repository as teams have them, and what a scan has to find in it. */
interface Layout {
  readonly files: Readonly<Record<string, string>>;
  /** The files with a handoff of their own, and whether it is valid. */
  readonly handoffs: Readonly<Record<string, boolean>>;
  readonly documents: Readonly<Record<string, string>>;
}

const block = (name: BuiltinDialect): string => DIALECTS[name].print(DIALECTS[name].example);
const fence = (language: string, content: string): string => `\`\`\`${language}\n${content.trimEnd()}\n\`\`\`\n`;
const PIPELINE = block("pipeline-json");
const ISSUE = block("issue-xml");
const PHASE = block("phase-yaml");
const TASK = block("task-yaml");
const OUTPUT = block("output-json");
const OUTPUT_FILE = `# Redeem gift cards\n\nDone as planned.\n\n---\n\n## Metadata\n\n${fence("json", OUTPUT)}`;
const TASK_FILE = `# Task 7: Redeem gift cards\n\n## Objective\n\nCards can be redeemed.\n\n## Handoff\n\n${fence("yaml", TASK)}`;
const prompt = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: Does the work of the ${name}\ntools: Read, Write\n---\n\n${body}`;

export const LAYOUTS: Readonly<Record<string, Layout>> = {
  "skills with sample reports": {
    files: {
      "skills/testing/SKILL.md": prompt(
        "testing",
        `# Testing\n\n## When the phase is COMPLETE\n\nNext agent, artifacts and metrics go into the report.\n\n${fence("markdown", `## TESTING COMPLETE\n\nTests passed: 25/25\n\n**Next Agent:** None\n\n~~~yaml\n${PHASE}~~~`)}\n## Rules\n\nStay honest.\n`,
      ),
      "skills/writing/SKILL.md": prompt(
        "writing",
        `## What to do when BLOCKED\n\nAsk. The next agent is the one that asked.\n`,
      ),
      "skills/writing/reference.md": `# Writing\n\n## DRAFT COMPLETE\n\nThe draft is complete when nobody asks.\n`,
      "reports/testing.md": `# Gift cards\n\n## TESTING COMPLETE\n\nTests passed: 25/25\n\n**Next Agent:** @reviewer\n`,
    },
    handoffs: { "reports/testing.md": true },
    documents: { "skills/testing/SKILL.md": "prompt", "skills/writing/SKILL.md": "prompt" },
  },
  "prompts of agents": {
    files: {
      ".claude/agents/tester.md": prompt(
        "tester",
        `You test.\n\n## Output\n\n${fence("yaml", PHASE.replace(/"[^"]*"/, '"[phase]"'))}\nNever leave the fence out.\n`,
      ),
      ".claude/agents/reviewer.md": prompt("reviewer", `Answer with:\n\n${fence("xml", ISSUE)}\nand nothing else.\n`),
      "agents/builder.md": `# Builder\n\nYou are a builder of backends.\n\n${fence("json", PIPELINE.replace(/"PASS[A-Z_]*"/, '"PASS | FAIL"'))}\n## Rules\n\nNone.\n`,
      ".claude/agents/closing.md": prompt("closing", `This prompt ends with what it was called for.\n\n${ISSUE}\n`),
      "handoff-BackendBuilder.json": PIPELINE,
    },
    handoffs: { "handoff-BackendBuilder.json": true, ".claude/agents/closing.md": true },
    documents: {
      ".claude/agents/tester.md": "prompt",
      ".claude/agents/reviewer.md": "prompt",
      "agents/builder.md": "prompt",
    },
  },
  "plans with headings that sound final": {
    files: {
      "docs/plans/2026-03-01-cards.md": `# Plan\n\n## Phase 1: Schema - COMPLETE\n\n- [x] tables\n\n## Phase 2: API - BLOCKED\n\nWaits for keys.\n`,
      "docs/plans/roadmap.md": `# Roadmap\n\n| phase | next agent |\n|---|---|\n| one | builder |\n\nNext agent, then artifacts.\n`,
      "docs/plans/tasks/task-007.md": TASK_FILE,
      "docs/plans/tasks/task-008.md": TASK_FILE.replace("outcome: completed", "outcome: finished"),
    },
    handoffs: { "docs/plans/tasks/task-007.md": true, "docs/plans/tasks/task-008.md": false },
    documents: {},
  },
  "documentation of a format": {
    files: {
      "docs/handoff-protocol.md": `# Handoff Protocol\n\n## Structure\n\n${fence("xml", ISSUE)}\n## Builder to reviewer\n\n${fence("xml", ISSUE)}\n## Status codes\n\nFive.\n`,
      "docs/agent-handoffs.md": `# Agents\n\n## Example Handoffs\n\n### Architecture to implementation\n\n${fence("json", OUTPUT)}\n### Blocked\n\n${fence("json", OUTPUT)}\n## Related\n\nNothing.\n`,
      "README.md": `# Tools\n\nEach agent ends like this:\n\n${fence("yaml", PHASE)}\n## Licence\n\nMIT\n`,
      "docs/usage.mdx": `# Usage\n\nFor example:\n\n${fence("json", PIPELINE)}\nThat is all.\n`,
      "out/review.md": OUTPUT_FILE,
    },
    handoffs: { "out/review.md": true },
    documents: {
      "docs/handoff-protocol.md": "samples",
      "docs/agent-handoffs.md": "samples",
      "README.md": "prompt",
      "docs/usage.mdx": "samples",
    },
  },
  "generated outputs": {
    files: {
      ".claude/.output/agents/2026-03-09-cards/backend-developer-implementation.md": OUTPUT_FILE,
      ".claude/.output/agents/2026-03-09-cards/backend-tester-plan.md": OUTPUT_FILE.replace(/\n *"agent":[^\n]*/, ""),
      ".claude/.output/agents/2026-03-09-cards/discovery.md": "# Discovery\n\nThree modules.\n",
      "reports/coverage/index.html": "<html><body>96 %</body></html>\n",
      "reports/junit.xml": '<testsuite name="cards" tests="1"><testcase name="adds"/></testsuite>\n',
      "reports/state.json": '{ "status": "done", "steps": [{ "phase": "testing", "summary": "All pass" }] }\n',
    },
    handoffs: {
      ".claude/.output/agents/2026-03-09-cards/backend-developer-implementation.md": true,
      ".claude/.output/agents/2026-03-09-cards/backend-tester-plan.md": false,
    },
    documents: {},
  },
  "schemas and settings": {
    files: {
      "schemas/output.schema.json": JSON.stringify(jsonSchemaOf("output-json"), null, 2),
      "schemas/handoff-schema.json": JSON.stringify(jsonSchemaOf("pipeline-json"), null, 2),
      "schemas/phase.yaml": "type: object\nproperties:\n  handoff:\n    type: object\n",
      "docs/fields.md": `# Fields\n\n${fence("json", JSON.stringify(jsonSchemaOf("output-json"), null, 2))}`,
      "config/agents.yaml": "handoff:\n  enabled: true\n  folder: out\n",
      "config/game.yaml": "outcome: win\nodds: 0.3\n",
      "handoffs/last.json": PIPELINE,
    },
    handoffs: { "handoffs/last.json": true },
    documents: {
      "schemas/output.schema.json": "schema",
      "schemas/handoff-schema.json": "schema",
      "schemas/phase.yaml": "schema",
    },
  },
  templates: {
    files: {
      "templates/task.md": `# Task [ID]: [Name]\n\n## Handoff\n\n${fence("yaml", "outcome: [completed | partial | failed | blocked]\nfiles_created:\n  - path: [path]\n    purpose: [why]\n    lines: [N-M]\n")}`,
      "templates/handoff.json":
        '{\n  "from_agent": "{agent}",\n  "to_agent": "{next}",\n  "timestamp": "YYYY-MM-DDTHH:MM:SSZ",\n  "status": "PASS|FAIL"\n}\n',
      "work/summary.md": `# Done\n\n${fence("yaml", "handoff:\n  phase: [phase]\n  from: [agent]\n  to: [agent]\n  status: [complete | failed]\n")}`,
      "work/real.md": `# Done\n\n${fence("yaml", PHASE.replace(/status: .*/, "status: [complete | failed]"))}`,
    },
    handoffs: { "work/real.md": false },
    documents: { "templates/task.md": "prompt", "templates/handoff.json": "template", "work/summary.md": "template" },
  },
  "notes in prose": {
    files: {
      "notes/monday.md": "# Monday\n\n## Handoff\n\nI stopped at the parser. Watch out for tabs.\n",
      "notes/tuesday.md": "# Tuesday\n\n## Handoff\n\n- the tests run\n- outcome: unclear\n",
      "notes/wednesday.md": `# Wednesday\n\n## Handoff\n\n${TASK}`,
      "notes/thursday.md": "# Thursday\n\nNothing to hand over.\n",
    },
    handoffs: { "notes/wednesday.md": true },
    documents: { "notes/monday.md": "notes", "notes/tuesday.md": "notes" },
  },
  "unusual names": {
    files: {
      HANDOFF: PHASE,
      "out/agent.log": `12:00 started\n\n${fence("yaml", PHASE.replace(/phase: .*/, "phase: Wondering"))}`,
      "out/page.mdx": OUTPUT_FILE,
      "out/task.done": "done\n",
      "src/format.ts": `export const sample = \`${PHASE}\`;\n`,
      LICENSE: "MIT\n",
      "logo.png": "\u0089PNG\u0000\u0000",
    },
    handoffs: { HANDOFF: true, "out/agent.log": false, "out/page.mdx": true },
    documents: {},
  },
  "handoffs that stand oddly": {
    files: {
      "a/commented.md": `# Report\n\n<!--\n${fence("yaml", PHASE)}-->\n\nNothing else.\n`,
      "a/quoted.md": `The tester wrote:\n\n${fence("yaml", PHASE).replaceAll(/^/gm, "> ").trimEnd()}\n`,
      "a/bare.md": `# Report\n\nAll is done.\n\n${OUTPUT}`,
      "a/contradiction.md": `${fence("yaml", PHASE)}\n${fence("json", PIPELINE.replace(/"status": "[A-Z_]+"/, '"status": "FAIL"'))}`,
      "a/large.md": `# Log\n\n${"words and words\n".repeat(90_000)}\n${fence("yaml", PHASE)}`,
      "a/huge-prose.md": "words and words\n".repeat(90_000),
    },
    handoffs: {
      "a/quoted.md": true,
      "a/bare.md": false,
      "a/contradiction.md": true,
      "a/large.md": false,
    },
    documents: { "a/commented.md": "comment" },
  },
};
