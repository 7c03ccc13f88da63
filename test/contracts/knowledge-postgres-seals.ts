import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KnowledgeCheck, KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { fileLogSigner } from "../../src/stores/signer/file-log-signer.ts";
import { change, lesson } from "./knowledge-store-lessons.ts";
import type { PostgresRoom } from "./postgres-room.ts";

const REPLACE = "UPDATE baton.knowledge_facts SET body = replace(body, 'whole cents', 'floats') WHERE number = 1";

/** What another program has changed in the database is found, as in the file of one machine (6). */
export function describePostgresSeals(roomOf: () => PostgresRoom): void {
  let folder: string;
  let room: PostgresRoom;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "baton-sealed-"));
    room = roomOf();
    await room.empty();
    await withStore(async (store) => {
      await store.learn(lesson(1, ["Money is counted in whole cents", "Retries are limited to three"]));
      await store.learn(lesson(2, ["Caches are cleared at midnight"], { status: "quarantined" }));
    });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function withStore<T>(work: (store: KnowledgeStore) => Promise<T>): Promise<T> {
    const place = join(folder, "baton.db");
    const logSigner = fileLogSigner({ folder: join(folder, "config"), place, forbidden: [] });
    const store = await room.open({ logSigner });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  const checked = (): Promise<KnowledgeCheck> => withStore((store) => store.check());

  async function isWhole(): Promise<boolean> {
    const { problems, altered } = await checked();
    return problems.length + altered.length === 0;
  }

  describe("seals on a server", () => {
    it("fit whatever Baton does", async () => {
      await withStore(async (store) => {
        await store.trust("run", "step-2", 5);
        await store.change(change("pattern-002", { kind: "edit", fields: { text: "Retries are limited to five" } }));
        await store.change(change("pattern-003", { kind: "merge", into: "pattern-001" }));
        await store.change(change("pattern-001", { kind: "retire" }));
      });
      expect(await checked()).toMatchObject({ problems: [], altered: [], isSigned: true });
    });

    it.each([
      ["a fact", [REPLACE]],
      ["its status", ["UPDATE baton.knowledge_facts SET status = 'trusted' WHERE number = 3"]],
      ["what was said and is not proven", ["UPDATE baton.knowledge_witnesses SET said = replace(said, 'mid', 'to')"]],
      ["who said it", ["UPDATE baton.knowledge_lessons SET agent = 'Reviewer' WHERE number = 2"]],
      ["its history", ["DELETE FROM baton.knowledge_history WHERE number = 1"]],
      ["a fact removed", ["DELETE FROM baton.knowledge_facts WHERE number = 2"]],
      [
        "a fact added",
        [
          `INSERT INTO baton.knowledge_facts SELECT 9, 'pattern-009', kind, status, '\\x00', 0, NULL, 0, 1, 1, 0, 0, tokens, body
            FROM baton.knowledge_facts WHERE number = 1`,
        ],
      ],
      ["a seal", ["UPDATE baton.knowledge_seals SET body = replace(body, 'fact 3', 'fact 7') WHERE number = 2"]],
      ["the last seal removed", ["DELETE FROM baton.knowledge_seals WHERE number = 2"]],
      ["all seals removed", [REPLACE, "DELETE FROM baton.knowledge_seals"]],
      [
        "the ledger set back",
        ["DELETE FROM baton.knowledge_seals", "UPDATE baton.knowledge_ledger SET seals = 0, digest = NULL"],
      ],
      ["signatures removed", ["UPDATE baton.knowledge_seals SET signature = NULL"]],
    ])("show what was edited by hand: %s", async (_what, statements) => {
      expect(await isWhole()).toBe(true);
      await room.edit(...statements);
      expect(await isWhole()).toBe(false);
      // Nor is it covered up by what Baton writes later.
      await withStore((store) => store.learn(lesson(3, ["Money is counted in whole cents", "Logs are kept"])));
      expect(await isWhole()).toBe(false);
      await withStore((store) => store.accept());
      expect(await isWhole()).toBe(true);
    });

    it("tell which facts must be learned again, and no other is removed", async () => {
      await room.edit(REPLACE, "UPDATE baton.knowledge_facts SET status = 'trusted' WHERE number = 3");
      const forgotten = await withStore(async (store) => {
        const found = await store.forgetAltered();
        expect(await store.search({ text: "cents caches", max: 9 })).toEqual([]);
        await store.learn(lesson(1, ["Money is counted in whole cents", "Retries are limited to three"]));
        await store.learn(lesson(2, ["Caches are cleared at midnight"], { status: "quarantined" }));
        return found;
      });
      expect(forgotten).toEqual(["pattern-001", "pattern-003"]);
      const facts = await withStore((store) => store.page(null, 9));
      expect(facts.map(({ text, status }) => `${status}: ${text}`)).toEqual([
        "trusted: Retries are limited to three",
        "trusted: Money is counted in whole cents",
        "quarantined: Caches are cleared at midnight",
      ]);
      // Ids are never used again.
      expect(facts.map(({ id }) => id)).toEqual(["pattern-002", "pattern-004", "pattern-005"]);
      expect(await isWhole()).toBe(true);
    });

    it("remove everything where they were changed themselves", async () => {
      await room.edit("UPDATE baton.knowledge_seals SET body = replace(body, 'fact 3', 'fact 7') WHERE number = 2");
      await withStore((store) => store.forgetAltered());
      expect(await withStore((store) => store.page(null, 9))).toEqual([]);
      expect(await isWhole()).toBe(true);
    });
  });
}
