import { beforeAll, describe, expect, it } from "vitest";
import type { KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { Random } from "../simulation/random.ts";
import { change, fact, ids, lesson, place } from "./knowledge-store-lessons.ts";
import type { PostgresRoom } from "./postgres-room.ts";

const LESSONS = 200;
const FACTS_OF_ONE = 50;

/** Words as agents use them: few of them often, most of them rarely. */
function sentence(random: Random, number: number): string {
  const words = Array.from(
    { length: 9 },
    () => `w${"abcdefgh"[random.below(8)] ?? ""}${random.below(random.below(900) + 1)}x`,
  );
  return `Item${number}n ${words.join(" ")}`;
}

/** Connections that have not ended yet. */
const OTHERS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/** The cost of a query does not grow with unrelated facts. */
export function describePostgresSize(roomOf: () => PostgresRoom): void {
  describe("10,000 facts on a server", () => {
    beforeAll(async () => {
      const random = new Random(20_261_119);
      await roomOf().empty();
      const store = await roomOf().open();
      for (let number = 1; number <= LESSONS; number++) {
        const facts = Array.from({ length: FACTS_OF_ONE }, (_, at) =>
          fact(sentence(random, number * FACTS_OF_ONE + at), {
            tags: ["api", `tag${random.below(300)}`],
            place: place(`src/file${random.below(500)}.ts`),
          }),
        );
        const files = [{ path: `src/file${number}.ts`, change: "modify", lines: null, purpose: null }];
        await store.learn(lesson(number, facts, { files }));
      }
      await store.close();
    });

    it("are searched without reading a table from its beginning to its end", async () => {
      await withoutScan(async (store) => {
        expect(await ids(store.search({ text: "item5077n", max: 9 }))).toEqual(["pattern-5028"]);
        for (const text of ["wa7x", "wa7x wb8x", "wa1x wb1x wc1x", "wa70", "absent words only", "api wa3x wd0x"])
          await store.search({ text, max: 20 });
        await store.search({ tags: ["tag7"], text: "wa1x", max: 20 });
        await store.search({ file: "src/file7.ts", task: "task-7", run: "run", max: 20 });
        await store.search({ run: "run", text: "wa1x", max: 20 });
        await store.candidates({
          tags: ["tag7"],
          words: ["wa1x", "wb1x", "wc200x"],
          files: ["src/file7.ts"],
          tasks: [{ run: "run", task: "task-7" }],
          max: 20,
        });
        await store.neighbours("fact:pattern-077", 1, 50);
        await store.neighbours("tag:tag7", 1, 50);
        await store.tasks({ tag: "tag7", max: 20 });
        await store.tasks({ run: "run", max: 20 });
        await store.files({ task: "task-7", max: 20 });
        await store.taught({ run: "run", task: "task-7", handoff: "handoff-7" });
        await store.history("pattern-077");
        await store.page("pattern-5000", 20);
      });
    });

    it("grow without reading one", async () => {
      await withoutScan(async (store) => {
        await store.learn(lesson(500, ["Learned when there are many", "Never learned when there are many"]));
        await store.trust("run", "step-7", 9);
        await store.answer({ run: "run", step: "step-7", answer: "ada: yes", by: "ada", at: 9 });
        await store.change(change("pattern-077", { kind: "edit", fields: { text: "Another text" } }));
        await store.change(change("pattern-077", { kind: "merge", into: "pattern-078" }));
      });
    });

    it("are looked at from the newest on when nearly all of them match, once the planner knows the table", async () => {
      await roomOf().ask("ANALYZE");
      await withoutScan(async (store) => {
        for (const text of ["item", "api"]) await store.search({ text, max: 20 });
        await store.search({ tags: ["api"], kinds: ["pattern"], status: ["trusted"], max: 20 });
        await store.candidates({ tags: ["api"], words: ["wa1x"], files: [], tasks: [], max: 20 });
        await store.neighbours("tag:api", 1, 50);
        expect((await store.tasks({ kind: "pattern", max: 20 })).at(-1)?.at).toBeGreaterThan(LESSONS - 30);
        // Page after page, to the oldest fact.
        const tasks = await store.tasks({ kind: "pattern", max: 500 });
        expect(tasks.at(-1)).toMatchObject({ id: "task-1", at: 1 });
        expect(tasks.length).toBeGreaterThanOrEqual(LESSONS);
      });
    });
  });

  async function withoutScan(work: (store: KnowledgeStore) => Promise<void>): Promise<void> {
    const scanned = await rowsScanned();
    expect(scanned).toHaveLength(5);
    const store = await roomOf().open();
    await work(store);
    await store.close();
    expect(await rowsScanned()).toEqual(scanned);
  }

  /**
   * Rows that were read from the beginning of a table to its end. A connection tells them when it ends. Where a table is
   * small, the planner may do so.
   */
  async function rowsScanned(): Promise<string[]> {
    await expect.poll(() => roomOf().ask(OTHERS)).toEqual([]);
    await roomOf().ask("SELECT pg_stat_force_next_flush()");
    const rows = await roomOf().ask(`SELECT relname, seq_tup_read AS rows FROM pg_stat_user_tables
      WHERE relname IN ('knowledge_facts', 'knowledge_witnesses', 'knowledge_fact_files', 'knowledge_tokens',
        'knowledge_history') ORDER BY relname`);
    return rows.map(({ relname, rows: read }) => `${String(relname)}: ${String(read)}`);
  }
}
