import { hash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Commit, EventLog, Lease } from "../src/ports/event-log.ts";
import type { Ports } from "../src/ports/ports.ts";
import { exportAudit } from "../src/runtime/operations/audit-head.ts";
import { verifyAudit } from "../src/runtime/operations/verify-audit.ts";
import { fileLogSigner } from "../src/stores/signer/file-log-signer.ts";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import { hashOfText } from "../src/audit/hash-chain.ts";
import { type Bar, ratioBar } from "./bar.ts";

/** `BATON_AUDIT_ENTRIES` for a smaller log. */
const ENTRIES = Number(process.env["BATON_AUDIT_ENTRIES"] ?? 1_000_000);
const PER_RUN = 400;
const PER_COMMIT = 4;
const AT_ONCE = 50;
const DEFINITION = { name: "bench" };
const PIN = hashOfText(JSON.stringify(DEFINITION));

/** The whole check of a large log, against nothing but the hash of the same data. */
export async function run(report: (bar: Bar) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  try {
    const path = join(folder, "state", "log.db");
    const logSigner = fileLogSigner({ folder: join(folder, "config"), place: path, forbidden: [] });
    const log = openSqliteLog(path, { logSigner });
    await fill(log);
    await log.checkpoint();
    const ports = { log, clock: { now: () => Date.now(), id: () => "" } } as unknown as Ports;
    const bare = await cpuOf(() => hashData(log));
    const used = await cpuOf(async () => {
      const { verdict, counts } = await verifyAudit({ ports, logSigner });
      if (verdict !== "intact" || counts.entries < ENTRIES) throw new Error(`${counts.entries} entries: ${verdict}`);
    });
    const count = ENTRIES.toLocaleString("en");
    const perSecond = Math.round((ENTRIES * 1e9) / used).toLocaleString("en");
    const bar = ratioBar(`verify ${count} entries`, used, bare, 15, "bare SHA-256 of the same data");
    report({ ...bar, ours: `${bar.ours}, ${perSecond} entries/s` });
    const written = await cpuOf(async () => {
      for await (const piece of exportAudit({ ports, logSigner })) length += piece.length;
    });
    report(ratioBar(`export ${count} entries`, written, bare, 25, "bare SHA-256 of the same data"));
    await log.close();
  } finally {
    if (existsSync(folder)) rmSync(folder, { recursive: true });
  }
}

let length = 0;

/** What cannot be saved: the data themselves are hashed once, read beforehand. */
async function hashData(log: EventLog): Promise<void> {
  const snapshot = await log.snapshot();
  const [entry] = await snapshot.entries(0, 1);
  await snapshot.close();
  const bytes = entry?.data ?? "";
  for (let time = 0; time < ENTRIES; time++) hash("sha256", bytes, "hex");
}

async function fill(log: EventLog): Promise<void> {
  await log.putWorkflow(PIN, DEFINITION);
  for (let first = 0; first < ENTRIES / PER_RUN; first += AT_ONCE) {
    const runs = Math.min(AT_ONCE, Math.ceil(ENTRIES / PER_RUN) - first);
    const leases = await Promise.all(Array.from({ length: runs }, (_, index) => create(log, `run-${first + index}`)));
    for (let after = 0; after < PER_RUN; after += PER_COMMIT)
      await Promise.all(leases.map((lease) => log.commit(step(lease, after))));
  }
}

function create(log: EventLog, name: string): Promise<Lease> {
  return log.create({ run: name, name: "bench", workflow: PIN, at: 1 }, "bench", Number.MAX_SAFE_INTEGER);
}

/** What an agent's step leaves behind: 4 entries of about 1.5 KB together. */
function step(lease: Lease, after: number): Commit {
  const isLast = after + PER_COMMIT >= PER_RUN;
  const entries = ["input", "handoff-accepted", "step-ended", "step-started"].map((kind) => ({
    kind,
    data: { task: `task-${after}`, agent: "BackendBuilder", attempt: after, usage: { tokens: 1_234 }, text: TEXT },
  }));
  return {
    run: lease.run,
    lease,
    after,
    at: 1_700_000_000_000 + after,
    entries,
    effects: [],
    settled: [],
    taken: [],
    status: isLast ? "completed" : "running",
    finished: isLast,
    summary: { tasks: 12, done: after, working: 1 },
    wakeAt: null,
  };
}

const TEXT = "The endpoint answers and its tests pass. ".repeat(7);

/** CPU time, in nanoseconds: what else the machine does falls on nobody. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1_000;
}
