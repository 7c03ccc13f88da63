import { describe, expect, it } from "vitest";
import { sampleEvidence } from "../../../test/truth/sample-evidence.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { judgeClaims } from "../judge-claims.ts";
import { listClaims } from "../list-claims.ts";
import type { Evidence, Observations } from "../observations.ts";

const MINUTE = 60_000;
const NOW = 1_800_000_000_000;

/** The verdict on the one figure of these metrics. */
function judge(metrics: JsonRecord, seen: Partial<Observations>, more: Partial<Evidence> = {}): string | undefined {
  const claims = listClaims({ dialect: "phase-yaml", outcome: "done", metrics });
  const judged = judgeClaims(claims, sampleEvidence(seen, { now: NOW, ...more })).filter(
    ({ kind }) => kind === "figure",
  );
  expect(judged.length).toBeLessThanOrEqual(1);
  return judged[0]?.verdict;
}

describe("a number of lines", () => {
  const lines = {
    files: new Map([
      ["src/cart.ts", { added: 100, removed: 20 }],
      ["test/cart.test.ts", { added: 50, removed: 0 }],
      ["package-lock.json", { added: 900, removed: 300 }],
      ["handoff-Builder.json", { added: 30, removed: 0 }],
    ]),
    others: [{ added: 2_000, removed: 400 }],
    all: 5_000,
  };
  const count = (metrics: JsonRecord): string | undefined =>
    judge(metrics, { lines }, { ownFiles: ["handoff-Builder.json"] });

  it("is true in every way in which lines are counted", () => {
    for (const added of [1050, 150, 1000, 100, 1080, 2_000]) expect(count({ lines_added: added })).toBe("confirmed");
    expect(count({ insertions: "+1,050" })).toBe("confirmed");
    expect(count({ diff: { insertions: 1050 } })).toBe("confirmed");
    expect(count({ lines_removed: 20 })).toBe("confirmed");
    for (const changed of [170, 1050, 120]) expect(count({ lines_changed: changed })).toBe("confirmed");
    for (const written of [130, 150, 5_000]) expect(count({ lines_of_code: written })).toBe("confirmed");
  });

  it("may leave out what it likes", () => {
    for (const added of [0, 3, 140, 1_900, 2_200]) expect(count({ lines_added: added })).toBe("unverifiable");
    expect(count({ lines_of_code: 4_800 })).toBe("unverifiable");
  });

  it("is not true above all of them", () => {
    expect(count({ lines_added: 2_300 })).toBe("refuted");
    expect(count({ deletions: 500 })).toBe("refuted");
    expect(count({ lines_of_code: 6_000 })).toBe("refuted");
    expect(judge({ lines_added: 3 }, { lines: { files: new Map(), others: [], all: 10 } })).toBe("refuted");
  });

  it("cannot be seen without an earlier state, or of a project that is too large to count", () => {
    expect(judge({ lines_added: 1 }, {})).toBe("unverifiable");
    expect(judge({ lines_of_code: 9_000 }, { lines: { ...lines, all: null } })).toBe("unverifiable");
  });
});

describe("a number of commits", () => {
  const seen = { commitsSinceBase: 3, ownCommitsSinceBase: 2, commitCounts: { inHead: 40, inAll: 60, sinceTarget: 7 } };

  it("is true of the step, the branch or the history, and not above all commits there are", () => {
    for (const commits of [2, 3, 7, 40]) expect(judge({ total_commits: commits }, seen)).toBe("confirmed");
    for (const commits of [1, 50]) expect(judge({ commits }, seen)).toBe("unverifiable");
    expect(judge({ total_commits: 61 }, seen)).toBe("refuted");
    expect(judge({ total_commits: 61 }, { ...seen, isShallow: true })).toBe("unverifiable");
  });
});

describe("what the run knows", () => {
  const run = { startedAt: NOW - 60 * MINUTE, iteration: 3, round: 2, steps: 9, worked: 40 * MINUTE };
  const step = { startedAt: NOW - 10 * MINUTE, phase: null, run };
  const of = (metrics: JsonRecord): string | undefined => judge(metrics, {}, { step });

  it("are its rounds", () => {
    for (const rounds of [1, 2, 3]) expect(of({ review_iterations: rounds })).toBe("confirmed");
    expect(of({ review_iterations: 5 })).toBe("unverifiable");
    expect(of({ review_iterations: 25 })).toBe("refuted");
    expect(of({ iterations: 25 })).toBe("unverifiable");
    expect(judge({ review_iterations: 25 }, {})).toBe("unverifiable");
  });

  it("is how long it took, in any unit and up to its start", () => {
    for (const time of ["10 minutes", "1h", 600, 600_000, 10, "01:00:00", "59m 10s"])
      expect(of({ execution_time: time })).toBe("confirmed");
    for (const time of ["3s", "25 minutes", 3, "80 minutes", 5_000_000])
      expect(of({ duration: time })).toBe("unverifiable");
    for (const time of ["3 hours", "2 days", 9_000_000]) expect(of({ execution_time: time })).toBe("refuted");
    expect(of({ execution_time_ms: 600_000 })).toBe("confirmed");
    expect(of({ execution_time_minutes: 600 })).toBe("refuted");
    expect(judge({ execution_time: "3 hours" }, {})).toBe("unverifiable");
  });

  it("is a cycle, which may be longer than the run and is not much shorter than the work", () => {
    expect(of({ cycle_time: "3 days" })).toBe("unverifiable");
    expect(of({ cycle_time: "1 hour" })).toBe("confirmed");
    expect(of({ cycle_time: "0 hours" })).toBe("unverifiable");
    expect(of({ cycle_time: "5 minutes" })).toBe("refuted");
  });
});
