import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCheckpoint } from "../../src/audit/checkpoint.ts";
import { isSignedBy, pemOf, publicKeyIn } from "../../src/audit/signature.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { KeptCheckpoint } from "../../src/ports/log-snapshot.ts";
import type { LogSigner } from "../../src/ports/log-signer.ts";
import { acceptLog, auditHead } from "../../src/runtime/operations/audit-head.ts";
import { verifyAudit } from "../../src/runtime/operations/verify-audit.ts";
import { fileLogSigner } from "../../src/stores/signer/file-log-signer.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, LATER, someEntries } from "../contracts/event-log-commits.ts";
import { engineOn } from "./audit-room.ts";

let folder: string;
let place: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-checkpoints-"));
  place = join(folder, "state", "baton.db");
  mkdirSync(join(folder, "state"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function notaryHere(config = join(folder, "config")): LogSigner {
  return fileLogSigner({ folder: config, place, forbidden: [join(folder, "state"), join(folder, "repository")] });
}

async function begin(log: EventLog, run: string, entries: number, parts = {}): Promise<void> {
  const lease = await log.create({ run, name: "n", workflow: "0".repeat(64), at: 1 }, "worker", LATER);
  await log.commit(commitOf(lease, 0, { entries: someEntries(entries), ...parts }));
}

async function checkpointsIn(log: EventLog): Promise<readonly KeptCheckpoint[]> {
  const snapshot = await log.snapshot();
  try {
    return await snapshot.checkpoints(0, 99);
  } finally {
    await snapshot.close();
  }
}

describe("a checkpoint", () => {
  it.each([
    ["a run has ended", 3, { finished: true, status: "completed" }],
    ["a run waits for a person", 3, { status: "waiting" }],
    ["a few hundred entries have come", 300, {}],
  ])("is made when %s, without being asked for", async (_when, entries, parts) => {
    const log = openSqliteLog(place, { logSigner: notaryHere() });
    await begin(log, "a", entries, parts);
    await expect.poll(() => checkpointsIn(log)).toHaveLength(1);
    const [kept] = await checkpointsIn(log);
    const body = readCheckpoint(kept as KeptCheckpoint);
    expect(body).toMatchObject({ version: 2, number: 1, position: entries, unsigned: null });
    await log.close();
  });

  it("covers what a process has written when it ends, and is made once for the same head", async () => {
    const log = openSqliteLog(place, { logSigner: notaryHere() });
    await begin(log, "a", 3);
    expect(await checkpointsIn(log)).toEqual([]);
    await log.close();
    const again = openSqliteLog(place, { logSigner: notaryHere() });
    expect(await checkpointsIn(again)).toHaveLength(1);
    await again.checkpoint();
    await again.checkpoint();
    expect(await checkpointsIn(again)).toHaveLength(1);
    await begin(again, "b", 1);
    await Promise.all([again.checkpoint(), again.checkpoint(), again.checkpoint()]);
    const [first, second, ...more] = await checkpointsIn(again);
    expect(more).toEqual([]);
    expect(readCheckpoint(second as KeptCheckpoint)?.position).toBe(4);
    expect(first?.number).toBe(1);
    await again.close();
  });

  it("is signed by a key that only its owner can read, outside of repository and state", async () => {
    const log = openSqliteLog(place, { logSigner: notaryHere() });
    await begin(log, "a", 2);
    const head = await auditHead(engineOn(log));
    const audit = join(folder, "config", "audit");
    expect(statSync(join(audit, "key.pem")).mode & 0o777).toBe(0o600);
    expect(statSync(audit).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, "state")).filter((name) => name.includes("key"))).toEqual([]);
    const [kept] = await checkpointsIn(log);
    expect(isSignedBy(head?.publicKey ?? "", `baton checkpoint\n${kept?.body ?? ""}`, head?.signature ?? "")).toBe(
      true,
    );
    expect(publicKeyIn(pemOf(head?.publicKey ?? ""))).toBe(head?.publicKey);
    expect(publicKeyIn(readFileSync(join(audit, "key.pem"), "utf8"))).toBeNull();
    await log.close();
  });

  it("is made by one key, however many processes begin at once", async () => {
    const source = `import { fileLogSigner } from ${JSON.stringify(join(import.meta.dirname, "../../src/stores/signer/file-log-signer.ts"))};
      console.log(fileLogSigner({ folder: process.argv[1], place: "/x", forbidden: [] }).signer().publicKey);`;
    const keys = await Promise.all(Array.from({ length: 6 }, () => outputOf(source, join(folder, "config"))));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}\n$/);
    expect(readdirSync(join(folder, "config", "audit")).sort()).toEqual(["key.pem", "keys"]);
  });
});

describe("without a key", () => {
  it.each([
    [
      "the folder is a file",
      () => writeFileSync(join(folder, "config"), ""),
      /cannot be read or made: a part of its path is a file/,
    ],
    ["others can read it", () => chmodSync(makeKey(), 0o644), /can be read by others: chmod 600/],
    ["it is a link", () => linkElsewhere(makeKey()), /cannot be read or made: it is a link/],
    ["it is none", () => writeFileSync(makeKey(), "nonsense", { mode: 0o600 }), /is no private key of Ed25519/],
  ])("work goes on and the log says that it is unsigned: %s", async (_why, spoil, told) => {
    spoil();
    const logSigner = notaryHere();
    const log = openSqliteLog(place, { logSigner });
    await begin(log, "a", 2, { finished: true, status: "completed" });
    const head = await auditHead(engineOn(log, logSigner));
    expect(head).toMatchObject({ signed: false, signature: null, publicKey: null, position: 2 });
    expect(head?.unsigned).toMatch(told);
    // It is exported with the log: where things lie on this machine is nobody else's business.
    for (const { body } of await checkpointsIn(log)) expect(body).not.toContain(folder);
    await log.close();
  });

  it("lies where agents work, nothing is signed", () => {
    expect(notaryHere(join(folder, "repository", "config")).signer()).toMatchObject({
      why: expect.stringMatching(/inside/),
    });
    expect(notaryHere(join(folder, "state")).signer()).toMatchObject({ why: expect.stringMatching(/inside/) });
    for (const config of ["repository/config", "state"])
      expect(JSON.stringify(notaryHere(join(folder, config)).signer())).not.toContain(folder);
  });

  it("is told apart from proof", async () => {
    const log = openSqliteLog(place);
    await log.putWorkflow("0".repeat(64), {});
    await begin(log, "a", 2);
    await log.checkpoint();
    const report = await verifyAudit(engineOn(log));
    expect(report.proven).toBeNull();
    expect(report.notCovered.join()).toMatch(/unsigned: this log was opened without a key/);
    await log.close();
  });
});

it("an unsigned checkpoint after a signed one is a finding until a later signature covers it", async () => {
  const logSigner = notaryHere();
  const addRun = async (run: string, signs: boolean): Promise<readonly string[]> => {
    const log = openSqliteLog(place, signs ? { logSigner } : {});
    await log.putWorkflow("0".repeat(64), {});
    await begin(log, run, 2);
    await log.checkpoint();
    const { findings } = await verifyAudit(engineOn(log, logSigner));
    await log.close();
    // The workflow of this test has another hash than its content.
    return findings.map(({ code }) => code).filter((code) => code !== "workflow-changed");
  };
  expect(await addRun("a", true)).toEqual([]);
  expect(await addRun("b", false)).toEqual(["checkpoint-unsigned"]);
  expect(await addRun("c", true)).toEqual([]);
});

describe("keys that are believed here", () => {
  it("begin with the own one, also when only its private file was put there", async () => {
    const logSigner = notaryHere();
    const log = openSqliteLog(place, { logSigner });
    await log.putWorkflow("0".repeat(64), {});
    await begin(log, "a", 2);
    await log.checkpoint();
    rmSync(join(folder, "config", "audit", "keys"), { recursive: true });
    expect(logSigner.keys()).toMatchObject([{ whose: "own", file: null }]);
    const { proven } = await verifyAudit(engineOn(log, logSigner));
    expect(proven).toMatchObject({ position: 2, whose: "own", keyFile: null });
    await log.close();
  });

  it("are no more than they were by being asked for", () => {
    expect(notaryHere().keys()).toEqual([]);
    expect(existsSync(join(folder, "config"))).toBe(false);
  });

  it("are told by the file in which their owner keeps them", () => {
    const own = makeKey();
    const keys = join(folder, "config", "audit", "keys");
    const [name = ""] = readdirSync(keys);
    copyFileSync(join(keys, name), join(keys, "ada.pem"));
    rmSync(own);
    const known = notaryHere().keys();
    expect(known.map(({ file }) => file)).toEqual([name, "ada.pem"].toSorted());
    expect(known.map(({ whose }) => whose)).toEqual(["kept", "kept"]);
  });
});

describe("what was last signed here", () => {
  it("is not covered up by going on with an older copy, and can be put aside by its owner", async () => {
    const logSigner = notaryHere();
    const first = openSqliteLog(place, { logSigner });
    await begin(first, "a", 2);
    await first.close();
    copyFileSync(place, join(folder, "older.db"));
    const second = openSqliteLog(place, { logSigner });
    await begin(second, "b", 2);
    await second.close();
    const [before] = logSigner.seen(null);
    copyFileSync(join(folder, "older.db"), place);

    const log = openSqliteLog(place, { logSigner });
    await begin(log, "c", 5);
    const head = await auditHead(engineOn(log, logSigner));
    expect(head?.unsigned).toMatch(/no longer holds what was last signed here/);
    expect(logSigner.seen(null)).toEqual([before]);
    expect((await verifyAudit(engineOn(log, logSigner))).verdict).toBe("broken");

    const accepted = await acceptLog(engineOn(log, logSigner));
    expect(accepted).toMatchObject({ position: 7, unsigned: null });
    expect(logSigner.seen(null)).toMatchObject([{ position: 7 }]);
    expect((await verifyAudit(engineOn(log, logSigner))).findings.map(({ code }) => code)).not.toContain("cut-off");
    await log.close();
  });

  it("is missed when another log stands in its place, or none", async () => {
    const logSigner = notaryHere();
    const first = openSqliteLog(place, { logSigner });
    await begin(first, "a", 2);
    await first.close();
    rmSync(place);
    const log = openSqliteLog(place, { logSigner });
    const { verdict, findings } = await verifyAudit(engineOn(log, logSigner));
    expect([verdict, findings.map(({ code }) => code)]).toEqual(["broken", ["replaced"]]);
    await log.close();
  });

  it("is not the whole file when bytes were appended to it", async () => {
    const logSigner = notaryHere();
    const first = openSqliteLog(place, { logSigner });
    await begin(first, "a", 2);
    await first.close();
    appendFileSync(place, Buffer.alloc(5_000, 1));
    const log = openSqliteLog(place, { logSigner });
    const { verdict, findings } = await verifyAudit(engineOn(log, logSigner));
    expect(verdict).toBe("broken");
    expect(findings[0]).toMatchObject({ code: "damaged-file", message: expect.stringContaining("behind the end") });
    await log.close();
  });

  it("that cannot be read is not taken for nothing", async () => {
    const logSigner = notaryHere();
    const log = openSqliteLog(place, { logSigner });
    await begin(log, "a", 2);
    await log.checkpoint();
    const heads = join(folder, "config", "audit", "heads");
    for (const entry of readdirSync(heads, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) writeFileSync(join(entry.parentPath, entry.name), "{}");
    await expect(verifyAudit(engineOn(log, logSigner))).rejects.toThrow(/cannot be read/);
    await log.close();
  });
});

/** The path of a key that was made. */
function makeKey(): string {
  notaryHere().signer();
  return join(folder, "config", "audit", "key.pem");
}

function linkElsewhere(path: string): void {
  copyFileSync(path, join(folder, "elsewhere.pem"));
  rmSync(path);
  symlinkSync(join(folder, "elsewhere.pem"), path);
}

function outputOf(source: string, argument: string): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", source, argument], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (piece: Buffer) => (output += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(output));
  });
}
