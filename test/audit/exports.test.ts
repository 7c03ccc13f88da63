import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditReport } from "../../src/views/audit-report.ts";
import { verifyExport } from "../../src/audit/verify-export.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { KnownKey, LogSigner } from "../../src/ports/log-signer.ts";
import { exportAudit } from "../../src/runtime/operations/audit-head.ts";
import { verifyAudit, verifyAuditFile } from "../../src/runtime/operations/verify-audit.ts";
import { fileLogSigner } from "../../src/stores/signer/file-log-signer.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, LATER, someEntries } from "../contracts/event-log-commits.ts";
import { engineOn } from "./audit-room.ts";

let folder: string;
let ours: LogSigner;
let theirs: LogSigner;
/** Signed by us alone; by us first and by somebody else later. */
let own: string;
let mixed: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-exports-"));
  ours = notaryOf("ours", "own.db");
  theirs = notaryOf("theirs", "own.db");
  own = await exported("own.db", [ours]);
  mixed = await exported("mixed.db", [notaryOf("ours", "mixed.db"), notaryOf("theirs", "mixed.db")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function notaryOf(who: string, log: string): LogSigner {
  return fileLogSigner({ folder: join(folder, who), place: join(folder, log), forbidden: [] });
}

/** One run of one entry for each who signs. */
async function exported(name: string, notaries: readonly LogSigner[]): Promise<string> {
  let text = "";
  for (const [index, logSigner] of notaries.entries()) {
    const log = openSqliteLog(join(folder, name), { logSigner });
    await log.putWorkflow("0".repeat(64), {});
    await addRun(log, `run${index}`);
    text = "";
    for await (const piece of exportAudit(engineOn(log, logSigner))) text += piece;
    await log.close();
  }
  return text;
}

async function addRun(log: EventLog, run: string): Promise<void> {
  const lease = await log.create({ run, name: "n", workflow: "0".repeat(64), at: 1 }, "worker", LATER);
  await log.commit(commitOf(lease, 0, { entries: someEntries(1) }));
}

async function* linesOf(text: string): AsyncGenerator<string> {
  if (text !== "") yield* text.replace(/\n$/, "").split("\n");
}

function verified(text: string, keys: readonly KnownKey[]): Promise<AuditReport | null> {
  return verifyExport(linesOf(text), { keys, seen: [] });
}

const given = (logSigner: LogSigner): KnownKey[] =>
  logSigner.keys().map(({ publicKey }) => ({ publicKey, whose: "given", file: "key.pem" }));
const codesOf = (report: AuditReport | null): string[] => (report?.findings ?? []).map(({ code }) => code);

describe("an export", () => {
  it("that the own key has signed is proven by it", async () => {
    const report = await verified(own, ours.keys());
    expect(report).toMatchObject({ verdict: "intact", proven: { position: 1, whose: "own", keyFile: null } });
  });

  it("says nothing about what it does not hold", async () => {
    const { counts } = (await verified(own, ours.keys())) ?? {};
    expect(counts).toMatchObject({ entries: 1, runs: 1, texts: null, workflows: null, letters: null });
  });

  it("of somebody else is not proven where that key is not known, and not broken either", async () => {
    const report = await verified(own, theirs.keys());
    expect(report).toMatchObject({ verdict: "unproven", findings: [], proven: null });
    expect(report?.notCovered.join()).toMatch(/^It is signed by \w{16}, which is not known here: get the public/);
  });

  it("of somebody else is broken for whoever says who must have signed it", async () => {
    expect(await verified(own, given(ours))).toMatchObject({ verdict: "intact", proven: { keyFile: "key.pem" } });
    const report = await verified(own, given(theirs));
    expect([report?.verdict, codesOf(report)]).toEqual(["broken", ["unknown-key", "unknown-key"]]);
  });

  it("to which a stranger has added is broken, also when only the own key is known", async () => {
    const report = await verified(mixed, ours.keys());
    expect([report?.verdict, new Set(codesOf(report))]).toEqual(["broken", new Set(["unknown-key"])]);
    expect(report?.findings.map(({ row }) => row)).toContain("checkpoint 2");
    expect(await verified(mixed, [...ours.keys(), ...theirs.keys()])).toMatchObject({ verdict: "intact" });
  });
});

describe("a file that is no export", () => {
  const lines = (): string[] => own.trimEnd().split("\n");

  it.each([
    ["empty", ""],
    ["prose", "# Readme\n\nThis tells about a project.\n"],
    ["JSON of another kind", '{\n  "type": "entry"\n}\n'],
    ["JSON Lines of another tool", '{"run":"a","type":"run"}\n{"type":"entry"}\n{"type":"end"}\n'],
    ["binary", "\u0000\ufffd\u0001\n"],
  ])("is not called broken: %s", async (_what, text) => {
    expect(await verified(text, ours.keys())).toBeNull();
    const path = join(folder, "foreign");
    writeFileSync(path, text);
    await expect(verifyAuditFile(path)).rejects.toMatchObject({
      code: "cannot-read",
      message: expect.stringMatching(/foreign is not an audit export/),
      hint: expect.stringMatching(/baton audit export FILE/),
    });
  });

  it.each([
    ["whose first line is gone", () => lines().slice(1)],
    ["whose first line was edited", () => ["x", ...lines().slice(1)]],
    ["of which only the first line is left", () => lines().slice(0, 1)],
    ["that has other line ends", () => lines().map((line) => `${line}\r`)],
    ["that has a mark before its first line, and no other line", () => [`\ufeff${lines()[0] ?? ""}`]],
    ["of which only an entry is left", () => lines().slice(1, 2)],
  ])("is told apart from one that was one: %s", async (_what, left) => {
    expect(await verified(left().join("\n"), ours.keys())).toMatchObject({ verdict: "broken" });
  });

  it.each([
    ["missing.jsonl", /missing\.jsonl cannot be read: there is no such file\.$/],
    ["plain/below.jsonl", /below\.jsonl cannot be read: a part of its path is a file, not a folder\.$/],
    [".", /cannot be read: it is a folder\.$/],
  ])("says plainly why it cannot be read: %s", async (name, told) => {
    writeFileSync(join(folder, "plain"), "");
    await expect(verifyAuditFile(join(folder, name))).rejects.toMatchObject({
      code: "cannot-read",
      message: expect.stringMatching(told),
    });
  });
});

describe("a log without entries", () => {
  it("is empty, not intact; so is its export", async () => {
    const logSigner = notaryOf("nobody", "empty.db");
    const log = openSqliteLog(join(folder, "empty.db"), { logSigner });
    expect(await verifyAudit(engineOn(log, logSigner))).toMatchObject({ verdict: "empty", findings: [], proven: null });
    let text = "";
    for await (const piece of exportAudit(engineOn(log, logSigner))) text += piece;
    expect(await verified(text, logSigner.keys())).toMatchObject({ verdict: "empty", findings: [] });
    await log.close();
  });

  it("is broken when there were some", async () => {
    const log = openSqliteLog(join(folder, "other.db"));
    const { verdict, findings } = await verifyAudit(engineOn(log, ours));
    expect([verdict, findings[0]?.message]).toEqual(["broken", "this repository had another log, with 1 entry"]);
    await log.close();
  });
});
