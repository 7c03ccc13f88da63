import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeClaims } from "../../src/evidence/judge-claims.ts";
import { listClaims } from "../../src/evidence/list-claims.ts";
import { observationsNeeded } from "../../src/evidence/observations-needed.ts";
import { sampleEvidence } from "./sample-evidence.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { printHandoff } from "../../src/protocol/write-handoff.ts";
import { arbitraryDocument } from "../round-trip/arbitrary-document.ts";

const RUNS = Number(process.env["BATON_CLAIMS"] ?? 300);

/** What a handoff shows by itself, and that the workspace is where it is. */
const WITHOUT_LOOKING = ["count", "workspace"];

describe("any handoff", () => {
  it.each(DIALECT_NAMES)("of %s gets a judgement for each claim, and none is confirmed where nobody looked", (name) => {
    fc.assert(
      fc.property(arbitraryDocument(DIALECTS[name]), (document) => {
        const text = printHandoff(document, DIALECTS[name], { dialect: name, outcome: "done" });
        const handoff = readHandoffs(text).handoffs[0]?.handoff;
        if (handoff) expectJudged(handoff);
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps nobody busy with long texts", () => {
    const long = [" ".repeat(100_000), "1 ".repeat(50_000), "a".repeat(100_000), "{a,".repeat(1300), "*a".repeat(2000)];
    for (const text of long.flatMap((piece) => [piece, `1${piece}x`, `${piece}:1`, `src/${piece}`])) {
      expectJudged({
        dialect: "task-yaml",
        outcome: "done",
        at: text,
        phase: text,
        work: {
          created: [{ path: text, lines: text }],
          modified: [{ path: text, lines: text, change_type: text as "add" }],
          artifacts: [{ path: text }],
          commits: [{ sha: text, message: text }],
          branch: text,
          verified: [text],
          workspace: { path: text, type: text as "cloud", port: text },
          merge: { sha: text, strategy: text },
        },
        findings: { issues: [{ id: text, location: text }], fixes: [{ location: text }], resolved: [text] },
        checks: { command: text, results: { tests: text, lint: text, coverage: text, [text]: text } },
        metrics: { tests_passed: text, coverage: text, files_changed: text, [text]: text },
        context: { data: { commits: [text], branch: text, files_deleted: [text] } },
      });
    }
  });
});

function expectJudged(handoff: Handoff): void {
  const claims = listClaims(handoff);
  const nothing = { isRepository: false, base: null, commitsSinceBase: null };
  const judgements = judgeClaims(claims, sampleEvidence(nothing));
  expect(judgements).toHaveLength(claims.length);
  for (const path of observationsNeeded(claims).paths) {
    expect(path).not.toMatch(/^\//);
    expect(path.split("/").map((name) => name.trim())).not.toContain("..");
  }
  for (const { kind, verdict, says, evidence } of judgements) {
    if (verdict === "confirmed") expect(WITHOUT_LOOKING).toContain(kind);
    expect(`${says} ${evidence}`).not.toMatch(/\p{Cc}/u);
    expect(says.length + evidence.length).toBeLessThan(2000);
  }
}
