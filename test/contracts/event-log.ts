import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventLog, Lease } from "../../src/ports/event-log.ts";
import { canonicalJson, hashOfEntry, hashOfText } from "../../src/audit/hash-chain.ts";
import { EMPTY_REGISTER, hashInRegister, readRegisterEntry } from "../../src/audit/register.ts";
import { commitOf, LATER, newRun, refusal, someEntries, startRun } from "./event-log-commits.ts";

/** What every event log keeps to; the numbers are those of the invariants in `src/ports/event-log.ts`. */
export function describeEventLog(name: string, open: () => EventLog | Promise<EventLog>): void {
  let log: EventLog;
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.close());

  describe(`${name}: commits`, () => {
    it("stores entries, effects, status, summary and timer together (1)", async () => {
      const lease = await startRun(log, "a");
      await log.postMessage({ id: "l1", run: "a", input: { kind: "start" } });
      await log.commit(
        commitOf(lease, 0, {
          at: 7,
          entries: [{ kind: "input", data: { b: 2, a: [1, { d: null, c: "ü\u0000" }] } }],
          effects: [{ key: "e1", kind: "notify", data: { who: "me" } }],
          taken: ["l1"],
          status: "failed",
          finished: true,
          summary: { tasks: 3 },
          wakeAt: 99,
        }),
      );
      expect(await log.run("a")).toEqual({
        run: "a",
        name: "name of a",
        workflow: "0".repeat(64),
        brief: "",
        status: "failed",
        finished: true,
        createdAt: 1,
        updatedAt: 7,
        sequence: 1,
        isPruned: false,
        wakeAt: 99,
        summary: { tasks: 3 },
        lease,
      });
      expect(await log.entries("a")).toMatchObject([
        { sequence: 1, at: 7, kind: "input", data: { b: 2, a: [1, { d: null, c: "ü\u0000" }] } },
      ]);
      expect(await log.outbox("a")).toEqual([{ key: "e1", kind: "notify", data: { who: "me" } }]);
      expect(await log.messages("a")).toEqual([]);
    });

    it("stores nothing of a commit that is refused (1)", async () => {
      const lease = await startRun(log, "a", 2);
      await log.postMessage({ id: "l1", run: "a", input: {} });
      const before = [await log.run("a"), await log.history(0, 99), await log.outbox("a"), await log.messages("a")];
      const parts = {
        entries: someEntries(3),
        effects: [{ key: "e", kind: "notify", data: {} }],
        taken: ["l1"],
        status: "failed",
      };
      expect(await refusal(log.commit(commitOf(lease, 1, parts)))).toBe("conflict");
      expect(await refusal(log.commit(commitOf({ ...lease, fence: 2 }, 2, parts)))).toBe("lease-lost");
      const after = [await log.run("a"), await log.history(0, 99), await log.outbox("a"), await log.messages("a")];
      expect(after).toEqual(before);
    });

    it("refuses a commit for a run that is not there, or with another run's lease", async () => {
      const lease = await startRun(log, "a");
      const other = await startRun(log, "b");
      expect(await refusal(log.commit(commitOf({ ...lease, run: "x" }, 0)))).toBe("no-such-run");
      expect(await refusal(log.commit({ ...commitOf(other, 0), run: "a" }))).toBe("lease-lost");
    });

    it("believes only the present fence (2)", async () => {
      const old = await startRun(log, "a");
      const lease = await log.acquire("a", "second", LATER, LATER * 2);
      expect(await refusal(log.commit(commitOf(old, 0, { entries: someEntries(1) })))).toBe("lease-lost");
      expect(await refusal(log.commit(commitOf(lease as Lease, 0, { entries: someEntries(1) })))).toBeNull();
      await log.release(lease as Lease);
      expect(await refusal(log.commit(commitOf(lease as Lease, 1)))).toBe("lease-lost");
    });

    it("believes only one of two decisions on the same state (2)", async () => {
      const lease = await startRun(log, "a");
      const twice = [1, 2].map((number) => log.commit(commitOf(lease, 0, { entries: someEntries(1, number) })));
      expect(await Promise.all(twice.map(refusal))).toEqual([null, "conflict"]);
      expect(await log.entries("a")).toMatchObject([{ data: { number: 1 } }]);
    });

    it("lets the others of a group through when one is refused (2)", async () => {
      const leases = await Promise.all(["a", "b", "c", "d"].map((run) => startRun(log, run)));
      const commits = leases.map((lease, index) =>
        log.commit(
          commitOf(index === 1 ? { ...lease, fence: 9 } : lease, index === 2 ? 5 : 0, { entries: someEntries(2) }),
        ),
      );
      expect(await Promise.all(commits.map(refusal))).toEqual([null, "lease-lost", "conflict", null]);
      expect((await log.history(0, 99)).map(({ run }) => run)).toEqual(["a", "a", "d", "d"]);
    });

    it("numbers the entries of each run from 1 without a gap, and positions upwards (3)", async () => {
      const [a, b] = [await startRun(log, "a", 2), await startRun(log, "b", 1)];
      await Promise.all([
        log.commit(commitOf(a, 2, { entries: someEntries(2) })),
        log.commit(commitOf(b, 1, { entries: someEntries(1) })),
      ]);
      const history = await log.history(0, 99);
      expect(history.map(({ run, sequence }) => `${run}${sequence}`)).toEqual(["a1", "a2", "b1", "a3", "a4", "b2"]);
      expect(history.map(({ position }) => position)).toEqual(history.map((_, index) => index + 1));
      expect(await log.entries("a", 2)).toEqual(history.filter(({ run, sequence }) => run === "a" && sequence > 2));
      expect(await log.history(2, 2)).toEqual(history.slice(2, 4));
      expect(await log.entries("unknown")).toEqual([]);
    });

    it("chains the entries of each run, from its creation in the register on (4)", async () => {
      const a = await startRun(log, "a", 2);
      await startRun(log, "b", 2);
      await log.commit(commitOf(a, 2, { entries: someEntries(1), finished: true }));
      const snapshot = await log.snapshot();
      const [entries, register] = [await snapshot.entries(0, 99), await snapshot.register(0, 99)];
      await snapshot.close();
      let last = EMPTY_REGISTER;
      for (const row of register) {
        expect(row.hash).toBe(hashInRegister(last.hash, last.number + 1, row.body));
        last = row;
      }
      const told = register.map(({ body }) => readRegisterEntry(body));
      expect(told).toMatchObject([
        { kind: "created", run: "a" },
        { kind: "created", run: "b" },
        { kind: "ended", run: "a", sequence: 3, hash: entries.at(-1)?.hash },
      ]);
      const heads = new Map([
        ["a", register[0]?.hash ?? ""],
        ["b", register[1]?.hash ?? ""],
      ]);
      expect(entries).toHaveLength(5);
      for (const { run, data, hash, ...entry } of entries) {
        const dataHash = hashOfText(canonicalJson(JSON.parse(data ?? "")));
        expect(hash).toBe(hashOfEntry(heads.get(run ?? "") ?? "", { ...entry, run: run ?? "", dataHash }));
        heads.set(run ?? "", hash);
      }
      expect(await log.findBreak()).toBeNull();
    });

    it("has a run that is continued and ends again twice in the register, and what was pruned of it (4)", async () => {
      const lease = await startRun(log, "a", 1);
      await log.commit(commitOf(lease, 1, { at: 5, finished: true }));
      await log.commit(commitOf(lease, 1, { at: 6, entries: someEntries(2) }));
      await log.commit(commitOf(lease, 3, { at: 7, entries: someEntries(1), finished: true }));
      await log.prune(8);
      const snapshot = await log.snapshot();
      const told = (await snapshot.register(0, 99)).map(({ body }) => readRegisterEntry(body));
      await snapshot.close();
      expect(told).toMatchObject([
        { kind: "created" },
        { kind: "ended", sequence: 1 },
        { kind: "ended", sequence: 4 },
        { kind: "pruned", runs: [{ run: "a", from: 0, through: 4 }] },
      ]);
      expect(await log.findBreak()).toBeNull();
    });

    it("keeps no hold on what it was given or has given out", async () => {
      const lease = await startRun(log, "a");
      const data = { list: ["kept"] };
      const stored = log.commit(commitOf(lease, 0, { entries: [{ kind: "input", data }], summary: data }));
      await stored;
      data.list.push("changed");
      (await log.entries("a"))[0]!.data!["list"] = "changed";
      expect(await log.entries("a")).toMatchObject([{ data: { list: ["kept"] } }]);
      expect(await log.run("a")).toMatchObject({ summary: { list: ["kept"] } });
    });
  });

  describe(`${name}: runs`, () => {
    it("knows a run once", async () => {
      await startRun(log, "a");
      expect(await refusal(log.create(newRun("a"), "other", LATER))).toBe("exists");
      expect(await log.run("a")).toMatchObject({
        status: "running",
        sequence: 0,
        lease: { worker: "worker", fence: 1 },
      });
      expect(await log.run("b")).toBeNull();
    });

    it("lists the newest first, by status and by whether they are finished", async () => {
      for (const run of ["a", "b", "c", "d"]) {
        const lease = await startRun(log, run);
        const finished = run === "b" || run === "d";
        await log.commit(commitOf(lease, 0, { finished, status: run < "c" ? "completed" : "running" }));
      }
      const listed = async (filter: object): Promise<string> =>
        (await log.runs({ limit: 99, ...filter })).map(({ run }) => run).join("");
      expect(await listed({})).toBe("dcba");
      expect(await listed({ limit: 2 })).toBe("dc");
      expect(await listed({ status: "completed" })).toBe("ba");
      expect(await listed({ unfinished: true })).toBe("ca");
      expect(await listed({ unfinished: true, status: "completed" })).toBe("a");
      expect(await listed({ unfinished: true, limit: 1 })).toBe("c");
      expect(await listed({ unfinished: false })).toBe("dcba");
    });
  });

  describe(`${name}: mailbox and outbox`, () => {
    it("takes a letter once, also after it was read (5)", async () => {
      const lease = await startRun(log, "a");
      const letter = { id: "l1", run: "a", input: { kind: "answer" } };
      expect(await Promise.all([log.postMessage(letter), log.postMessage(letter)])).toEqual([true, false]);
      expect(await log.messages("a")).toEqual([letter]);
      await log.commit(commitOf(lease, 0, { taken: ["l1"] }));
      expect(await log.postMessage(letter)).toBe(false);
      expect(await log.messages("a")).toEqual([]);
    });

    it("has a mailbox for each run: an id used in another one is new (5)", async () => {
      await startRun(log, "a");
      await startRun(log, "b");
      expect(await log.postMessage({ id: "l1", run: "a", input: {} })).toBe(true);
      expect(await log.postMessage({ id: "l1", run: "b", input: {} })).toBe(true);
    });

    it("keeps letters in the order of posting and refuses those to nobody", async () => {
      await startRun(log, "a");
      for (const id of ["z", "m", "a"]) await log.postMessage({ id, run: "a", input: { id } });
      expect((await log.messages("a")).map(({ id }) => id)).toEqual(["z", "m", "a"]);
      expect(await refusal(log.postMessage({ id: "l", run: "x", input: {} }))).toBe("no-such-run");
      expect(await log.messages("x")).toEqual([]);
    });

    it("keeps effects in order until they are settled, and settles twice without harm", async () => {
      const lease = await startRun(log, "a");
      const effects = ["z", "m", "a"].map((key) => ({ key, kind: "notify", data: { key } }));
      await log.commit(commitOf(lease, 0, { effects }));
      expect(await log.outbox("a")).toEqual(effects);
      await log.commit(commitOf(lease, 0, { settled: ["m"], effects: [{ key: "b", kind: "notify", data: {} }] }));
      await log.commit(commitOf(lease, 0, { settled: ["m", "unknown"] }));
      expect((await log.outbox("a")).map(({ key }) => key)).toEqual(["z", "a", "b"]);
      expect(await log.outbox("x")).toEqual([]);
    });

    it("refuses a second effect with a key that is waiting", async () => {
      const lease = await startRun(log, "a");
      const effect = { key: "e", kind: "notify", data: {} };
      await log.commit(commitOf(lease, 0, { effects: [effect] }));
      expect(await refusal(log.commit(commitOf(lease, 0, { effects: [effect] })))).toBe("conflict");
      const twins = [
        { ...effect, key: "f" },
        { ...effect, key: "f" },
      ];
      expect(await refusal(log.commit(commitOf(lease, 0, { effects: twins })))).toBe("conflict");
      expect(await log.outbox("a")).toEqual([effect]);
    });
  });

  describe(`${name}: leases`, () => {
    it("has one live lease of a run, and each new one a greater fence (6)", async () => {
      await log.create(newRun("a"), "first", 100);
      expect(await log.acquire("a", "second", 99, 200)).toBeNull();
      expect(await log.acquire("a", "second", 100, 200)).toEqual({ run: "a", worker: "second", fence: 2, until: 200 });
      expect(await log.acquire("a", "first", 199, 300)).toBeNull();
      expect(await log.acquire("a", "second", 199, 300)).toMatchObject({ fence: 3 });
      expect(await refusal(log.acquire("x", "second", 1, 2))).toBe("no-such-run");
    });

    it("gives one run to one of many who ask at once (6)", async () => {
      const lease = await startRun(log, "a");
      await log.release(lease);
      const claims = Array.from({ length: 10 }, (_, index) => log.acquire("a", `w${index}`, 1, 100));
      expect((await Promise.all(claims)).filter((claim) => claim !== null)).toEqual([
        { run: "a", worker: "w0", fence: 2, until: 100 },
      ]);
    });

    it("counts fences on after a release (6)", async () => {
      const lease = await startRun(log, "a");
      await log.release(lease);
      expect(await log.run("a")).toMatchObject({ lease: null });
      const second = await log.acquire("a", "second", 1, 100);
      expect(second).toMatchObject({ fence: 2 });
      await log.release(lease);
      expect(await log.run("a")).toMatchObject({ lease: second });
    });

    it("renews what nobody else has taken, also when it had run out, and tells nothing of the rest", async () => {
      const kept = await log.create(newRun("a"), "w", 100);
      const over = await log.create(newRun("b"), "w", 50);
      const taken = await log.create(newRun("c"), "w", 50);
      await log.acquire("c", "other", 50, 500);
      const released = await log.create(newRun("d"), "w", 100);
      await log.release(released);
      expect(await log.renew([kept, over, taken, released, { ...kept, run: "x" }], 300)).toEqual([
        { ...kept, until: 300 },
        { ...over, until: 300 },
      ]);
      expect(await log.run("a")).toMatchObject({ lease: { until: 300 } });
      expect(await log.run("c")).toMatchObject({ lease: { worker: "other", until: 500 } });
      expect(await log.renew([], 300)).toEqual([]);
    });
  });

  describe(`${name}: idle runs`, () => {
    const idle = async (now: number, limit = 99): Promise<string[]> =>
      (await log.acquireIdle("idler", now, now + 10, limit)).map(({ run }) => run).sort();

    it("are those with letters, effects or a due timer", async () => {
      for (const run of ["letter", "effect", "due", "later", "nothing"]) {
        const lease = await startRun(log, run);
        const effects = run === "effect" ? [{ key: "e", kind: "notify", data: {} }] : [];
        const wakeAt = { due: 50, later: 51 }[run] ?? null;
        await log.commit(commitOf(lease, 0, { effects, wakeAt }));
        if (run === "letter") await log.postMessage({ id: "l", run, input: {} });
        await log.release(lease);
      }
      expect(await idle(50)).toEqual(["due", "effect", "letter"]);
      expect(await idle(59)).toEqual(["later"]);
      expect(await idle(60)).toEqual(["due", "effect", "letter"]);
    });

    it("are idle no more when letters are taken and effects settled", async () => {
      const lease = await startRun(log, "a");
      await log.postMessage({ id: "l", run: "a", input: {} });
      await log.commit(commitOf(lease, 0, { effects: [{ key: "e", kind: "notify", data: {} }], wakeAt: 70 }));
      await log.commit(commitOf(lease, 0, { taken: ["l"], settled: ["e"], wakeAt: 70 }));
      await log.release(lease);
      expect(await idle(69)).toEqual([]);
      expect(await idle(70)).toEqual(["a"]);
    });

    it("are never held or finished ones", async () => {
      await startRun(log, "held");
      const lease = await startRun(log, "finished");
      await log.postMessage({ id: "l", run: "held", input: {} });
      await log.postMessage({ id: "l", run: "finished", input: {} });
      await log.commit(commitOf(lease, 0, { finished: true, status: "completed", wakeAt: 1 }));
      await log.release(lease);
      expect(await idle(LATER - 1)).toEqual([]);
      expect(await idle(LATER)).toEqual(["held"]);
    });

    it("are leased up to the limit, each to one only", async () => {
      for (const run of ["a", "b", "c"]) {
        const lease = await startRun(log, run);
        await log.postMessage({ id: "l", run, input: {} });
        await log.release(lease);
      }
      const claims = await Promise.all([1, 2, 3].map((worker) => log.acquireIdle(`w${worker}`, 1, 100, 2)));
      expect(claims.map(({ length }) => length)).toEqual([2, 1, 0]);
      expect(new Set(claims.flat().map(({ run }) => run)).size).toBe(3);
      expect(claims.flat().every(({ fence }) => fence === 2)).toBe(true);
    });
  });

  describe(`${name}: texts and workflows`, () => {
    it("keeps texts by their SHA-256", async () => {
      for (const text of ["", "handoff", "zero\u0000byte and ünïcode 🤝", "x".repeat(200_000)]) {
        const hash = await log.putText(text);
        expect(hash).toBe(hashOfText(text));
        expect(await log.putText(text)).toBe(hash);
        expect(await log.text(hash)).toBe(text);
      }
      expect(await log.text("0".repeat(64))).toBeNull();
    });

    it("keeps the definition that came first", async () => {
      await log.putWorkflow("hash", { name: "first" });
      await log.putWorkflow("hash", { name: "second" });
      expect(await log.workflow("hash")).toEqual({ name: "first" });
      expect(await log.workflow("other")).toBeNull();
    });

    it("tells which of them are missing", async () => {
      await log.putWorkflow("hash", {});
      const [kept, missing] = [await log.putText("kept"), hashOfText("missing")];
      const snapshot = await log.snapshot();
      expect(await snapshot.missingTexts([missing, kept, missing])).toEqual(new Set([missing]));
      expect(await Promise.all(["hash", "other"].map((hash) => snapshot.hasWorkflow(hash)))).toEqual([true, false]);
      await snapshot.close();
    });
  });

  describe(`${name}: closing`, () => {
    it("finishes what was asked for and takes nothing more", async () => {
      const lease = await startRun(log, "a");
      const last = log.commit(commitOf(lease, 0, { entries: someEntries(1) }));
      await log.close();
      expect(await refusal(last)).toBeNull();
      expect(await refusal(log.commit(commitOf(lease, 1)))).toBe("unavailable");
      expect(await refusal(log.entries("a"))).toBe("unavailable");
      await log.close();
    });
  });
}
