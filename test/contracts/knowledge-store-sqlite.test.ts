import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { KNOWLEDGE_SQL } from "../../src/stores/knowledge/statements.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { Random } from "../simulation/random.ts";
import { change, fact, ids, lesson, refusal } from "./knowledge-store-lessons.ts";

const KILLS = Number(process.env["BATON_KNOWLEDGE_KILLS"] ?? 8);
const folder = mkdtempSync(join(tmpdir(), "baton-knowledge-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = (): string => join(folder, `${files++}.db`);

describe("knowledge in SQLite", () => {
  it("is for its owner only, and is there after a restart", async () => {
    const path = newPath();
    const first = openKnowledgeStore(path);
    const learned = await first.learn(lesson(1, ["Say it"]));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await first.close();
    const second = openKnowledgeStore(path);
    expect(await second.page(null, 9)).toEqual(learned);
    await second.close();
    expect(await refusal(second.page(null, 9))).toBe("unavailable");
    expect(await refusal(second.learn(lesson(2, ["Say more"])))).toBe("unavailable");
  });

  it("is not taken for a log, nor a log for knowledge, nor a newer one for its own", async () => {
    const [log, knowledge] = [newPath(), newPath()];
    await openSqliteLog(log).close();
    await openKnowledgeStore(knowledge).close();
    expect(() => openKnowledgeStore(log)).toThrow(/another program, not knowledge of Baton/);
    expect(() => openSqliteLog(knowledge)).toThrow(/another program, not a log of Baton/);
    edit(knowledge, "PRAGMA user_version = 99");
    expect(() => openKnowledgeStore(knowledge)).toThrow(/has version 99, .* use a newer Baton/);
  });

  it("lets nobody edit its history", async () => {
    const path = newPath();
    const store = openKnowledgeStore(path);
    await store.learn(lesson(1, ["Say it"]));
    expect(() => edit(path, "UPDATE history SET by = 'somebody else'")).toThrow(/only ever appended to/);
    // Only what was altered is removed, by a rebuild; any other removal is found by the audit.
    expect(() => edit(path, "UPDATE history SET number = 7")).toThrow(/only ever appended to/);
    await store.close();
  });

  it("tells damage instead of believing what it reads", async () => {
    const path = newPath();
    const store = openKnowledgeStore(path);
    await store.learn(lesson(1, ["Say it"]));
    for (const body of [`replace(body, '"tags":[]', '"tags":[7]')`, `'{"text":"Say it"}'`, "'[1]'", "'{'"]) {
      edit(path, `UPDATE facts SET body = ${body}`);
      expect(await refusal(store.find("pattern-001")), body).toBe("damaged");
    }
    edit(path, "UPDATE facts SET kind = 'poem'");
    expect(await refusal(store.find("pattern-001"))).toBe("damaged");
    await store.close();
  });

  it("stores nothing of a lesson that meets damage, and all of the others of its group", async () => {
    const path = newPath();
    const store = openKnowledgeStore(path);
    await store.learn(lesson(1, ["Broken one"]));
    edit(path, "UPDATE facts SET body = '{}'");
    const group = await Promise.allSettled([
      store.learn(lesson(2, ["Fine before"])),
      store.learn(lesson(3, ["Half of it", "broken one"])),
      store.learn(lesson(4, ["Fine after"])),
    ]);
    expect(group.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(group[1]).toMatchObject({ reason: { code: "damaged" } });
    expect(await ids(store.search({ text: "fine", max: 9 }))).toHaveLength(2);
    expect((await store.tasks({ max: 9 })).map(({ id }) => id)).toEqual(["task-4", "task-2", "task-1"]);
    expect(await store.find("pattern-004")).toBeNull();
    await store.close();
  });

  it("counts the facts of each token, whatever becomes of them", async () => {
    const path = newPath();
    const store = openKnowledgeStore(path);
    await store.learn(lesson(1, [fact("Use tabs", { tags: ["style"] }), "Use blanks"], { status: "quarantined" }));
    await store.learn(lesson(2, [fact("Use tabs", { tags: ["other"], detail: "and no blanks" }), "Third"]));
    await store.trust("run", "step-1", 9);
    await store.change(change("pattern-002", { kind: "edit", fields: { text: "Use nothing", tags: ["void"] } }));
    await store.change(change("pattern-003", { kind: "merge", into: "pattern-001" }));
    expect(wrongCounts(path)).toEqual([]);
    await store.close();
  });

  it("looks at no table from its beginning to its end", async () => {
    const path = newPath();
    await openKnowledgeStore(path).close();
    const database = new DatabaseSync(path, { readOnly: true });
    for (const [name, sql] of Object.entries(KNOWLEDGE_SQL)) {
      // The audit and a rebuild read everything; the notes of changes are empty between transactions.
      if (name.startsWith("forget") || READS_ALL.includes(name)) continue;
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      const scans = steps.map(({ detail }) => String(detail)).filter((detail) => detail.startsWith("SCAN"));
      const bounded = {
        tasks: /^SCAN tasks USING INDEX tasks_by_time$/,
        touches: /^SCAN t$/,
        factsOfTaskName: /^SCAN l$/,
        // Only the journal counts them all, and by an index.
        countTasks: /^SCAN tasks USING COVERING INDEX /,
        countFiles: /^SCAN \w+ USING COVERING INDEX /,
      }[name];
      const isFine = (scan: string): boolean =>
        / VIRTUAL TABLE | CONSTANT ROW/.test(scan) || bounded?.test(scan) === true;
      expect(
        scans.filter((scan) => !isFine(scan)),
        name,
      ).toEqual([]);
    }
    database.close();
  });
});

describe("several processes", () => {
  it("that learn the same lessons at once learn each of them once", async () => {
    const path = newPath();
    const ended = await Promise.all([1, 2, 3, 4].map(() => learnApart(path, 1, 15).ended));
    expect(ended.map(({ code, errors }) => `${code}${errors}`)).toEqual(ended.map(() => "0"));
    const store = openKnowledgeStore(path);
    const facts = await store.page(null, 99);
    expect(facts.map(({ id }) => Number(id.slice("pattern-".length)))).toEqual(facts.map((_, at) => at + 1));
    expect(facts).toHaveLength(31);
    for (const { text, witnesses, opposes } of facts) {
      const isShared = text === "Everybody says this";
      expect([witnesses.length, opposes.length], text).toEqual(isShared ? [15, 0] : [1, 0]);
    }
    await store.close();
    expect(wrongCounts(path)).toEqual([]);
  });

  it(`${KILLS} of which are killed lose no lesson that was acknowledged, and keep no half of one`, async () => {
    const path = newPath();
    const random = new Random(20_261_116);
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = learnApart(path, acknowledged + 1, 1_000_000);
      const wanted = acknowledged + 1 + random.below(12);
      child.stdout.on("data", (text: Buffer) => {
        acknowledged = Math.max(acknowledged, Number(text.toString().trimEnd().split("\n").at(-1)));
        if (acknowledged >= wanted) child.kill("SIGKILL");
      });
      expect((await ended).signal).toBe("SIGKILL");
    }
    expect(integrity(path)).toEqual("ok");
    expect(wrongCounts(path)).toEqual([]);
    const store = openKnowledgeStore(path);
    const texts = (await store.page(null, 10_000)).map(({ text }) => text);
    for (let number = 1; number <= acknowledged; number++) expect(texts).toContain(`Remember ${number}n`);
    const halves = ["Remember", "Never forget"].map((verb) => texts.filter((text) => text.startsWith(verb)).length);
    expect(halves[0]).toBe(halves[1]);
    expect(await store.search({ text: `remember ${acknowledged}n`, max: 1 })).toHaveLength(1);
    await store.close();
  });
});

describe("a file of an older version", () => {
  const old = join(import.meta.dirname, "../histories/v2/loop/knowledge.db.gz");

  it("knows its facts again: their statements are computed as they are today", async () => {
    const path = newPath();
    writeFileSync(path, gunzipSync(readFileSync(old)));
    const store = openKnowledgeStore(path);
    const known = await store.page(null, 100);
    expect(known.length).toBeGreaterThan(0);
    const again = known.map(({ kind, text }, at) => fact(text, { kind, where: `again.${at}` }));
    const learned = await store.learn(lesson(900, again));
    expect(learned.map(({ id }) => id)).toEqual(known.map(({ id }) => id));
    expect(integrity(path)).toEqual("ok");
    expect(wrongCounts(path)).toEqual([]);
    await store.close();
  });
});

function learnApart(path: string, first: number, last: number): Apart {
  const script = join(import.meta.dirname, "knowledge-store-worker.ts");
  const child = spawn(process.execPath, [script, path, String(first), String(last)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (text) => (errors += String(text)));
  child.stdout.resume();
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, errors }));
  });
  return { child, ended };
}

interface Apart {
  readonly child: ReturnType<typeof spawn> & { readonly stdout: NodeJS.ReadableStream };
  readonly ended: Promise<Ended>;
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly errors: string;
}

/** As somebody with an editor for databases would. */
function edit(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path);
  try {
    for (const statement of statements) database.exec(statement);
  } finally {
    database.close();
  }
}

function integrity(path: string): unknown {
  const database = new DatabaseSync(path);
  try {
    database.exec("INSERT INTO fact_index (fact_index) VALUES ('integrity-check')");
    return database.prepare("PRAGMA integrity_check").get()?.["integrity_check"];
  } finally {
    database.close();
  }
}

/** Tokens whose number of facts is not what the facts themselves and the index say. */
function wrongCounts(path: string): string[] {
  const database = new DatabaseSync(path);
  try {
    const counts = new Map<string, number>();
    for (const { tokens } of database.prepare("SELECT tokens FROM facts").all()) {
      for (const token of String(tokens)
        .split(" ")
        .filter((one) => one !== "" && one !== "/")) {
        counts.set(token, (counts.get(token) ?? 0) + 1);
      }
    }
    const indexed = database.prepare("SELECT count(*) AS facts FROM fact_index WHERE fact_index MATCH ?");
    const rows = database.prepare("SELECT token, facts FROM tokens").all();
    const stored = new Map(rows.map(({ token, facts }) => [String(token), Number(facts)]));
    return [...new Set([...counts.keys(), ...stored.keys()])].filter((token) => {
      const expected = counts.get(token) ?? 0;
      return stored.get(token) !== expected || indexed.get(`"${token}"`)?.["facts"] !== expected;
    });
  } finally {
    database.close();
  }
}

const READS_ALL: readonly string[] = ["touched", "untouchAll", "sealedRows", "everyFact", "lastSeal"];
