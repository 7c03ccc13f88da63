import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KnowledgeCheck, KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { fileLogSigner } from "../../src/stores/signer/file-log-signer.ts";
import { lesson } from "../contracts/knowledge-store-lessons.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-sealed-"));
  path = join(folder, "knowledge.db");
  await withStore(async (store) => {
    await store.learn(lesson(1, ["Money is counted in whole cents", "Retries are limited to three"]));
    await store.learn(lesson(2, ["Caches are cleared at midnight"], { status: "quarantined" }));
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withStore<T>(work: (store: KnowledgeStore) => Promise<T>): Promise<T> {
  const logSigner = fileLogSigner({ folder: join(folder, "config"), place: join(folder, "baton.db"), forbidden: [] });
  const store = openKnowledgeStore(path, { logSigner });
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

function edit(...statements: readonly string[]): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA foreign_keys = OFF");
  for (const statement of statements) database.exec(statement);
  database.close();
}

const WITHOUT_TRACES = ["DROP TRIGGER facts_updated", "DROP TRIGGER facts_inserted", "DROP TRIGGER witnesses_updated"];
const REPLACE = "UPDATE facts SET body = replace(body, 'whole cents', 'floats') WHERE number = 1";

describe("knowledge that nobody has edited", () => {
  it("is as it was sealed, whatever Baton does with it", async () => {
    await withStore(async (store) => {
      const by = { by: "ada", at: 9, why: null };
      await store.trust("run", "step-2", 5);
      await store.change({ id: "pattern-002", kind: "edit", fields: { text: "Retries are limited to five" }, ...by });
      await store.change({ id: "pattern-003", kind: "merge", into: "pattern-001", ...by });
      await store.change({ id: "pattern-001", kind: "retire", ...by });
    });
    expect(await checked()).toMatchObject({ problems: [], altered: [], isSigned: true });
  });
});

describe("knowledge that was edited by hand", () => {
  it.each([
    ["a fact", [REPLACE]],
    ["a fact, without traces", [...WITHOUT_TRACES, REPLACE]],
    ["its status", ["UPDATE facts SET status = 'trusted' WHERE number = 3"]],
    ["what was said and is not proven", ["UPDATE witnesses SET said = replace(said, 'midnight', 'noon')"]],
    ["who said it", ["UPDATE lessons SET agent = 'Reviewer' WHERE number = 2"]],
    ["its history", ["DELETE FROM history WHERE number = 1"]],
    ["a fact removed", ["DELETE FROM facts WHERE number = 2"]],
    [
      "a fact added",
      [
        `INSERT INTO facts SELECT 9, 'pattern-009', kind, status, x'00', 0, NULL, 0, 1, 1, 0, tokens, body, 0
          FROM facts WHERE number = 1`,
      ],
    ],
    ["the notes of changes removed", [REPLACE, "DELETE FROM touched"]],
    ["a seal", ["UPDATE seals SET body = replace(body, 'fact 1', 'fact 7') WHERE number = 2"]],
    ["the last seal removed", ["DELETE FROM seals WHERE number = (SELECT max(number) FROM seals)"]],
    ["all seals removed", [REPLACE, "DELETE FROM seals", "DELETE FROM touched"]],
    ["signatures removed", ["UPDATE seals SET signature = NULL"]],
  ])("is found: %s", async (_what, statements) => {
    expect(await isWhole()).toBe(true);
    edit(...statements);
    expect(await isWhole()).toBe(false);
    // Nor is it covered up by what Baton writes later.
    await withStore((store) => store.learn(lesson(3, ["Money is counted in whole cents", "Logs are kept"])));
    expect(await isWhole()).toBe(false);
  });

  it("is found when it is an older copy", async () => {
    copyFileSync(path, join(folder, "older.db"));
    await withStore((store) => store.learn(lesson(3, ["Logs are kept"])));
    for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    copyFileSync(join(folder, "older.db"), path);
    expect((await checked()).problems).toEqual([expect.stringMatching(/no longer has what was last sealed here/)]);
    await withStore((store) => store.accept());
    expect(await isWhole()).toBe(true);
  });

  it("is removed as a whole where the seals themselves were changed", async () => {
    edit("UPDATE seals SET body = replace(body, 'fact 1', 'fact 7') WHERE number = 2");
    await withStore((store) => store.forgetAltered());
    expect(await withStore((store) => store.search({ text: "cents caches retries", max: 9 }))).toEqual([]);
  });

  it("is removed and learned again, and nothing else is", async () => {
    edit(REPLACE, "UPDATE facts SET status = 'trusted' WHERE number = 3");
    const forgotten = await withStore(async (store) => {
      const found = await store.forgetAltered();
      await store.learn(lesson(1, ["Money is counted in whole cents", "Retries are limited to three"]));
      await store.learn(lesson(2, ["Caches are cleared at midnight"], { status: "quarantined" }));
      return found;
    });
    expect(forgotten).toEqual(["pattern-001", "pattern-003"]);
    const facts = await withStore((store) => store.search({ text: "cents caches retries", max: 9 }));
    expect(facts.map(({ fact: { text, status } }) => `${status}: ${text}`).sort()).toEqual([
      "quarantined: Caches are cleared at midnight",
      "trusted: Money is counted in whole cents",
      "trusted: Retries are limited to three",
    ]);
    expect(await isWhole()).toBe(true);
  });
});
