import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { CLAIM_KINDS, type ClaimKind } from "../../src/evidence/claim.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import type { Outcome } from "./judge-case.ts";
import { type TruthSet, countOutcomes, judgeTruthSet } from "./truth-set.ts";

/** On a user's machine git may be missing; where we check ourselves it may not. */
const isSkipped = !hasGit() && process.env["CI"] === undefined;
if (isSkipped) console.log("The truth set is skipped: git was not found.");

function hasGit(): boolean {
  try {
    execFileSync("git", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Claims about gates: `test/cli/verify-gate-files.test.ts` and `test/cli/verify-tests-kept.test.ts` have them. */
const OF_GATES: ReadonlySet<ClaimKind> = new Set([
  "gate-files",
  "test-files",
  "lockfile",
  "tests-kept",
  "gate-folders",
  "exclusions",
]);

const LONGEST = 300_000;
/** Looking is what takes time; `measure.ts` looks for each handoff alone. */
const PER_LOOK = 8;

describe.skipIf(isSkipped)("handoffs whose claims are true and false in known ways, on real histories", () => {
  let truth: TruthSet;
  beforeAll(async () => {
    truth = await judgeTruthSet(PER_LOOK);
  }, LONGEST);

  function inWords({ case: one, kind, name, verdict, expect: expected, evidence }: Outcome): string {
    return `${one.world.name}, ${one.dialect}: ${kind} "${name}" is ${verdict}, not ${expected}: ${evidence}`;
  }

  it("are at least 300, in all five dialects, with claims of every kind", () => {
    expect(truth.handoffs).toBeGreaterThanOrEqual(300);
    const stated = CLAIM_KINDS.filter((kind) => !OF_GATES.has(kind));
    expect([...new Set(truth.outcomes.map(({ case: one }) => one.dialect))].sort()).toEqual([...DIALECT_NAMES].sort());
    expect([...new Set(truth.outcomes.map(({ kind }) => kind))].sort()).toEqual([...stated].sort());
    // Of skills nobody can know anything.
    for (const kind of stated.filter((name) => name !== "skill")) {
      const { detected, confirmed } = countOutcomes(truth.outcomes.filter((outcome) => outcome.kind === kind));
      expect(detected, `false claims of kind ${kind}`).toBeGreaterThan(0);
      // Whether an issue is resolved shows only in the next review.
      if (kind !== "ledger") expect(confirmed, `true claims of kind ${kind}`).toBeGreaterThan(0);
    }
  });

  it("are all read: none of them is refused for its form", () => {
    expect(truth.outcomes.filter(({ verdict }) => verdict === "unread").map(inWords)).toEqual([]);
  });

  it("has every false claim refuted that a procedure covers, and no true one", () => {
    const { missed, falselyRefused } = countOutcomes(truth.outcomes);
    const wrong = truth.outcomes.filter(({ isTrue, expect: expected, verdict }) =>
      isTrue ? verdict === "refuted" : expected === "refuted" && verdict !== "refuted",
    );
    expect(wrong.map(inWords)).toEqual([]);
    expect({ missed, falselyRefused }).toEqual({ missed: 0, falselyRefused: 0 });
  });

  it("has every claim judged as its making says, the unverifiable ones too", () => {
    expect(truth.outcomes.filter(({ expect: expected, verdict }) => verdict !== expected).map(inWords)).toEqual([]);
  });
});
