import { generateKeyPairSync, sign } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { makeCheckpoint, readCheckpoint } from "../../src/audit/checkpoint.ts";
import { FIRST_HASH, hashOfEntry, hashOfText, runDigestOf } from "../../src/audit/hash-chain.ts";
import { hexOf } from "../../src/audit/signature.ts";
import type { KeptCheckpoint } from "../../src/ports/log-snapshot.ts";
import type { Signer } from "../../src/ports/log-signer.ts";
import type { Random } from "../simulation/random.ts";
import type { Tamper } from "./tamper-rows.ts";

/** Somebody who knows every formula, rewrites the past and makes it fit, and has everything but the key. */
export const forge: Tamper = (database, random) => {
  const what = random.pick(FORGERIES)(database, random);
  rechain(database);
  return `${what}; ${random.pick(COVERS)(database)}`;
};

type Rewrite = (database: DatabaseSync, random: Random) => string;

const FORGERIES: readonly Rewrite[] = [
  (database, random) => {
    const { position, run } = anyEntry(database, random);
    const data = `{"forged":${random.below(1000)}}`;
    database
      .prepare("UPDATE entries SET data = ?, data_hash = ? WHERE position = ?")
      .run(data, bytes(hashOfText(data)), position);
    return `entry ${position} of run ${run} rewritten`;
  },
  (database, random) => {
    const { position } = anyEntry(database, random);
    database.prepare("UPDATE entries SET at = at + ? WHERE position = ?").run(1 + random.below(1000), position);
    return `entry ${position} at another time`;
  },
  (database, random) => {
    const { position } = anyEntry(database, random);
    database.exec(`DELETE FROM entries WHERE position >= ${position}`);
    database.exec(`DELETE FROM letters WHERE run NOT IN (SELECT run FROM entries)`);
    database.exec(`DELETE FROM effects WHERE run NOT IN (SELECT run FROM entries)`);
    database.exec(`DELETE FROM runs WHERE number NOT IN (SELECT run FROM entries)`);
    database.exec("UPDATE runs SET sequence = (SELECT max(sequence) FROM entries WHERE run = runs.number)");
    return `everything from entry ${position} on cut off`;
  },
  (database, random) => {
    const { run } = anyEntry(database, random);
    const status = random.pick(["forged", "approved"]);
    database.prepare("UPDATE runs SET status = ? WHERE number = ?").run(status, run);
    return `run ${run} ${status}`;
  },
  (database, random) => {
    const { run } = anyEntry(database, random);
    database
      .prepare("UPDATE runs SET summary = ? WHERE number = ?")
      .run(`{"done":${random.below(99)},"forged":1}`, run);
    return `run ${run} with another summary`;
  },
  (database) => {
    database.exec(`INSERT INTO entries SELECT (SELECT max(position) + 1 FROM entries), run,
      (SELECT max(sequence) + 1 FROM entries WHERE run = e.run), at, 'forged', data, data_hash, hash, NULL
      FROM entries e WHERE position = 2`);
    database.exec("UPDATE entries SET position = -position WHERE position > 3");
    database.exec("UPDATE entries SET position = 4 WHERE kind = 'forged'");
    database.exec("UPDATE entries SET position = 1 - position WHERE position < 0");
    database.exec(
      "UPDATE runs SET sequence = (SELECT max(sequence) FROM entries WHERE run = runs.number) WHERE sequence > 0",
    );
    return "an entry put in after 3";
  },
];

type Cover = (database: DatabaseSync) => string;

const COVERS: readonly Cover[] = [
  () => "checkpoints as they were",
  (database) => {
    database.exec("DELETE FROM checkpoints");
    return "no checkpoints";
  },
  (database) => {
    const heads = new Map(entriesOf(database).map(({ position, hash }) => [position, hash]));
    for (const kept of checkpointsOf(database)) {
      const body = readCheckpoint(kept);
      const fits = body !== null && heads.get(body.position) === body.hash;
      if (!fits) database.exec(`DELETE FROM checkpoints WHERE number = ${kept.number}`);
    }
    return "checkpoints that no longer fit taken out";
  },
  (database) => {
    resign(database, STRANGER);
    return "signed by a stranger";
  },
  (database) => {
    resign(database, { why: "the key could not be read" });
    return "checkpoints made anew, unsigned";
  },
  (database) => {
    const signatures = checkpointsOf(database).map(({ signature }) => signature);
    resign(database, { publicKey: keyIn(database), sign: () => signatures.shift() ?? "00".repeat(64) });
    return "checkpoints made anew with the old signatures";
  },
];

const stranger = generateKeyPairSync("ed25519").privateKey;
const STRANGER: Signer = {
  publicKey: hexOf(stranger) ?? "",
  sign: (text) => sign(null, Buffer.from(text), stranger).toString("hex"),
};

/** The last checkpoint signed by somebody else, or by nobody, and nothing else changed. */
export const exchangeSignature: Tamper = (database, random) => {
  const all = checkpointsOf(database);
  const kept = all.at(-1);
  const body = kept === undefined ? null : readCheckpoint(kept);
  if (kept === undefined || body === null) throw new Error("there is no checkpoint");
  const previous = all.at(-2) ?? null;
  const standing = {
    log: body.log,
    head: body,
    pruned: body.pruned,
    prunedTexts: body.prunedTexts ?? 0,
    counts: body.rows,
    previous,
  };
  const signer = random.pick([STRANGER, { why: "the key could not be read" }]);
  const made = makeCheckpoint(standing, signer, body.at);
  database
    .prepare("UPDATE checkpoints SET body = ?, signature = ? WHERE number = ?")
    .run(made.body, made.signature, kept.number);
  return `the last checkpoint signed by ${"why" in signer ? "nobody" : "a stranger"}`;
};

export const removeCheckpoints: Tamper = (database, random) => {
  const from = 1 + random.below(checkpointsOf(database).length);
  database.exec(`DELETE FROM checkpoints WHERE number >= ${from}`);
  return `checkpoints from ${from} on taken out`;
};

function resign(database: DatabaseSync, signer: Parameters<typeof makeCheckpoint>[1]): void {
  const heads = new Map(entriesOf(database).map(({ position, hash }) => [position, hash]));
  const old = checkpointsOf(database);
  database.exec("DELETE FROM checkpoints");
  const insert = database.prepare("INSERT INTO checkpoints VALUES (?, ?, ?)");
  let previous: KeptCheckpoint | null = null;
  for (const kept of old) {
    const body = readCheckpoint(kept);
    const hash = body === null ? undefined : heads.get(body.position);
    if (body === null || hash === undefined) continue;
    const head = { position: body.position, hash };
    const made: KeptCheckpoint = makeCheckpoint(
      { log: body.log, head, pruned: body.pruned, prunedTexts: body.prunedTexts ?? 0, counts: body.rows, previous },
      signer,
      body.at,
    );
    insert.run(made.number, made.body, made.signature);
    previous = made;
  }
}

/** Every seal and every hash as if it had always been so. */
function rechain(database: DatabaseSync): void {
  const runs = database.prepare("SELECT * FROM runs WHERE sequence > 0").all();
  for (const row of runs) {
    const effects = database
      .prepare("SELECT number, key, kind, data FROM effects WHERE run = ? ORDER BY number")
      .all(row["number"] ?? 0);
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
      .run(bytes(seal), row["number"] ?? 0, row["sequence"] ?? 0);
  }
  const update = database.prepare("UPDATE entries SET hash = ? WHERE position = ?");
  let previous = FIRST_HASH;
  for (const entry of entriesOf(database)) {
    previous = hashOfEntry(previous, entry);
    update.run(bytes(previous), entry.position);
  }
}

function entriesOf(database: DatabaseSync): (Parameters<typeof hashOfEntry>[1] & { readonly hash: string })[] {
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

function checkpointsOf(database: DatabaseSync): KeptCheckpoint[] {
  const rows = database.prepare("SELECT * FROM checkpoints ORDER BY number").all();
  return rows.map((row) => ({
    number: Number(row["number"]),
    body: String(row["body"]),
    signature: row["signature"] === null ? null : String(row["signature"]),
  }));
}

function keyIn(database: DatabaseSync): string {
  const [first] = checkpointsOf(database);
  return (first === undefined ? null : readCheckpoint(first))?.key ?? "";
}

function anyEntry(database: DatabaseSync, random: Random): { readonly position: number; readonly run: number } {
  const rows = database.prepare("SELECT position, run FROM entries WHERE data IS NOT NULL").all();
  const row = random.pick(rows);
  return { position: Number(row["position"]), run: Number(row["run"]) };
}

function hex(value: unknown): string {
  return Buffer.from(value as Uint8Array).toString("hex");
}

function bytes(hash: string): Buffer {
  return Buffer.from(hash, "hex");
}
