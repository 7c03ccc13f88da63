import type { DatabaseSync } from "node:sqlite";
import type { CheckpointBody } from "../../src/audit/checkpoint.ts";
import { canonicalJson, hashOfEntry, runChecksum, runDigestOf } from "../../src/audit/hash-chain.ts";
import {
  EMPTY_REGISTER,
  nextInRegister,
  readRegisterEntry,
  type RegisterEntry,
  type RegisterHead,
  type RunHead,
} from "../../src/audit/register.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";

/** Every seal, every hash of every chain and the whole register as if it had always been so. */
export function rechain(database: DatabaseSync): void {
  for (const row of database.prepare("SELECT * FROM runs").all()) reseal(database, row);
  const all = entriesOf(database);
  const entries = new Map(all.map(({ run }) => [run, all.filter((entry) => entry.run === run)]));
  const update = database.prepare("UPDATE entries SET hash = ? WHERE position = ?");
  const heads = new Map<string, RunHead>();
  /** Goes on with the chain of a run up to a sequence number. */
  const chainTo = (run: string, through: number): string => {
    let head = heads.get(run) ?? { run, sequence: 0, hash: "" };
    for (const entry of entries.get(run) ?? []) {
      if (entry.sequence <= head.sequence || entry.sequence > through) continue;
      head = { run, sequence: entry.sequence, hash: hashOfEntry(head.hash, entry) };
      update.run(bytes(head.hash), entry.position);
    }
    heads.set(run, head);
    return head.hash;
  };
  rewriteRegister(
    database,
    (entry) => {
      if (entry.kind !== "ended") return entry;
      const last = entries.get(entry.run)?.at(-1)?.sequence ?? 0;
      const sequence = Math.min(entry.sequence, last);
      return { ...entry, sequence, hash: chainTo(entry.run, sequence) };
    },
    (run, hash) => heads.set(run, { run, sequence: 0, hash }),
  );
  for (const row of database.prepare("SELECT number, run FROM runs").all()) {
    const head = chainTo(String(row["run"]), Infinity);
    database.prepare("UPDATE runs SET head = ? WHERE number = ?").run(bytes(head), row["number"] ?? 0);
  }
}

/** In its order, with the numbers closed up; runs that it does not have are created before the last one that it has. */
function rewriteRegister(
  database: DatabaseSync,
  change: (entry: RegisterEntry) => RegisterEntry,
  created: (run: string, hash: string) => void,
): void {
  const rows = registerIn(database).flatMap(({ body }) => readRegisterEntry(body) ?? []);
  const known = new Set(rows.flatMap((entry) => (entry.kind === "created" ? [entry.run] : [])));
  const runs = database.prepare("SELECT * FROM runs ORDER BY number").all();
  const marks = new Map(runs.map((row) => [String(row["run"]), markOf(row)]));
  const added = [...marks.keys()]
    .filter((run) => !known.has(run))
    .map((run) => ({ kind: "created", run, mark: "" }) as const);
  database.exec("DELETE FROM register");
  const insert = database.prepare("INSERT INTO register VALUES (?, ?, ?)");
  let head: RegisterHead = EMPTY_REGISTER;
  const place = rows.findLastIndex(({ kind }) => kind === "created");
  for (const entry of rows.toSpliced(place, 0, ...added)) {
    const told = entry.kind === "created" ? { ...entry, mark: marks.get(entry.run) ?? entry.mark } : change(entry);
    const row = nextInRegister(head, told);
    insert.run(row.number, row.body, bytes(row.hash));
    if (told.kind === "created") created(told.run, row.hash);
    head = row;
  }
}

type Row = Record<string, unknown>;

function markOf(row: Row): string {
  const [run, name, workflow, brief] = ["run", "name", "workflow", "brief"].map((column) => String(row[column]));
  return runChecksum({
    run: run ?? "",
    name: name ?? "",
    workflow: workflow ?? "",
    brief: brief ?? "",
    createdAt: Number(row["created_at"]),
  });
}

function reseal(database: DatabaseSync, row: Row): void {
  const number = Number(row["number"]);
  database.prepare("UPDATE runs SET mark = ? WHERE number = ?").run(bytes(markOf(row)), number);
  if (Number(row["sequence"]) === 0) return;
  const effects = database
    .prepare("SELECT number, key, kind, data FROM effects WHERE run = ? ORDER BY number")
    .all(number);
  const seal = runDigestOf({
    name: String(row["name"]),
    workflow: String(row["workflow"]),
    brief: String(row["brief"]),
    createdAt: Number(row["created_at"]),
    status: String(row["status"]),
    finished: row["finished"] === 1,
    updatedAt: Number(row["updated_at"]),
    sequence: Number(row["sequence"]),
    wakeAt: row["wake_at"] === null ? null : Number(row["wake_at"]),
    summary: String(row["summary"]),
    effects: effects.map((effect) => ({
      number: Number(effect["number"]),
      key: String(effect["key"]),
      kind: String(effect["kind"]),
      data: String(effect["data"]),
    })),
  });
  database
    .prepare("UPDATE entries SET seal = ? WHERE run = ? AND sequence = ?")
    .run(bytes(seal), number, Number(row["sequence"]));
}

interface Hashes {
  readonly position: number;
  registerUpTo(number: number): RegisterHead;
  headUpTo(run: string, sequence: number): RunHead[];
  fit(body: CheckpointBody | null): boolean;
}

/** What a checkpoint can say about the log as it is. */
export function hashesIn(database: DatabaseSync): Hashes {
  const entries = entriesOf(database);
  const register = registerIn(database);
  const headUpTo = (run: string, sequence: number): RunHead[] =>
    entries
      .filter((entry) => entry.run === run && entry.sequence <= sequence)
      .slice(-1)
      .map(({ hash, ...entry }) => ({ run, sequence: entry.sequence, hash }));
  return {
    position: entries.at(-1)?.position ?? 0,
    registerUpTo: (number) => register.filter((row) => row.number <= number).at(-1) ?? EMPTY_REGISTER,
    headUpTo,
    fit(body) {
      if (body?.version !== 2) return false;
      const isRegistered = register.some(
        ({ number, hash }) => number === body.register.number && hash === body.register.hash,
      );
      return isRegistered && body.runs.every(({ run, sequence, hash }) => headUpTo(run, sequence)[0]?.hash === hash);
    },
  };
}

type ForgedEntry = Parameters<typeof hashOfEntry>[1] & { readonly hash: string };

function entriesOf(database: DatabaseSync): ForgedEntry[] {
  const rows = database
    .prepare("SELECT e.*, r.run AS name FROM entries e JOIN runs r ON r.number = e.run ORDER BY position")
    .all();
  return rows.map((row) => ({
    position: Number(row["position"]),
    run: String(row["name"]),
    sequence: Number(row["sequence"]),
    at: Number(row["at"]),
    kind: String(row["kind"]),
    dataHash: hex(row["data_hash"]),
    seal: row["seal"] === null ? null : hex(row["seal"]),
    hash: hex(row["hash"]),
  }));
}

export function registerIn(database: DatabaseSync): (RegisterHead & { readonly body: string })[] {
  const rows = database.prepare("SELECT * FROM register ORDER BY number").all();
  return rows.map((row) => ({
    number: Number(row["number"]),
    body: canonical(String(row["body"])),
    hash: hex(row["hash"]),
  }));
}

function canonical(body: string): string {
  return canonicalJson(JSON.parse(body) as JsonRecord);
}

function hex(value: unknown): string {
  return Buffer.from(value as Uint8Array).toString("hex");
}

function bytes(hash: string): Buffer {
  return Buffer.from(hash, "hex");
}
