import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashOfText } from "../../src/audit/hash-chain.ts";
import type { EventLog, Lease, NewEntry } from "../../src/ports/event-log.ts";
import type { Ports } from "../../src/ports/ports.ts";
import type { LogSigner } from "../../src/ports/log-signer.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { fileLogSigner } from "../../src/stores/signer/file-log-signer.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, LATER } from "../contracts/event-log-commits.ts";

type Audited = Pick<Engine, "ports" | "logSigner">;

/** A log as runs leave it behind, with everything in it that a log can hold, and what it was some time before. */
export interface AuditRoom {
  readonly folder: string;
  /** The whole file, as it was left. */
  readonly bytes: Buffer;
  /** The same log, some entries and checkpoints earlier. */
  readonly older: Buffer;
  readonly logSigner: LogSigner;
  /** Opens a copy of these bytes; what was last signed is that of the room. */
  open(bytes?: Uint8Array, name?: string): OpenCopy;
  remove(): void;
}

export interface OpenCopy {
  readonly path: string;
  readonly log: EventLog;
  readonly engine: Audited;
  close(): Promise<void>;
}

/** In memory where that is possible: a hundred thousand copies are written. */
function temporaryFolder(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-audit-"));
}

export function engineOn(log: EventLog, logSigner?: LogSigner): Audited {
  const ports = { log, clock: { now: () => 5_000, id: () => "id" } } as unknown as Ports;
  return logSigner === undefined ? { ports } : { ports, logSigner };
}

export async function makeRoom(): Promise<AuditRoom> {
  const folder = temporaryFolder();
  const place = join(folder, "log.db");
  const logSigner = fileLogSigner({ folder: join(folder, "config"), place, forbidden: [join(folder, "repository")] });
  await fillFirst(place, logSigner);
  const older = readFileSync(place);
  await fillRest(place, logSigner);
  const bytes = readFileSync(place);
  let copies = 0;
  return {
    folder,
    bytes,
    older,
    logSigner,
    open(content = bytes, name = `copy-${copies++}.db`) {
      const path = join(folder, name);
      for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
      writeFileSync(path, content);
      const log = openSqliteLog(path);
      return { path, log, engine: engineOn(log, logSigner), close: () => log.close() };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const LONG_TEXT = "The endpoint answers, and its tests pass. ".repeat(30);
const DEFINITIONS = [{ name: "pipeline", agents: { a: {} } }, { name: "issue" }];
const PINS = DEFINITIONS.map((definition) => hashOfText(JSON.stringify(definition)));

async function fillFirst(path: string, logSigner: LogSigner): Promise<void> {
  const log = openSqliteLog(path, { logSigner });
  for (const [index, definition] of DEFINITIONS.entries()) await log.putWorkflow(PINS[index] ?? "", definition);
  await finishRun(log, await begin(log, "pruned", 0));
  await log.prune(2_000);
  await log.checkpoint();
  await finishRun(log, await begin(log, "finished", 1));
  await log.close();
}

async function fillRest(path: string, logSigner: LogSigner): Promise<void> {
  const log = openSqliteLog(path, { logSigner });
  const working = await begin(log, "working", 0);
  const effects = [
    { key: "3:start-agent", kind: "start-agent", data: { attempt: "a1", timeout: 60_000 } },
    { key: "4:run-gate", kind: "run-gate", data: { gate: "tests" } },
  ];
  const summary = { tasks: 3, done: 1, reason: "(redacted GitHub token)" };
  await log.commit(commitOf(working, 3, { at: 1_500, entries: steps(4), effects, summary, wakeAt: 9_000 }));
  await log.checkpoint();
  await finishRun(log, await begin(log, "last", 1));
  const waiting = await begin(log, "waiting", 1);
  await log.commit(commitOf(waiting, 3, { at: 1_600, entries: steps(2), status: "waiting", wakeAt: 7_000 }));
  await log.postMessage({ id: "answer:1", run: "waiting", input: { kind: "answer", ask: "approve", answer: "yes" } });
  await log.create(
    { run: "new", name: "issue", workflow: PINS[1] ?? "", at: 1_700, brief: "Not yet begun" },
    "w",
    LATER,
  );
  await log.postMessage({ id: "start:new", run: "new", input: { kind: "start-run", run: "new" } });
  await log.checkpoint();
  await log.close();
}

async function begin(log: EventLog, run: string, workflow: 0 | 1): Promise<Lease> {
  const name = DEFINITIONS[workflow]?.name ?? "";
  const lease = await log.create(
    { run, name, workflow: PINS[workflow] ?? "", at: 1_000, brief: `Add up the cart of ${run}` },
    "worker",
    LATER,
  );
  await log.postMessage({ id: `start:${run}`, run, input: { kind: "start-run", run } });
  await log.commit(commitOf(lease, 0, { at: 1_100, entries: steps(3), taken: [`start:${run}`] }));
  return lease;
}

async function finishRun(log: EventLog, lease: Lease): Promise<void> {
  const short = await log.putText(`A short handoff of ${lease.run}.`);
  const long = await log.putText(`${LONG_TEXT} Of ${lease.run}.`);
  const entries = [...steps(2), accepted(short), accepted(long)];
  await log.commit(commitOf(lease, 3, { at: 1_200, entries, summary: { tasks: 2, done: 2 } }));
  const end = { kind: "run-completed", data: { kind: "run-completed", reason: `key (redacted JWT) of ${lease.run}` } };
  await log.commit(commitOf(lease, 7, { at: 1_300, entries: [end], status: "completed", finished: true }));
  await log.release(lease);
}

function accepted(text: string): NewEntry {
  return {
    kind: "handoff-accepted",
    data: { kind: "handoff-accepted", delivery: { handoff: { summary: "ok" }, text } },
  };
}

function steps(count: number): NewEntry[] {
  return Array.from({ length: count }, (_, number) => ({ kind: "step-ended", data: { number, note: "ü\u0000 done" } }));
}
