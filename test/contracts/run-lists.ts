import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runChecksum } from "../../src/audit/hash-chain.ts";
import type { EventLog, RunSearch } from "../../src/ports/event-log.ts";
import { commitOf, LATER, someEntries, startRun } from "./event-log-commits.ts";

const STATUSES = ["running", "waiting", "completed", "failed"] as const;
type Sample = { readonly status: string; readonly name: string; readonly at: number; readonly updated: number };

/** How lists of runs are found: the same in every log. */
export function describeRunLists(name: string, open: () => EventLog | Promise<EventLog>): void {
  let log: EventLog;
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.close());

  async function add(run: string, sample: Partial<Sample> & { readonly brief?: string } = {}): Promise<void> {
    const { status = "running", name: workflow = "flow", at = 1, updated = at, brief = "" } = sample;
    const lease = await log.create({ run, name: workflow, workflow: "0".repeat(64), at, brief }, "worker", LATER);
    const finished = status === "completed" || status === "failed";
    await log.commit(commitOf(lease, 0, { at: updated, status, finished }));
  }

  const all = STATUSES.map((status) => ({ status }));
  const found = async (search: Partial<RunSearch>): Promise<string> =>
    (await log.findRuns({ statusFilters: all, limit: 99, ...search })).map(({ run }) => run).join(" ");

  describe(`${name}: lists of runs`, () => {
    it("are the youngest first, whatever the order in which they were stored", async () => {
      for (const [run, at] of [
        ["b", 20],
        ["a", 10],
        ["d", 40],
        ["c1", 30],
        ["c2", 30],
      ] as const)
        await add(run, { at });
      expect(await found({})).toBe("d c2 c1 b a");
      expect(await found({ limit: 2 })).toBe("d c2");
      expect(await found({ before: "c2", limit: 2 })).toBe("c1 b");
      expect(await found({ before: "a" })).toBe("");
      expect(await found({ before: "nobody" })).toBe("");
    });

    it("know statuses, names, times and how long nothing happened", async () => {
      await add("r1", { at: 10, updated: 100 });
      await add("r2", { at: 20, updated: 500, name: "other" });
      await add("w1", { at: 30, status: "waiting" });
      await add("f1", { at: 40, status: "failed", name: "other" });
      expect(await found({ statusFilters: [{ status: "failed" }, { status: "waiting" }] })).toBe("f1 w1");
      expect(await found({ statusFilters: [{ status: "running", updatedBefore: 200 }] })).toBe("r1");
      expect(await found({ statusFilters: [{ status: "running", updatedFrom: 200 }] })).toBe("r2");
      expect(await found({ name: "other" })).toBe("f1 r2");
      expect(await found({ since: 20, until: 40 })).toBe("w1 r2");
      expect(await log.countRuns({}, 200)).toEqual({ byStatus: { failed: 1, running: 2, waiting: 1 }, stalled: 1 });
      expect(await log.countRuns({ name: "other" }, 200)).toMatchObject({ stalled: 0 });
      expect((await log.countRuns({ since: 30 }, 200)).byStatus["failed"]).toBe(1);
      expect(await log.runNames()).toEqual(["flow", "other"]);
    });

    it("keep a brief that was cut within a character as it is read back, so that its mark fits", async () => {
      const brief = `${"x".repeat(499)}\u{1f600} and more`;
      await log.create({ run: "long", name: "flow", workflow: "0".repeat(64), at: 1, brief }, "worker", LATER);
      const snapshot = await log.snapshot();
      const [kept] = await snapshot.runs(0, 1);
      await snapshot.close();
      expect(kept).toMatchObject({ brief: `${"x".repeat(499)}\ufffd` });
      expect(kept?.mark).toBe(kept && runChecksum(kept));
    });

    it("find every part of an id, a name or a brief, and take nothing typed for syntax", async () => {
      await add("abc123", { name: "pipeline", brief: "A discount in percent", at: 1 });
      await add("xyz789", { name: "issue", brief: 'Say "hello" to NEAR* and 100% OR more', at: 2 });
      expect(await found({ text: "count" })).toBe("abc123");
      expect(await found({ text: "PERCENT disc" })).toBe("abc123");
      expect(await found({ text: "bc12" })).toBe("abc123");
      expect(await found({ text: "issue" })).toBe("xyz789");
      expect(await found({ text: '"hello"' })).toBe("xyz789");
      expect(await found({ text: "near*" })).toBe("xyz789");
      expect(await found({ text: "xy" })).toBe("xyz789");
      expect(await found({ text: "yz" })).toBe("");
      expect(await found({ text: "percent", name: "issue" })).toBe("");
      expect(await found({ text: "percent", statusFilters: [{ status: "failed" }] })).toBe("");
      expect(await log.countRuns({ text: "discount" }, 0)).toEqual({ byStatus: { running: 1 }, stalled: 0 });
      expect(await log.countRuns({ text: "ab" }, 5)).toEqual({ byStatus: { running: 1 }, stalled: 1 });
      for (const text of ['"', "' OR 1", "a AND", "(((", "^x$", "%_%", "\u0000\u0000\u0000", "-name:x", "🤝🤝🤝"])
        expect(typeof (await found({ text }))).toBe("string");
    });

    it("come page by page as they come at once", async () => {
      const run = fc.record({
        status: fc.constantFrom(...STATUSES),
        name: fc.constantFrom("one", "two"),
        at: fc.integer({ min: 0, max: 5 }),
        updated: fc.integer({ min: 5, max: 9 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(run, { maxLength: 12 }),
          fc.integer({ min: 1, max: 4 }),
          fc.boolean(),
          async (runs, limit, isNamed) => {
            await log.close();
            log = await open();
            for (const [index, sample] of runs.entries()) await add(`r${index}`, sample);
            const search = {
              statusFilters: [{ status: "failed" }, { status: "running", updatedFrom: 7 }],
              ...(isNamed && { name: "one" }),
            };
            const pages: string[] = [];
            for (let before: string | undefined; ; before = pages.at(-1)) {
              const page = await log.findRuns({ ...search, limit, ...(before !== undefined && { before }) });
              pages.push(...page.map((row) => row.run));
              if (page.length < limit) break;
            }
            const expected = runs
              .map((sample, index) => ({ ...sample, id: `r${index}`, index }))
              .filter(
                ({ status, name: own, updated }) =>
                  (status === "failed" || (status === "running" && updated >= 7)) && (!isNamed || own === "one"),
              )
              .sort((left, right) => right.at - left.at || right.index - left.index)
              .map(({ id }) => id);
            expect(pages).toEqual(expected);
          },
        ),
        { numRuns: 25 },
      );
    });

    it("know runs by the beginnings of their ids", async () => {
      for (const run of ["abc", "abd", "b"]) await add(run);
      expect((await log.runsFrom("ab", 9)).map(({ run }) => run)).toEqual(["abc", "abd"]);
      expect((await log.runsFrom("ab", 1)).map(({ run }) => run)).toEqual(["abc"]);
      expect(await log.runsFrom("%", 9)).toEqual([]);
    });

    it("tell which runs are idle without taking them", async () => {
      const lease = await startRun(log, "a");
      await log.postMessage({ id: "l", run: "a", input: {} });
      expect(await log.idleRuns(1, 9)).toEqual([]);
      await log.release(lease);
      expect(await log.idleRuns(1, 9)).toEqual(["a"]);
      expect(await log.run("a")).toMatchObject({ lease: null });
    });
  });

  describe(`${name}: parts of the log`, () => {
    it("are pages of one run, by sequence and by position", async () => {
      await startRun(log, "a", 2);
      const b = await startRun(log, "b", 3);
      await log.commit(commitOf(b, 3, { entries: someEntries(2) }));
      expect((await log.entries("b", 1, 2)).map(({ sequence }) => sequence)).toEqual([2, 3]);
      expect((await log.history(3, 2, "b")).map(({ position }) => position)).toEqual([4, 5]);
      expect(await log.history(0, 9, "nobody")).toEqual([]);
      expect(await log.lastPosition()).toBe(7);
    });

    it("end at 0 while there is nothing", async () => {
      expect(await log.lastPosition()).toBe(0);
      expect(await log.runNames()).toEqual([]);
      expect(await log.countRuns({}, 1)).toEqual({ byStatus: {}, stalled: 0 });
    });
  });
}
