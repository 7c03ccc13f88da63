import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashOfText } from "../../src/audit/hash-chain.ts";
import { verifySnapshot } from "../../src/audit/verify-snapshot.ts";
import type { EventLog, NewEntry } from "../../src/ports/event-log.ts";
import { commitOf, LATER, newRun, someEntries, startRun } from "./event-log-commits.ts";

const DEFINITION = { name: "pipeline" };
const PIN = hashOfText(JSON.stringify(DEFINITION));

/** A handoff that was read from a text, and what its agent was given and said last. */
function naming(delivered: string, packet = delivered, output = delivered): NewEntry {
  const [delivery, given, said] = [delivered, packet, output].map((text) => ({ text: hashOfText(text) }));
  return { kind: "attempt-ended", data: { delivery, record: { packet: given, output: said } } };
}

/** A run that has ended then, with the texts that it names, stored as the runtime does. */
export async function endRun(log: EventLog, run: string, at: number, texts: readonly string[]): Promise<void> {
  await log.putWorkflow(PIN, DEFINITION);
  const lease = await log.create({ ...newRun(run), workflow: PIN }, "worker", LATER);
  const kept = texts.map((text) => log.putText(text));
  const entries = texts.map((text) => naming(text));
  await Promise.all([...kept, log.commit(commitOf(lease, 0, { at, finished: true, entries }))]);
}

export async function findingsIn(log: EventLog): Promise<string[]> {
  const snapshot = await log.snapshot();
  const { findings } = await verifySnapshot(snapshot, { keys: [], seen: [] });
  await snapshot.close();
  return findings.map(({ code, message }) => `${code}: ${message}`);
}

/** What pruning takes away and what it leaves: the same in every log. */
export function describePruning(name: string, open: () => EventLog | Promise<EventLog>): void {
  let log: EventLog;
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.close());
  const kept = async (...texts: readonly string[]): Promise<string[]> => {
    const found = await Promise.all(texts.map((text) => log.text(hashOfText(text))));
    return found.filter((text) => text !== null);
  };

  describe(`${name}: pruning`, () => {
    it("empties what ended before, once, and leaves the chain whole", async () => {
      for (const [run, at, finished] of [
        ["old", 10, true],
        ["young", 20, true],
        ["open", 10, false],
      ] as const) {
        const lease = await startRun(log, run);
        await log.commit(commitOf(lease, 0, { at, finished, entries: someEntries(3) }));
      }
      const before = await log.history(0, 99);
      const nothing = { runs: 0, entries: 0, texts: 0, freed: 0, unfreed: null };
      expect(await log.prune(20)).toEqual({ ...nothing, runs: 1, entries: 3 });
      expect(await log.prune(20)).toEqual(nothing);
      expect(await log.prunedEntries()).toBe(3);
      const rows = await Promise.all(["old", "young", "open"].map((run) => log.run(run)));
      expect(rows.map((row) => row?.isPruned)).toEqual([true, false, false]);
      expect(await log.history(0, 99)).toEqual(
        before.map((entry) => (entry.run === "old" ? { ...entry, data: null } : entry)),
      );
      expect(await log.findBreak()).toBeNull();
    });

    it("empties what a pruned run wrote later", async () => {
      const lease = await startRun(log, "a", 2);
      await log.commit(commitOf(lease, 2, { at: 10, finished: true }));
      await log.prune(11);
      await log.commit(commitOf(lease, 2, { at: 12, finished: true, entries: someEntries(1) }));
      expect((await log.entries("a")).map(({ data }) => data !== null)).toEqual([false, false, true]);
      expect(await log.findBreak()).toBeNull();
      expect(await log.prune(13)).toMatchObject({ runs: 1, entries: 1 });
      expect(await log.findBreak()).toBeNull();
    });

    it("forgets texts that only pruned runs named, and keeps all others", async () => {
      await endRun(log, "old", 10, ["of the old one", "of both", "x".repeat(9_000)]);
      await endRun(log, "young", 20, ["of both", "of the young one"]);
      expect(await log.prune(15)).toMatchObject({ runs: 1, entries: 3, texts: 2 });
      expect(await kept("of the old one", "of both", "x".repeat(9_000), "of the young one")).toEqual([
        "of both",
        "of the young one",
      ]);
      expect(await findingsIn(log)).toEqual([]);
      expect(await log.prune(15)).toMatchObject({ runs: 0, texts: 0 });
      expect(await log.prune(25)).toMatchObject({ runs: 1, texts: 2 });
      expect(await findingsIn(log)).toEqual([]);
    });

    it("keeps what an effect or a letter names", async () => {
      await endRun(log, "old", 10, ["in a letter", "in an effect", "in none"]);
      const lease = await log.create({ ...newRun("open"), workflow: PIN }, "worker", LATER);
      const [letter, effect] = ["in a letter", "in an effect"].map(hashOfText);
      await log.postMessage({ id: "letter", run: "open", input: { packet: letter } });
      const effects = [{ key: "e", kind: "start-agent", data: { packet: { text: effect } } }];
      await log.commit(commitOf(lease, 0, { effects, entries: someEntries(1) }));
      expect(await log.prune(15)).toMatchObject({ texts: 1 });
      expect(await kept("in a letter", "in an effect", "in none")).toEqual(["in a letter", "in an effect"]);
    });

    it("keeps a text that comes again", async () => {
      await endRun(log, "old", 10, ["again", "gone"]);
      await log.prune(15);
      await endRun(log, "new", 20, ["again", "first"]);
      expect(await kept("again", "gone", "first")).toEqual(["again", "first"]);
      expect(await findingsIn(log)).toEqual([]);
      expect(await log.prune(15)).toMatchObject({ texts: 0 });
      expect(await log.prune(25)).toMatchObject({ texts: 2 });
      expect(await findingsIn(log)).toEqual([]);
    });
  });
}
