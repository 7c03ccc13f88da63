import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { printAudit } from "../../src/cli/print-audit.ts";
import { type AuditReport, verifyAudit } from "../../src/runtime/operations/verify-audit.ts";
import { fileLogSigner } from "../../src/stores/signer/file-log-signer.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, LATER, someEntries } from "../contracts/event-log-commits.ts";
import { engineOn } from "./audit-room.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-wording-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A log of one run with one entry, signed, after it was edited by this. */
async function edited(sql: string): Promise<AuditReport> {
  const place = join(folder, "log.db");
  const logSigner = fileLogSigner({ folder: join(folder, "config"), place, forbidden: [] });
  const log = openSqliteLog(place, { logSigner });
  await log.putWorkflow("0".repeat(64), {});
  const lease = await log.create({ run: "a", name: "n", workflow: "0".repeat(64), at: 1 }, "worker", LATER);
  await log.commit(commitOf(lease, 0, { entries: someEntries(1) }));
  await log.checkpoint();
  await log.close();
  const database = new DatabaseSync(place, { enableForeignKeyConstraints: false });
  database.exec(sql);
  database.close();
  const again = openSqliteLog(place);
  const report = await verifyAudit(engineOn(again, logSigner));
  await again.close();
  return report;
}

it("counts one entry as one, and names no runs where none are known", async () => {
  const pruned = await edited("UPDATE ledger SET pruned = 1");
  const ofLedger = pruned.findings.filter(({ row }) => row === "ledger");
  expect(ofLedger.map(({ message }) => message)).toEqual([
    "the ledger counts 1 entry as pruned, but 0 are empty",
    "the ledger counts 1 entry as pruned, but the last checkpoint counts 0",
  ]);
  expect(printAudit(pruned, false)).toMatch(/ {2}signed +1 of 1 checkpoint\n/);
});

it("counts one entry as one where it is gone", async () => {
  const gone = printAudit(await edited("DELETE FROM entries"), false);
  expect(gone).toContain("it covers entry 1 of run a, which is missing");
  expect(gone).toContain("it should have 1 entry, but its last one is 0");
  expect(gone).not.toMatch(/\b1 entries|\(of \)/);
});
