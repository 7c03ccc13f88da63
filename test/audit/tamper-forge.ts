import { generateKeyPairSync, sign } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type CheckpointBody, makeCheckpoint, readCheckpoint } from "../../src/audit/checkpoint.ts";
import { hashOfText } from "../../src/audit/hash-chain.ts";
import { hexOf } from "../../src/audit/signature.ts";
import type { KeptCheckpoint } from "../../src/ports/log-snapshot.ts";
import type { NoSigner, Signer } from "../../src/ports/log-signer.ts";
import type { Random } from "../simulation/random.ts";
import { hashesIn, rechain, registerIn } from "./rechain.ts";
import type { Tamper } from "./tamper-rows.ts";

/** Somebody who knows every formula, rewrites the past and makes it fit, and has everything but the key. */
export const forge: Tamper = (database, random) => {
  const what = random.pick(FORGERIES)(database, random);
  rechain(database);
  return `${what}; ${random.pick(COVERS)(database)}`;
};

/** Data taken away as `baton prune` does, with all that it writes but the signature. */
export const forgePruning: Tamper = (database, random) => {
  const what = pruneRun(database, random);
  rechain(database);
  return `${what}; ${random.pick([COVERS[0] as Cover, ...APPENDED])(database)}`;
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
    database.exec("UPDATE runs SET sequence = (SELECT max(sequence) FROM entries WHERE run = runs.number)");
    return "an entry added to the first run";
  },
  (database, random) => {
    const run = anyRun(database, random);
    removeRun(database, run);
    return `run ${run} removed with its entries in the register`;
  },
  (database) => {
    const rows = database.prepare("SELECT number FROM runs ORDER BY number DESC LIMIT 2").all();
    for (const row of rows) removeRun(database, Number(row["number"]));
    return "the last two runs removed";
  },
  (database, random) => {
    const ended = database.prepare("SELECT number FROM runs WHERE finished = 1 AND emptied = 0 ORDER BY number").all();
    const run = Number(random.pick(ended)["number"]);
    database.exec(
      `DELETE FROM entries WHERE run = ${run} AND sequence = (SELECT sequence FROM runs WHERE number = ${run})`,
    );
    database.exec(`UPDATE runs SET sequence = sequence - 1 WHERE number = ${run}`);
    return `run ${run} ended one entry earlier`;
  },
  (database) => {
    const last = Number(database.prepare("SELECT max(number) AS number FROM runs").get()?.["number"]);
    for (const table of ["entries", "letters", "effects"])
      database.exec(`UPDATE ${table} SET run = run + 1 WHERE run = ${last}`);
    database.exec(`UPDATE runs SET number = number + 1 WHERE number = ${last}`);
    database.exec(`INSERT INTO runs
      (number, run, name, workflow, status, created_at, updated_at, fence, summary, brief, head)
      SELECT ${last}, 'forged', name, workflow, 'running', created_at, created_at, 1, '{}', '', zeroblob(32)
      FROM runs LIMIT 1`);
    return "a run added";
  },
  (database, random) => pruneRun(database, random),
];

function pruneRun(database: DatabaseSync, random: Random): string {
  const [row] = database
    .prepare("SELECT number, run, sequence FROM runs WHERE emptied = 0 AND finished = 1 ORDER BY number")
    .all();
  const number = Number(row?.["number"]);
  const [run, through] = [String(row?.["run"]), Number(row?.["sequence"])];
  const { changes } = database.prepare("UPDATE entries SET data = NULL WHERE run = ?").run(number);
  database.exec(`UPDATE runs SET emptied = sequence WHERE number = ${number}`);
  database.exec(`UPDATE ledger SET pruned = pruned + ${Number(changes)}`);
  const tells = random.chance(0.7);
  if (tells) {
    const body = JSON.stringify({ kind: "pruned", runs: [{ from: 0, run, through }] });
    database.prepare("INSERT INTO register VALUES ((SELECT max(number) + 1 FROM register), ?, zeroblob(32))").run(body);
  }
  return `run ${run} pruned by hand${tells ? ", and the register told so" : ""}`;
}

function anyRun(database: DatabaseSync, random: Random): number {
  return Number(random.pick(database.prepare("SELECT number FROM runs").all())["number"]);
}

/** The numbers of the others close up. */
function removeRun(database: DatabaseSync, number: number): void {
  const name = String(database.prepare("SELECT run FROM runs WHERE number = ?").get(number)?.["run"]);
  for (const table of ["entries", "letters", "effects"]) database.exec(`DELETE FROM ${table} WHERE run = ${number}`);
  database.exec(`DELETE FROM runs WHERE number = ${number}`);
  for (const { number: at, body } of registerIn(database))
    if (body.includes(`"run":${JSON.stringify(name)}`) && !body.includes('"kind":"pruned"'))
      database.exec(`DELETE FROM register WHERE number = ${at}`);
  for (const table of ["entries", "letters", "effects"])
    database.exec(`UPDATE ${table} SET run = run - 1 WHERE run > ${number}`);
  const later = database.prepare("SELECT number FROM runs WHERE number > ? ORDER BY number").all(number);
  for (const row of later) database.exec(`UPDATE runs SET number = number - 1 WHERE number = ${Number(row["number"])}`);
}

type Cover = (database: DatabaseSync) => string;

/** A checkpoint more, over the log as it is now. */
const APPENDED: readonly Cover[] = [
  (database) => {
    append(database, { why: "the key could not be read" });
    return "an unsigned checkpoint appended";
  },
  (database) => {
    append(database, STRANGER);
    return "a checkpoint appended that a stranger has signed";
  },
];

const COVERS: readonly Cover[] = [
  () => "checkpoints as they were",
  (database) => {
    database.exec("DELETE FROM checkpoints");
    return "no checkpoints";
  },
  (database) => {
    const hashes = hashesIn(database);
    const body = (kept: KeptCheckpoint): CheckpointBody | null => readCheckpoint(kept);
    for (const kept of checkpointsOf(database))
      if (!hashes.fit(body(kept))) database.exec(`DELETE FROM checkpoints WHERE number = ${kept.number}`);
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
  ...APPENDED,
];

/** Nothing else is changed: what could be said by it is said by nobody who is known. */
export const appendCheckpoint: Tamper = (database, random) => random.pick(APPENDED)(database);

const stranger = generateKeyPairSync("ed25519").privateKey;
const STRANGER: Signer = {
  publicKey: hexOf(stranger) ?? "",
  sign: (text) => sign(null, Buffer.from(text), stranger).toString("hex"),
};

/** The last checkpoint signed by somebody else, or by nobody, and nothing else changed. */
export const exchangeSignature: Tamper = (database, random) => {
  const kept = checkpointsOf(database).at(-1);
  if (kept === undefined) throw new Error("there is no checkpoint");
  database.exec(`DELETE FROM checkpoints WHERE number = ${kept.number}`);
  const signer = random.pick([STRANGER, { why: "the key could not be read" }]);
  append(database, signer, readCheckpoint(kept));
  return `the last checkpoint signed by ${"why" in signer ? "nobody" : "a stranger"}`;
};

export const removeCheckpoints: Tamper = (database, random) => {
  const from = 1 + random.below(checkpointsOf(database).length);
  database.exec(`DELETE FROM checkpoints WHERE number >= ${from}`);
  return `checkpoints from ${from} on taken out`;
};

function resign(database: DatabaseSync, signer: Signer | NoSigner): void {
  const old = checkpointsOf(database);
  database.exec("DELETE FROM checkpoints");
  for (const kept of old) append(database, signer, readCheckpoint(kept));
}

/** A checkpoint that says of the present log what this one said of the old; or all that there is now. */
function append(database: DatabaseSync, signer: Signer | NoSigner, like: CheckpointBody | null = null): void {
  const previous = checkpointsOf(database).at(-1) ?? null;
  const hashes = hashesIn(database);
  const body = like?.version === 2 ? like : null;
  const ledger = database.prepare("SELECT log, pruned, pruned_texts FROM ledger").get() ?? {};
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]);
  const made = makeCheckpoint(
    {
      log: String(ledger["log"]),
      position: Math.min(body?.position ?? Infinity, hashes.position),
      register: hashes.registerUpTo(body?.register.number ?? Infinity),
      runs: (body?.runs ?? []).flatMap(({ run, sequence }) => hashes.headUpTo(run, sequence)),
      pruned: body?.pruned ?? Number(ledger["pruned"]),
      prunedTexts: body?.prunedTexts ?? Number(ledger["pruned_texts"]),
      counts: body?.rows ?? {
        runs: count("runs"),
        letters: count("letters"),
        texts: count("texts"),
        workflows: count("workflows"),
      },
      previous,
    },
    signer,
    body?.at ?? 9_000,
  );
  database.prepare("INSERT INTO checkpoints VALUES (?, ?, ?)").run(made.number, made.body, made.signature);
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

function bytes(hash: string): Buffer {
  return Buffer.from(hash, "hex");
}
