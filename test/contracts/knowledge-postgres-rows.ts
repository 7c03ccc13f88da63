import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { openPostgresKnowledge } from "../../src/stores/postgres-knowledge/open-postgres-knowledge.ts";
import type { TestPostgres } from "../postgres/start-postgres.ts";
import { change, contentOf, fact, ids, lesson, place, refusal } from "./knowledge-store-lessons.ts";
import type { PostgresRoom } from "./postgres-room.ts";

/** What a database does that a file does not, and the other way round. */
export function describePostgresRows(roomOf: () => PostgresRoom, serverOf: () => TestPostgres): void {
  describe("knowledge in Postgres", () => {
    it("is there for the next store, and refused by a closed one", async () => {
      await roomOf().empty();
      const first = await roomOf().open();
      const learned = await first.learn(lesson(1, ["Say it"]));
      await first.close();
      const second = await roomOf().open();
      expect(await second.page(null, 9)).toEqual(learned);
      await second.close();
      expect(await refusal(second.page(null, 9))).toBe("unavailable");
      expect(await refusal(second.learn(lesson(2, ["Say more"])))).toBe("unavailable");
    });

    it("is not opened without its tables, or with newer ones", async () => {
      const url = await serverOf().database();
      await expect(openPostgresKnowledge({ url })).rejects.toThrow(/no tables of Baton/);
      await roomOf().empty();
      await roomOf().edit("UPDATE baton.versions SET version = 99, oldest = 99 WHERE part = 'knowledge'");
      await expect(roomOf().open()).rejects.toThrow(/version 99/);
      await roomOf().edit("UPDATE baton.versions SET version = 1, oldest = 1 WHERE part = 'knowledge'");
    });

    it("lets nobody edit its history", async () => {
      await roomOf().empty();
      const store = await roomOf().open();
      await store.learn(lesson(1, ["Say it"]));
      await store.close();
      await expect(roomOf().ask("UPDATE baton.knowledge_history SET by = 'somebody else'")).rejects.toThrow(
        /only ever appended to/,
      );
    });

    it("tells damage instead of believing what it reads, and stores nothing of a lesson that meets it", async () => {
      await roomOf().empty();
      const store = await roomOf().open();
      await store.learn(lesson(1, ["Broken one"]));
      for (const body of ['\'{"text":"Say it"}\'', "'[1]'", "'{'"]) {
        await roomOf().edit(`UPDATE baton.knowledge_facts SET body = ${body}`);
        expect(await refusal(store.find("pattern-001")), body).toBe("damaged");
      }
      const group = await Promise.allSettled([
        store.learn(lesson(2, ["Fine before"])),
        store.learn(lesson(3, ["Half of it", "broken one"])),
        store.learn(lesson(4, ["Fine after"])),
      ]);
      expect(group.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(group[1]).toMatchObject({ reason: { code: "damaged" } });
      expect(await ids(store.search({ text: "fine", max: 9 }))).toHaveLength(2);
      expect((await store.tasks({ max: 9 })).map(({ id }) => id)).toEqual(["task-4", "task-2", "task-1"]);
      await store.close();
    });

    it.each([
      ["with NUL", "nul \0 and \u{10fffe}0 and \u{10fffe}"],
      ["with half of a character", "half \ud800 of one"],
      ["longer than an index can hold", "x".repeat(20_000)],
      ["in letters of four bytes, longer than an index can hold", "𐐷".repeat(3_000)],
    ])("keeps every text: %s", async (_what, odd) => {
      await roomOf().empty();
      const store = await roomOf().open();
      const source = { run: odd, task: odd, step: odd, agent: odd, handoff: odd, at: 1 };
      const task = { id: odd, name: odd, status: odd, dependsOn: [odd] };
      const files = [{ path: odd, change: odd, lines: odd, purpose: odd }];
      const said = fact(`Say ${odd}`, { detail: odd, tags: [odd], place: place(odd), where: odd });
      const learned = lesson(1, [said], { source, task, files, status: "quarantined" });
      const [known] = await store.learn(learned);
      expect(known).toMatchObject({ text: said.text, detail: odd, files: [odd] });
      const before = await contentOf(store);
      await store.learn(learned);
      expect(await contentOf(store)).toEqual(before);
      expect(await store.trust(odd, odd, 2)).toBe(1);
      expect(await store.countHelp(odd, odd, [])).toBe(0);
      await store.change({ ...change("pattern-001", { kind: "confirm" }), by: odd, why: odd });
      expect(await ids(store.search({ text: odd, max: 9 }))).toEqual(["pattern-001"]);
      expect(await ids(store.search({ file: odd, task: odd, run: odd, max: 9 }))).toEqual(["pattern-001"]);
      expect((await store.taught({ run: odd, task: odd, handoff: odd })).map(({ fact: { id } }) => id)).toHaveLength(1);
      expect((await store.neighbours("fact:pattern-001", 2, 99)).nodes.length).toBeGreaterThan(3);
      expect(await store.check()).toMatchObject({ problems: [], altered: [] });
      await store.close();
    });

    it("gives NUL back as it was, in every column", async () => {
      await roomOf().empty();
      const store = await roomOf().open();
      const odd = "a\0b\u{10fffe}c";
      const source = { run: odd, task: odd, step: odd, agent: odd, handoff: odd, at: 1 };
      const task = { id: odd, name: odd, status: odd, dependsOn: [odd] };
      const touch = { path: odd, change: odd, lines: odd, purpose: odd };
      const [known] = await store.learn(lesson(1, [fact("Say it", { where: odd })], { source, task, files: [touch] }));
      expect(known?.witnesses).toEqual([{ ...source, where: odd }]);
      expect(await store.tasks({ max: 9 })).toEqual([{ ...task, run: odd, at: 1 }]);
      expect(await store.files({ max: 9 })).toEqual([{ ...touch, run: odd, task: odd, agent: odd, at: 1 }]);
      await store.change({ ...change("pattern-001", { kind: "confirm" }), by: odd, why: odd });
      expect((await store.history("pattern-001")).at(-1)).toMatchObject({ by: odd, why: odd });
      await store.close();
    });

    it("counts the facts of each token, whatever becomes of them", async () => {
      await roomOf().empty();
      const store = await roomOf().open();
      await store.learn(lesson(1, [fact("Use tabs", { tags: ["style"] }), "Use blanks"], { status: "quarantined" }));
      await store.learn(lesson(2, [fact("Use tabs", { tags: ["other"], detail: "and no blanks" }), "Third"]));
      await store.trust("run", "step-1", 9);
      await store.change(change("pattern-002", { kind: "edit", fields: { text: "Use nothing", tags: ["void"] } }));
      await store.change(change("pattern-003", { kind: "merge", into: "pattern-001" }));
      await store.close();
      const wrong = await roomOf().ask(`
        SELECT coalesce(k.token, f.token) AS token, k.facts AS counted, f.facts FROM
          (SELECT token, facts FROM baton.knowledge_tokens WHERE facts <> 0) k
          FULL JOIN (SELECT token, count(DISTINCT number) AS facts
            FROM baton.knowledge_facts, unnest(string_to_array(tokens, ' ')) token
            WHERE token NOT IN ('', '/') GROUP BY token) f ON f.token = k.token
        WHERE k.facts IS DISTINCT FROM f.facts`);
      expect(wrong).toEqual([]);
    });

    it("loses nothing that was acknowledged when the server is killed, and goes on when it is back", async () => {
      await roomOf().empty();
      const store = await roomOf().open();
      let acknowledged = 0;
      const learning = (async () => {
        for (let number = 1; ; number++) {
          await store.learn(lesson(number, [`Remember ${number}n`, `Never forget ${number}n`]));
          acknowledged = number;
        }
      })();
      const ended = refusal(learning);
      await expect.poll(() => acknowledged).toBeGreaterThan(10);
      await serverOf().crash();
      expect(await ended).toBe("unavailable");
      const texts = (await store.page(null, 10_000)).map(({ text }) => text);
      for (let number = 1; number <= acknowledged; number++) expect(texts).toContain(`Remember ${number}n`);
      const halves = ["Remember", "Never forget"].map((verb) => texts.filter((text) => text.startsWith(verb)).length);
      expect(halves[0]).toBe(halves[1]);
      await store.learn(lesson(acknowledged + 1, [`Remember ${acknowledged + 1}n`]));
      expect(await store.check()).toMatchObject({ problems: [], altered: [] });
      await store.close();
    });

    it("waits for a writer that hangs as long as it may: then it is busy, until the server ends the other one", async () => {
      await roomOf().empty();
      const hasty = await roomOf().open({ lockTimeout: 100 });
      const store = await roomOf().open();
      await store.learn(lesson(1, ["Say it"]));
      const hanging = new PostgresConnections({ url: roomOf().url, connections: 1 });
      let isLocked = false;
      const held = hanging.transact(async (queries) => {
        await queries.all("SET LOCAL idle_in_transaction_session_timeout = 700");
        await queries.all("SELECT * FROM baton.knowledge_ledger FOR UPDATE");
        isLocked = true;
        await sleep(1_500);
        await queries.all("SELECT 1");
      });
      await expect.poll(() => isLocked).toBe(true);
      const learned = [hasty, store].map((one) => refusal(one.learn(lesson(2, ["Say more"]))));
      expect(await Promise.all([refusal(held), ...learned])).toEqual(["unavailable", "busy", null]);
      expect((await hasty.learn(lesson(2, ["Say more"])))[0]?.witnesses).toHaveLength(1);
      await Promise.all([hanging, hasty, store].map((one) => one.close()));
    });
  });
}
