import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunView } from "../runtime/operations/view-run.ts";
import { widthOf } from "./fit-text.ts";
import { runPicture } from "./run-picture.ts";

const MINUTE = 60_000;

function view(changes: Partial<RunView> = {}): RunView {
  return {
    run: "0f3a",
    workflow: "shop",
    status: "running",
    reason: null,
    remarks: [],
    retry_refused: null,
    started_at: 0,
    ended_at: null,
    observed: null,
    iteration: 2,
    steps: 5,
    agents: [
      { name: "Builder", status: "done", visits: 2, refused: 0, since: null },
      { name: "Reviewer", status: "working", visits: 1, refused: 0, since: MINUTE },
      { name: "Documenter", status: "not-started", visits: 0, refused: 0, since: null },
    ],
    tasks: [],
    asks: [],
    issues: [],
    spent: {
      agent: 0,
      tokens: 0,
      money: 0,
      unknownTokens: 0,
      unknownMoney: 0,
      possibleTokens: 0,
      possibleMoney: 0,
    },
    unwatched_attempts: 0,
    known: {},
    takeovers: [],
    ...changes,
  };
}

const style = { colour: false, columns: 80, now: 3 * MINUTE };

describe("the picture of a run", () => {
  it("shows nobody at work in a run that no process drives", () => {
    const lines = runPicture(view(), [], { ...style, isDriven: false });
    expect(lines[1]).toContain("shop 0f3a  not driven");
    expect(lines.join("\n")).toContain("… Reviewer →");
  });

  it("tells how far it is, who works since when, and who comes next", () => {
    expect(runPicture(view(), ["Reviewer: reads the diff"], style)).toEqual([
      "─".repeat(60),
      "shop 0f3a  running  3 min 00 s  round 2  step 5",
      "✓ Builder x2 → ● Reviewer 2 min 00 s → ○ Documenter",
      "  Reviewer: reads the diff",
    ]);
  });

  it("shows tasks at work when there are several", () => {
    const task = { depends_on: [], reason: null, agent: null };
    const tasks = [
      { ...task, id: "t1", name: "Parse", status: "done" as const },
      { ...task, id: "t2", name: "Convert", status: "working" as const, agent: "Builder" },
      { ...task, id: "t3", name: "Print", status: "waiting" as const },
    ];
    expect(runPicture(view({ tasks }), [], style).slice(-2)).toEqual(["tasks: 1 of 3 done", "  t2  Builder  Convert"]);
  });

  it("fits any width, whatever agents are called and say: else the next picture would be drawn in the wrong place", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 100 }),
      fc.constantFrom("\u001b[2J", "日本語".repeat(30), "\n\n\n", "\t", "👩‍👩‍👧".repeat(20)),
    );
    fc.assert(
      fc.property(hostile, fc.integer({ min: 30, max: 160 }), (text, columns) => {
        const agents = [text, `${text}2`].map((name) => ({ ...(view().agents[1] as RunView["agents"][0]), name }));
        const lines = runPicture(view({ agents, workflow: text }), [text], { ...style, columns });
        for (const line of lines) {
          expect(line).not.toMatch(/\p{Cc}/u);
          expect(widthOf(line)).toBeLessThan(columns);
        }
      }),
    );
  });
});
