import { describe, expect, it } from "vitest";
import { migrateNotes } from "../migrate-notes.ts";
import { GAP } from "../unfilled-template.ts";

const REPORT = {
  ticket: "SHOP-7",
  status: "completed",
  files: {
    created: ["src/cards.ts: redeems a card", "src/refund.ts"],
    modified: ["src/shop.ts"],
  },
  future_work: ["Refund to the card (high)", "Print the card"],
  blockers: [],
  open_questions: [{ question: "Who signs?", status: "open" }],
  criteria: [{ name: "Cards work", status: "failed" }],
};

const LOG = `---
session: cards
date: 2026-03-04
status: partial
---

goal: Redeem a card
done:
  - task: Created src/cards.ts
    files: [src/cards.ts]
files:
  created:
    - "src/cards.ts: redeems a card"
  modified:
    - src/shop.ts
blockers:
  - No key of the bank
decisions:
  - Count in cents
next:
  - Refund to the card (high)
`;

describe("a report in JSON", () => {
  it("is read by its keys, as notes are by their headings", () => {
    const { document, taken } = migrateNotes(JSON.stringify(REPORT, null, 2));
    expect(document).toEqual({
      outcome: "completed",
      files_created: [
        { path: "src/cards.ts", purpose: "redeems a card", lines: "all" },
        { path: "src/refund.ts", purpose: GAP, lines: "all" },
      ],
      files_modified: [{ path: "src/shop.ts", lines: GAP, change_type: "modify", description: GAP }],
      open_questions: [{ question: "Who signs?", context: GAP, recommendation: GAP, blocking: GAP }],
      suggested_next_steps: [
        { step: "Refund to the card", priority: "high", depends_on: [] },
        { step: "Print the card", priority: GAP, depends_on: [] },
      ],
    });
    expect(taken[0]).toMatchObject({ field: "outcome", line: 3 });
  });

  it("does not give the status of a part to the whole", () => {
    const { status: _status, ...rest } = REPORT;
    const { document, gaps } = migrateNotes(JSON.stringify(rest, null, 2));
    expect(document["outcome"]).toBe(GAP);
    expect(gaps[0]).toMatchObject({ field: "outcome" });
  });

  it("takes a record of a list as one statement with its fields", () => {
    const report = {
      status: "completed",
      risks: [{ risk: "The clock is late", mitigation: "Ask twice", severity: "low", owner: "lab" }],
      technical_decisions: [{ decision: "Count in cents", rationale: "No rounding" }],
    };
    expect(migrateNotes(JSON.stringify(report, null, 2)).document).toMatchObject({
      gotchas: [{ issue: "The clock is late", mitigation: "Ask twice", severity: "low", discovered_in: GAP }],
      carried: { "context.decisions": ["Count in cents"] },
    });
  });

  it("has to say it in so many words: what is escaped is not quoted", () => {
    const said = migrateNotes('{ "status": "completed", "next": ["Say \\"hello\\" (high)", "Wave (low)"] }').document;
    expect(said["suggested_next_steps"]).toEqual([{ step: "Wave", priority: "low", depends_on: [] }]);
  });
});

describe("a log in YAML", () => {
  it("is read by its keys, and each list ends where the next key stands", () => {
    const { document } = migrateNotes(LOG);
    expect(document).toMatchObject({
      outcome: "partial",
      files_created: [{ path: "src/cards.ts", purpose: "redeems a card" }],
      suggested_next_steps: [{ step: "Refund to the card", priority: "high" }],
      files_modified: [{ path: "src/shop.ts", change_type: "modify" }],
      blockers: [{ blocker: "No key of the bank" }],
      carried: { "context.decisions": ["Count in cents"] },
    });
    expect(document["blockers"]).toHaveLength(1);
  });

  it("is prose when its keys are titles, or when it has headings", () => {
    expect(migrateNotes("Status: done\nNext steps:\n- Wave (high)\n").document).toMatchObject({
      outcome: "completed",
      suggested_next_steps: [{ step: "Wave" }],
    });
    expect(migrateNotes("a: 1\nb: 2\nc: 3\n\n## Status: done\n").document).toEqual({ outcome: "completed" });
  });
});

describe("a title right below a list", () => {
  it.each([
    ["Files created:\n- src/a.ts: rules\nNext steps:\n- Wave (high)\n"],
    ["Files created:\n\n- src/a.ts: rules\n\nIt went well.\nNext steps:\n- Wave (high)\n"],
    ["files:\n  created:\n    - src/a.ts: rules\n  next steps:\n    - Wave (high)\n"],
  ])("is none of its items: %j", (text) => {
    expect(migrateNotes(text).document).toEqual({
      outcome: GAP,
      files_created: [{ path: "src/a.ts", purpose: "rules", lines: "all" }],
      suggested_next_steps: [{ step: "Wave", priority: "high", depends_on: [] }],
    });
  });

  it("ends what was announced above it, also when nobody knows the title", () => {
    const { document } = migrateNotes("Status: partial\nBlockers:\n  - No key\nWorked:\n  - The cache\n");
    expect(document["blockers"]).toEqual([{ blocker: "No key" }]);
  });
});

describe("what is not taken for more than it says", () => {
  it("is a part that is done while the whole is not", () => {
    const { document, diagnostics } = migrateNotes("Status: in progress\n\n## Cards\n\nStatus: done\n");
    expect(document["outcome"]).toBe(GAP);
    expect(diagnostics.filter(({ severity }) => severity === "warning").map(({ message }) => message)).toEqual([
      "The notes state more than one outcome: in progress (line 1), completed (line 5).",
    ]);
  });

  it("is a status of many parts: it is asked about once", () => {
    const { diagnostics } = migrateNotes("## A\n\nStatus: PASS\n\n## B\n\nStatus: PASS\n\n## C\n\nStatus: PASS\n");
    const asked = diagnostics.filter(({ message }) => message === "This is no outcome that the format knows.");
    expect(asked.map(({ severity }) => severity)).toEqual(["warning"]);
  });

  it.each(["Nenhum", "No blockers were confirmed after the review", "Keine.", "Zero blocking issues left"])(
    "is a blocker that is none: %j",
    (said) => {
      expect(migrateNotes(`Status: done\n\n## Blockers\n\n- ${said}\n`).document).toEqual({ outcome: "completed" });
    },
  );

  it("is a next step with a tick: it is done", () => {
    const { document } = migrateNotes("Status: done\n\n## Next steps\n\n- \u2705 Tests written\n- Wave\n");
    expect(document).toMatchObject({
      suggested_next_steps: [{ step: "Wave" }],
      carried: { "context.data": { completed: ["Tests written"] } },
    });
    expect(document["suggested_next_steps"]).toHaveLength(1);
  });

  it("is the manifest of a feature", () => {
    const text = "feature_name: cards\nstatus: complete\nphases:\n  - name: a\n    status: complete\n";
    const migration = migrateNotes(text, { path: "cards/MANIFEST.yaml" });
    expect(migration).toMatchObject({ section: "", text, valid: false });
    expect(migration.diagnostics.map(({ message }) => message).join(" ")).toContain("manifest of a feature");
  });

  it("but a file of one word says how the task ended", () => {
    expect(migrateNotes("done\n")).toMatchObject({ document: { outcome: "completed" }, valid: true });
    expect(migrateNotes("done well\n").document).toEqual({ outcome: GAP });
  });
});
