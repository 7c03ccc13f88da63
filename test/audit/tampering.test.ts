import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyExport } from "../../src/audit/verify-export.ts";
import { StoreError } from "../../src/ports/event-log.ts";
import type { AuditReport } from "../../src/runtime/operations/verify-audit.ts";
import { verifyAudit } from "../../src/runtime/operations/verify-audit.ts";
import { exportAudit } from "../../src/runtime/operations/audit-head.ts";
import { Random } from "../simulation/random.ts";
import { type AuditRoom, makeRoom, type OpenCopy } from "./audit-room.ts";
import { logicalDump } from "./logical-dump.ts";
import { changeBytes, changeLines } from "./tamper-file.ts";
import { appendCheckpoint, exchangeSignature, forge, forgePruning, removeCheckpoints } from "./tamper-forge.ts";
import {
  ALL_TABLES,
  changeSchema,
  changeValue,
  deleteRow,
  deleteRun,
  exchangePruned,
  fakePrune,
  fakeTextPrune,
  insertCopy,
  swapColumn,
  swapRows,
  type Tamper,
  truncate,
} from "./tamper-rows.ts";

/** `BATON_TAMPERS=100000` for the long run; `BATON_TAMPER_SEED` for another one. */
const TAMPERS = Number(process.env["BATON_TAMPERS"] ?? 1_000);
const SEED = Number(process.env["BATON_TAMPER_SEED"] ?? 20_261_116);

/** How many of a hundred edits are of which kind. */
const SHARES: readonly (readonly [string, number, Tamper])[] = [
  ["values", 22, changeValue],
  ["rows deleted", 6, deleteRow],
  ["ends cut off", 4, truncate],
  ["runs taken out", 3, deleteRun],
  ["rows exchanged", 4, swapRows],
  ["columns exchanged", 5, swapColumn],
  ["rows put in", 4, insertCopy],
  ["contents emptied", 3, fakePrune],
  ["texts emptied", 2, fakeTextPrune],
  ["forged", 8, forge],
  ["pruning forged", 3, forgePruning],
  ["pruned runs exchanged", 1, exchangePruned],
  ["signatures exchanged", 2, exchangeSignature],
  ["checkpoints appended", 2, appendCheckpoint],
  ["checkpoints removed", 2, removeCheckpoints],
];
const SCHEMA_SHARE = 2;
const FILE_SHARE = 17;
const EXPORT_SHARE = 10;

let room: AuditRoom;
let copy: OpenCopy;
let editor: DatabaseSync;
type Row = Record<string, SQLOutputValue>;
/** What stands in each table before it is edited. */
let rows: ReadonlyMap<string, { readonly found: readonly Row[]; readonly text: string }>;
let dump: string;
/** What `baton audit head` has printed. */
let head: { readonly hash: string; readonly position: number };

beforeAll(async () => {
  room = await makeRoom();
  copy = room.open(room.bytes, "edited.db");
  editor = new DatabaseSync(copy.path, { enableForeignKeyConstraints: false });
  editor.exec("PRAGMA synchronous = OFF");
  rows = new Map(
    ALL_TABLES.map((table) => {
      const found = readTable(table);
      return [table, { found, text: asText(found) }];
    }),
  );
  dump = logicalDump(copy.path);
  const { position, hash } = (await verifyAudit(copy.engine)).head;
  head = { position, hash };
});
afterAll(async () => {
  editor.close();
  await copy.close();
  room.remove();
});

describe("a log that nobody has touched", () => {
  it("is intact, proven to its end, and tells what was masked", async () => {
    const report = await verifyAudit(copy.engine);
    expect(report).toMatchObject({
      verdict: "intact",
      findings: [],
      tail: 0,
      pruned: { runs: 1, entries: 8, texts: 2 },
    });
    expect(report.proven?.position).toBe(report.head.position);
    expect(report.masked).toEqual({ JWT: 2 });
  });
});

describe(`${TAMPERS} random edits`, () => {
  it("are all found, and each is told where", { timeout: 3_600_000 }, async () => {
    const random = new Random(SEED);
    const counts: Record<string, Count> = {};
    const lines = await exportedText();
    const kinds: readonly (readonly [string, number, () => Promise<Outcome>])[] = [
      ["bytes of the file", FILE_SHARE, () => tamperFile(random)],
      ["lines of an export", EXPORT_SHARE, () => tamperExport(lines, random)],
      ["schema", SCHEMA_SHARE, () => tamperSchema(random)],
      ...SHARES.map(([name, share, tamper]) => [name, share, () => tamperRows(tamper, random)] as const),
    ];
    for (const [name, share, act] of kinds) {
      const count = await tamperOften(share, name, act);
      counts[name] = count;
      // Who waits for a hundred thousand wants to see how far it is.
      if (TAMPERS > 1_000) console.log(describeCounts({ [name]: count }));
    }
    console.log(describeCounts(counts));
    expect(Object.values(counts).flatMap(({ missed }) => missed)).toEqual([]);
    expect(Object.values(counts).flatMap(({ unlocated }) => unlocated)).toEqual([]);
    expect(await verifyAudit(copy.engine)).toMatchObject({ verdict: "intact" });
  });

  it("a ledger whose only row has another number is found: the file itself holds no constraint", async () => {
    const edited = room.open();
    const database = new DatabaseSync(edited.path);
    database.exec("PRAGMA ignore_check_constraints = ON; UPDATE ledger SET one = 2");
    database.close();
    const report = await verifyAudit(edited.engine);
    expect(report).toMatchObject({ verdict: "broken", findings: [{ code: "damaged-file" }] });
    await edited.close();
  });

  it("an older copy in the place of the log is found by what was last signed", async () => {
    const older = room.open(room.older);
    const report = await verifyAudit(older.engine);
    expect(report.findings.map(({ code }) => code)).toContain("cut-off");
    // Without what was signed last it is whole in itself.
    expect((await verifyAudit({ ports: older.engine.ports }, { keys: room.logSigner.keys() })).verdict).toBe("intact");
    await older.close();
  });
});

interface Outcome {
  readonly what: string;
  /** Null when the log would not even open. */
  readonly report: AuditReport | null;
  /** Whether it says the same as before, in other bytes. */
  readonly isSame?: boolean;
}

interface Count {
  edits: number;
  same: number;
  refused: number;
  readonly missed: string[];
  readonly unlocated: string[];
}

/** So many that have changed something: what says the same in other bytes is no edit, and another one is made. */
async function tamperOften(share: number, name: string, act: () => Promise<Outcome>): Promise<Count> {
  const count: Count = { edits: 0, same: 0, refused: 0, missed: [], unlocated: [] };
  const most = Math.max(1, Math.round((TAMPERS * share) / 100));
  while (count.edits < most) note(count, name, await act());
  return count;
}

function note(count: Count, name: string, { what, report, isSame }: Outcome): void {
  if (isSame === true) {
    count.same++;
    return;
  }
  count.edits++;
  if (report === null) count.refused++;
  else if (report.verdict !== "broken") count.missed.push(`${name}: ${what}`);
  else if (!report.findings.some(isLocated)) count.unlocated.push(`${name}: ${what}`);
}

/** A page that SQLite cannot read is told by its number. */
function isLocated({ code, position, run, row, message }: AuditReport["findings"][number]): boolean {
  return position !== null || run !== null || row !== null || (code === "damaged-file" && message.length > 0);
}

/** On one open log; what was changed is put back afterwards. */
async function tamperRows(tamper: Tamper, random: Random): Promise<Outcome> {
  const what = begin(tamper, random);
  try {
    const report = await verifyOrRefuse(copy);
    return { what, report, isSame: report?.verdict === "intact" && saysTheSame(copy.path) };
  } finally {
    restore();
  }
}

/** Until one is found that no constraint stands in the way of. */
function begin(tamper: Tamper, random: Random): string {
  for (;;) {
    editor.exec("BEGIN");
    try {
      const what = tamper(editor, random);
      editor.exec("COMMIT");
      if (hasChanged()) return what;
    } catch {
      if (editor.isTransaction) editor.exec("ROLLBACK");
    }
  }
}

function hasChanged(): boolean {
  return ALL_TABLES.some(isChanged);
}

function isChanged(table: (typeof ALL_TABLES)[number]): boolean {
  return asText(readTable(table)) !== rows.get(table)?.text;
}

function readTable(table: (typeof ALL_TABLES)[number]): Row[] {
  return statement(`SELECT ${table === "workflows" ? "rowid AS rowid, " : ""}* FROM ${table}`).all();
}

function asText(found: readonly Row[]): string {
  return JSON.stringify(found, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  );
}

function restore(): void {
  editor.exec("BEGIN");
  for (const table of ALL_TABLES.filter(isChanged)) {
    editor.exec(`DELETE FROM ${table}`);
    for (const row of rows.get(table)?.found ?? []) {
      const names = Object.keys(row);
      const insert = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
      // Node 22 stores an empty array that has no memory as NULL.
      const values = Object.values(row).map((value) => (isEmpty(value) ? new Uint8Array() : value));
      statement(insert).run(...values);
    }
  }
  editor.exec("COMMIT");
}

function isEmpty(value: SQLOutputValue): boolean {
  return value instanceof Uint8Array && value.length === 0;
}

const prepared = new Map<string, StatementSync>();

function statement(sql: string): StatementSync {
  const found = prepared.get(sql) ?? editor.prepare(sql);
  prepared.set(sql, found);
  return found;
}

async function tamperSchema(random: Random): Promise<Outcome> {
  let what = "";
  const report = await openAndVerify(room.bytes, (path) => {
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    what = changeSchema(database, random);
    database.close();
  });
  return { what, ...report };
}

async function tamperFile(random: Random): Promise<Outcome> {
  const { bytes, what } = random.chance(0.01)
    ? { bytes: room.older, what: "an older copy" }
    : changeBytes(room.bytes, random);
  return { what, ...(await openAndVerify(bytes)) };
}

async function openAndVerify(
  bytes: Uint8Array,
  edit: (path: string) => void = () => undefined,
): Promise<Pick<Outcome, "report" | "isSame">> {
  const { writeFileSync, rmSync } = process.getBuiltinModule("node:fs");
  const path = `${room.folder}/changed.db`;
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${end}`, { force: true });
  writeFileSync(path, bytes);
  edit(path);
  const before = readFile(path);
  let opened: OpenCopy;
  try {
    opened = room.open(before, "changed.db");
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { report: null };
  }
  try {
    const report = await verifyOrRefuse(opened);
    const isMissed = report !== null && report.verdict !== "broken";
    return { report, isSame: isMissed && saysTheSame(opened.path) };
  } finally {
    await opened.close().catch(() => undefined);
  }
}

function readFile(path: string): Buffer {
  return process.getBuiltinModule("node:fs").readFileSync(path);
}

function saysTheSame(path: string): boolean {
  try {
    return logicalDump(path) === dump;
  } catch {
    return false;
  }
}

/** A file that cannot be looked at is refused, and never passes. */
async function verifyOrRefuse({ engine }: OpenCopy): Promise<AuditReport | null> {
  try {
    return await verifyAudit(engine);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

async function exportedText(): Promise<string> {
  let text = "";
  for await (const piece of exportAudit(copy.engine)) text += piece;
  return text;
}

async function tamperExport(text: string, random: Random): Promise<Outcome> {
  let changed = changeLines(text, random);
  while (changed.text === text) changed = changeLines(text, random);
  const report = await verifyExport(linesOf(changed.text), { keys: room.logSigner.keys(), seen: [], head });
  return { what: changed.what, report };
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.replace(/\n$/, "").split("\n");
}

function describeCounts(counts: Readonly<Record<string, Count>>): string {
  const lines = Object.entries(counts).map(([name, { edits, same, refused, missed }]) => {
    const found = `${edits - missed.length} of ${edits} found`;
    return `  ${name.padEnd(22)} ${found}${refused > 0 ? `, ${refused} not even opened` : ""}${same > 0 ? ` (${same} more said the same)` : ""}`;
  });
  const all = Object.values(counts).reduce((sum, { edits }) => sum + edits, 0);
  return [`seed ${SEED}: ${all} edits`, ...lines].join("\n");
}
