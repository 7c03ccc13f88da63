import { describe, expect, it } from "vitest";
import type { NewDecision, ScheduleStore } from "../../src/ports/schedule-store.ts";

const MINUTE = 60_000;

function decisionAt(due: number, change: Partial<NewDecision> = {}): NewDecision {
  return { schedule: "s", due, kind: "start", run: `r${due}`, missed: 0, missedSince: null, at: due + 5, ...change };
}

/** What every store of decisions keeps. `open` opens the same store again each time that it is called in a test. */
export function describeScheduleStore(name: string, open: () => ScheduleStore): void {
  describe(`the store of decisions on schedules: ${name}`, () => {
    it("is empty at first, and looking makes nothing", async () => {
      expect(await open().decisions("s", MINUTE, 10)).toEqual([]);
    });

    it("keeps the first decision on a time, and answers with it", async () => {
      const [one, other] = [open(), open()];
      const first = decisionAt(MINUTE, { missed: 3, missedSince: 7 });
      expect(await one.decide(first)).toEqual({ decision: { ...first, problem: null }, isNew: true });
      const second = decisionAt(MINUTE, { kind: "skip", run: "another", at: 99 });
      expect(await other.decide(second)).toEqual({ decision: { ...first, problem: null }, isNew: false });
      expect(await other.decisions("s", MINUTE, 10)).toEqual([{ ...first, problem: null }]);
    });

    it("takes one of many that decide at once", async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => open().decide(decisionAt(MINUTE, { run: `r${index}` }))),
      );
      expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(answers.map(({ decision }) => decision.run)).size).toBe(1);
    });

    it("keeps schedules and times apart, and gives the newest first, up to a time", async () => {
      const store = open();
      for (const due of [2, 1, 3].map((minutes) => minutes * MINUTE)) await store.decide(decisionAt(due));
      await store.decide(decisionAt(2 * MINUTE, { schedule: "t", kind: "miss", run: null }));
      const timesOf = async (schedule: string, until: number, limit = 10): Promise<number[]> =>
        (await store.decisions(schedule, until, limit)).map(({ due }) => due / MINUTE);
      expect(await timesOf("s", 9 * MINUTE)).toEqual([3, 2, 1]);
      expect(await timesOf("s", 2 * MINUTE)).toEqual([2, 1]);
      expect(await timesOf("s", 2 * MINUTE - 1)).toEqual([1]);
      expect(await timesOf("s", 9 * MINUTE, 1)).toEqual([3]);
      expect(await timesOf("t", 9 * MINUTE)).toEqual([2]);
      expect(await timesOf("u", 9 * MINUTE)).toEqual([]);
    });

    it("notes why a run could not be started, and that it was", async () => {
      const store = open();
      await store.decide(decisionAt(MINUTE));
      await store.noteProblem("s", MINUTE, "the disk is full");
      expect(await open().decisions("s", MINUTE, 1)).toMatchObject([{ problem: "the disk is full" }]);
      await store.noteProblem("s", MINUTE, null);
      expect(await open().decisions("s", MINUTE, 1)).toMatchObject([{ problem: null }]);
    });

    it("keeps the newest hundred of each schedule, and those to start apart from the others", async () => {
      const store = open();
      await store.decide(decisionAt(MINUTE, { schedule: "t" }));
      for (let minutes = 1; minutes <= 3; minutes++) await store.decide(decisionAt(minutes * MINUTE));
      for (let minutes = 4; minutes <= 130; minutes++)
        await store.decide(decisionAt(minutes * MINUTE, { kind: "skip", run: "r1" }));
      const kept = await store.decisions("s", 1000 * MINUTE, 1000);
      expect(kept.filter(({ kind }) => kind === "skip").length).toBeGreaterThanOrEqual(100);
      expect(kept[0]?.due).toBe(130 * MINUTE);
      expect((await store.starts("s", 2)).map(({ due }) => due / MINUTE)).toEqual([3, 2]);
      expect(await store.starts("t", 10)).toHaveLength(1);
      for (let minutes = 131; minutes <= 250; minutes++) await store.decide(decisionAt(minutes * MINUTE));
      expect((await store.starts("s", 1000)).length).toBeGreaterThanOrEqual(100);
      expect((await store.decisions("s", 130 * MINUTE, 1))[0]?.kind).toBe("skip");
    });
  });
}
