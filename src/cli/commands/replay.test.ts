import { describe, expect, it } from "vitest";
import { RULES_VERSION, type ReplayStep } from "../../runtime/operations/replay-run.ts";
import { printDifference } from "./replay.ts";

type Event = ReplayStep["recorded"][number];

const input = { kind: "cancel-run", at: 1, by: "ada", reason: "" } as const;
const reason = { kind: "first", from: null, note: null, problems: [], issues: [] } as const;
const started = (timeout: number): Event => ({
  kind: "attempt-started",
  task: "main",
  attempt: "s1.1",
  reason,
  timeout,
  held: { milliseconds: 1, tokens: null, money: null },
});
const failed = (words: string): Event => ({ kind: "run-failed", at: 1, reason: words });

function differenceOf(recorded: readonly Event[], decided: readonly Event[]): string {
  return printDifference({ sequence: 7, input, recorded, decided, isSame: false, rules: RULES_VERSION });
}

describe("a difference of a replay", () => {
  it("is told in the words of the log", () => {
    expect(differenceOf([started(1), failed("no")], [started(2), failed("never")])).toBe(
      "7: cancel-run\n  - FAILED: no\n  + FAILED: never\n\n",
    );
  });

  it("is told by its fields where the log has no words for it", () => {
    expect(differenceOf([started(1), failed("no")], [started(2), failed("no")])).toBe(
      "7: cancel-run\n  - attempt-started.timeout 1\n  + attempt-started.timeout 2\n\n",
    );
    expect(differenceOf([started(1)], [])).toContain('  - attempt-started.kind "attempt-started"\n');
  });
});
