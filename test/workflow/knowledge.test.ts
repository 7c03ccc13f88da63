import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPacket } from "../../src/knowledge/build-packet.ts";
import { learnFacts } from "../../src/knowledge/learn-facts.ts";
import { renderPacket } from "../../src/knowledge/render-packet.ts";
import type { KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { migrateNotes } from "../../src/protocol/migrate-notes.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { learnedBatchOf, acceptedHandoff } from "../../src/runtime/learn-from-events.ts";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { type Journal, journalOf } from "../../src/views/journal.ts";
import { renderJournal } from "../../src/views/render-journal.ts";
import type { TaskDefinition } from "../../src/workflow/definition.ts";
import { HandDrivenRun, buildAgent, buildWorkflow } from "./build-workflow.ts";

/** As an agent writes it, read as any handoff is. */
const TEXT = `## Handoff

\`\`\`yaml
outcome: completed
files_created:
  - path: src/auth/jwt.ts
    purpose: Signs and checks tokens
    lines: 1-40
files_modified:
  - path: src/routes.ts
    lines: 10-12
    change_type: modify
    description: The login route
patterns_discovered:
  - pattern: Tokens are checked in one place
    location: src/auth/jwt.ts:10-20
    applies_to: [auth]
gotchas:
  - issue: A clock that is late refuses fresh tokens
    discovered_in: src/auth/jwt.ts
    mitigation: Allow 30 seconds
    severity: high
  - issue: Hashing is slow
    discovered_in: src/auth/jwt.ts
    mitigation: Cache the key
    severity: medium
  - issue: The names are long
    discovered_in: src/auth/jwt.ts
    mitigation: Live with it
    severity: low
open_questions:
  - question: Which issuer signs?
    context: Two are in use
    recommendation: The new one
    blocking: true
  - question: Which colour?
    context: None
    recommendation: Blue
    blocking: false
dependencies_for_next:
  - file: src/auth/jwt.ts
    reason: Routes call it
\`\`\`
`;

const task = (id: string, name: string, dependsOn: readonly string[] = []): TaskDefinition => ({
  id,
  name,
  priority: "medium",
  dependsOn,
  start: null,
  brief: "",
});

function readHandoff(text: string): Handoff {
  const handoff = readHandoffs(text, { dialect: "task-yaml" }).handoffs[0]?.handoff;
  if (handoff === undefined || handoff === null) throw new Error("the handoff of this test is not readable");
  return handoff;
}

/** A run of two tasks whose first one has handed over. */
function handOver(handoff: Handoff): HandDrivenRun {
  const tasks = [task("task-1", "Tokens"), task("task-2", "Routes", ["task-1"])];
  return new HandDrivenRun(buildWorkflow([buildAgent("builder")]), { tasks }).handIn(handoff, "task-1");
}

async function learnFrom(knowledge: KnowledgeStore, run: HandDrivenRun): Promise<void> {
  const state = run.state.tasks["task-1"];
  if (state === undefined) throw new Error("there is no task-1");
  const taught = acceptedHandoff(run.last("handoff-accepted"), run.history, run.state);
  const facts = learnFacts(taught.handoff).map((fact) => ({ ...fact, citation: null }));
  await knowledge.learn(learnedBatchOf("run", state, taught, facts, 1_000));
}

async function journalFrom(knowledge: KnowledgeStore, run: HandDrivenRun): Promise<Journal> {
  return journalOf({
    project: "shop",
    runs: [{ number: 1, run: "run", workflow: "test", status: "running", started_at: 0, updated_at: 0 }],
    workflow: run.workflow,
    state: run.state,
    events: run.history.map((event) => ({ at: 0, event })),
    known: await knowledge.tasks({ max: 10 }),
    facts: (await knowledge.search({ max: 100 })).map(({ fact }) => fact),
    files: await knowledge.files({ max: 100 }),
  });
}

describe("what a handoff of 003 teaches", () => {
  const room = mkdtempSync(join(tmpdir(), "baton-rules-of-knowledge-"));
  let knowledge: KnowledgeStore;
  const run = handOver(readHandoff(TEXT));
  beforeAll(async () => {
    knowledge = openKnowledgeStore(join(room, "knowledge.db"));
    await learnFrom(knowledge, run);
  });
  afterAll(async () => {
    await knowledge.close();
    rmSync(room, { recursive: true, force: true });
  });

  it("003-R22: every created or modified file stands in the journal's context map", async () => {
    const { context_map } = await journalFrom(knowledge, run);
    expect(context_map).toMatchObject([
      { path: "src/auth/jwt.ts", lines: "1-40", change: "created", notes: "Signs and checks tokens", task: "task-1" },
      { path: "src/routes.ts", lines: "10-12", change: "modify", notes: "The login route", task: "task-1" },
    ]);
    expect(renderJournal(await journalFrom(knowledge, run))).toContain(
      "| jwt.ts | src/auth/jwt.ts:1-40 | created: Signs and checks tokens | task-1 |",
    );
  });

  it("003-R23: every pattern and gotcha is a node, linked to the node of its task", async () => {
    const { nodes, edges } = await knowledge.neighbours("task:run/task-1", 1, 100);
    const learned = nodes.filter(({ id }) => /^fact:(?:pattern|gotcha)-/.test(id));
    expect(learned.map(({ label }) => label).sort()).toEqual([
      "A clock that is late refuses fresh tokens",
      "Hashing is slow",
      "The names are long",
      "Tokens are checked in one place",
    ]);
    for (const { id } of learned) expect(edges).toContainEqual({ from: id, to: "task:run/task-1", as: "said in" });
  });

  it("003-R24: gotchas of high severity, and only these, stand among the warnings of the journal", async () => {
    const journal = await journalFrom(knowledge, run);
    expect(journal.learned.gotchas).toMatchObject([
      {
        text: "A clock that is late refuses fresh tokens",
        detail: "Allow 30 seconds",
        severity: "high",
        task: "task-1",
      },
    ]);
    const [, warnings = ""] = renderJournal(journal).split("### Gotchas & Warnings");
    expect(warnings).toContain("| A clock that is late refuses fresh tokens | Allow 30 seconds | high |");
    expect(warnings).not.toContain("Hashing is slow");
  });

  it("003-R25: a blocker is active, with the tasks it holds up, until its task is done", async () => {
    const blockers = [{ description: "No key", impact: "Nobody logs in", resolution: "Ask ada", blocks: ["task-2"] }];
    const workflow = buildWorkflow([buildAgent("builder")], { parallel: 1 });
    const blocked = new HandDrivenRun(workflow, { tasks: [task("task-1", "Tokens"), task("task-2", "Routes")] });
    blocked.handIn({ outcome: "in-progress", blockers }, "task-1");
    const journal = await journalFrom(knowledge, blocked);
    expect(journal.blockers).toEqual([
      { blocker: "No key", impact: "Nobody logs in", resolution: "Ask ada", task: "task-1", blocks: ["task-2"] },
    ]);
    expect(journal.tasks).toMatchObject([{ id: "task-1" }, { id: "task-2", status: "blocked" }]);
    expect(renderJournal(journal)).toContain("| No key | Nobody logs in | Ask ada | task-1 | task-2 |");
  });
});

describe("what the next task is given", () => {
  const handoff = readHandoff(TEXT);
  const source = { run: "run", task: "task-1", agent: "builder", handoff: "1a2b3c4d5e", fact: null };
  const packet = buildPacket({
    predecessors: [{ task: "task-1", name: "Tokens", handoff, source }],
    issues: [],
    fields: [],
    facts: [],
    places: new Map(),
    complexity: "normal",
    layout: "task-yaml",
    budget: 4_000,
  });

  it("003-R26: files to read, all patterns, gotchas of high and medium severity, questions that block", () => {
    const texts = (title: string): string[] =>
      packet.sections
        .filter((section) => section.title === title)
        .flatMap(({ lines }) => lines.map(({ text }) => text));
    expect(texts("Files to Review")).toEqual(["src/auth/jwt.ts"]);
    expect(texts("Patterns to Follow")).toEqual(["Tokens are checked in one place"]);
    expect(texts("Warnings")).toEqual(["A clock that is late refuses fresh tokens", "Hashing is slow"]);
    expect(texts("Blocking Questions")).toEqual(["Which issuer signs?"]);
  });

  it("003-R27: in the Markdown of 003, each line with its source", () => {
    const from = "[task-1, builder, 1a2b3c4d]";
    const lines = renderPacket(packet).split("\n");
    expect(lines[0]).toBe("## From Task task-1: Tokens");
    const at = lines.indexOf("### Files to Review");
    expect(lines.slice(at, at + 5)).toEqual([
      "### Files to Review",
      "",
      "| File | Reason |",
      "|------|--------|",
      `| src/auth/jwt.ts | Routes call it ${from} |`,
    ]);
    expect(lines).toContain("### Patterns to Follow");
    expect(lines).toContain(`- **Tokens are checked in one place** (see: src/auth/jwt.ts:10-20) ${from}`);
    expect(lines).toContain("### Warnings");
    expect(lines).toContain(`- ⚠️ A clock that is late refuses fresh tokens: Allow 30 seconds ${from}`);
  });
});

describe("003-R28: notes from before there was a format", () => {
  const notes = `# Task 7: Renewals

## Handoff Notes

Status: completed

Created src/loans/renew.ts to renew a loan once.

Watch out for the calendar service: it answers in local time. Found while renewing. Mitigation: convert to UTC. Severity: high.

Be careful with leap days. Found in src/loans/renew.ts. Mitigation: test them. Severity: medium.

Always use Day.of() for dates, as in src/time/day.ts. Tags: dates.

Unclear: should a reserved book be renewable? Context: the rules are silent. Recommendation: no. Blocking: no.

### Next steps

1. Remind the reader by mail (high)
`;

  it("become a valid handoff by their key words, written back into the file", () => {
    const { valid, document, text } = migrateNotes(notes);
    expect(valid).toBe(true);
    expect(document).toMatchObject({
      outcome: "completed",
      files_created: [{ path: "src/loans/renew.ts" }],
      gotchas: [{ severity: "high" }, { severity: "medium" }],
      patterns_discovered: [{ location: "src/time/day.ts" }],
      open_questions: [{ blocking: false }],
      suggested_next_steps: [{ step: "Remind the reader by mail", priority: "high" }],
    });
    expect(learnFacts(readHandoff(text)).map(({ kind }) => kind)).toEqual([
      "pattern",
      "gotcha",
      "gotcha",
      "question",
      "next-step",
    ]);
  });

  it("are asked about where they are ambiguous: nothing is invented", () => {
    const { valid, diagnostics } = migrateNotes(notes.replace("Status: completed\n", ""));
    expect(valid).toBe(false);
    expect(diagnostics.length).toBeGreaterThan(0);
  });
});
