import { StoreError } from "../ports/event-log.ts";
import { count } from "../shared/count.ts";
import type {
  KeptCheckpoint,
  LogSnapshot,
  AuditedMessage,
  AuditedRun,
  AuditedText,
  AuditedWorkflow,
} from "../ports/log-snapshot.ts";
import { digestOf } from "./checkpoint.ts";
import {
  type ChainHead,
  hashOfPrunedText,
  hashOfText,
  messageChecksum,
  runChecksum,
  runDigestOf,
} from "./hash-chain.ts";
import { composeReport, type Trust } from "./compose-report.ts";
import type { AuditReport } from "../views/audit-report.ts";
import { entriesIn, FindingCollector } from "./findings.ts";
import { ChainWalk, CheckpointWalk } from "./walk-log.ts";

export interface RunWithoutDigest {
  readonly run: string;
  readonly status: string;
}

/** Checks a run of an older version, which stored no digest, by replaying its entries. Returns what is wrong. */
type CheckRunWithoutDigest = (run: RunWithoutDigest) => Promise<string | null>;

const PAGE = 500;

export async function verifySnapshot(
  snapshot: LogSnapshot,
  trust: Trust,
  checkWithoutDigest: CheckRunWithoutDigest = async () => null,
): Promise<AuditReport> {
  const findings = new FindingCollector();
  const chain = new ChainWalk(findings, (hash) => snapshot.hasText(hash));
  const checkpoints = new CheckpointWalk(findings, snapshot.log, trust.keys, { refusesUnknownKeys: true });
  const check = async (work: () => void | Promise<void>): Promise<void> => reportDamage(findings, work);
  await check(() => {
    for (const damage of snapshot.damages()) findings.add("damaged-file", damage);
  });
  await check(() => walkEntries(snapshot, chain, checkpoints));
  await check(() => compareCounts(snapshot, chain, checkpoints, findings));
  await check(() => checkRuns(snapshot, findings, checkWithoutDigest));
  await check(() =>
    eachRow(
      (...page) => snapshot.letters(...page),
      (row) => checkMessage(row, findings),
      reportGap(findings, "letter"),
    ),
  );
  await check(() => checkTexts(snapshot, checkpoints, findings));
  await check(() =>
    eachRow(
      (...page) => snapshot.workflows(...page),
      (row) => checkWorkflowRow(row, findings),
      reportGap(findings, "workflow"),
    ),
  );
  await check(() => compareSeen(snapshot, trust, chain.head, findings));
  const { prunedTexts } = snapshot;
  const { runs, letters, texts, workflows } = snapshot.counts;
  const rows = { runs, letters, texts: texts - prunedTexts, workflows };
  return composeReport({ source: "log", log: snapshot.log, findings, chain, checkpoints, rows, prunedTexts, trust });
}

/** A part that cannot be read is a finding; the other parts are still checked. */
async function reportDamage(findings: FindingCollector, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    findings.add("damaged-file", error.message);
  }
}

async function walkEntries(snapshot: LogSnapshot, chain: ChainWalk, checkpoints: CheckpointWalk): Promise<void> {
  const waiting = checkpointsOf(snapshot);
  for (let after = 0; ;) {
    const page = snapshot.entries(after, PAGE);
    for (const entry of page) {
      while (waiting.position() < entry.position) checkpoints.take(waiting.shift(), chain.head);
      chain.take(entry);
    }
    after = page.at(-1)?.position ?? after;
    if (page.length < PAGE) break;
    await yieldToEventLoop();
  }
  while (waiting.position() < Number.POSITIVE_INFINITY) checkpoints.take(waiting.shift(), chain.head);
}

interface WaitingCheckpoints {
  /** The position of the next checkpoint; infinite when there is none. */
  position(): number;
  shift(): KeptCheckpoint;
}

/** Read page by page: a log of a million entries has thousands of checkpoints. */
function checkpointsOf(snapshot: LogSnapshot): WaitingCheckpoints {
  let page: readonly KeptCheckpoint[] = snapshot.checkpoints(0, PAGE);
  let at = 0;
  return {
    position: () => positionIn(page[at]),
    shift() {
      const next = page[at++] as KeptCheckpoint;
      if (at >= page.length) [page, at] = [snapshot.checkpoints(next.number, PAGE), 0];
      return next;
    },
  };
}

const POSITION = /"position":(\d{1,16})[,}]/;

/** A body without a readable position is checked at once. */
function positionIn(checkpoint: KeptCheckpoint | undefined): number {
  if (checkpoint === undefined) return Number.POSITIVE_INFINITY;
  const position = Number(POSITION.exec(checkpoint.body)?.[1] ?? 0);
  return Math.min(position, Number.MAX_SAFE_INTEGER);
}

function compareCounts(
  snapshot: LogSnapshot,
  chain: ChainWalk,
  { checkpoints, last }: CheckpointWalk,
  findings: FindingCollector,
): void {
  const { counts, pruned } = snapshot;
  if (counts.entries !== chain.entries) findings.add("damaged-file", "some entries cannot be found by their position");
  if (counts.checkpoints !== checkpoints)
    findings.add("damaged-file", "some checkpoints cannot be found by their number");
  if (pruned !== chain.emptied)
    findings.add(
      "entry-emptied",
      `the ledger counts ${entriesIn(pruned)} as pruned, but ${chain.emptied} ${chain.emptied === 1 ? "is" : "are"} empty`,
      { row: "ledger" },
    );
  if (last === null) return;
  if (last.pruned !== pruned) {
    const counted = `the ledger counts ${entriesIn(pruned)} as pruned${namesOf(chain.prunedRuns)}`;
    const message = `${counted}, but the last checkpoint counts ${last.pruned}`;
    findings.add("pruned-unsigned", message, { row: "ledger", position: last.position });
  }
  for (const [table, what] of TABLES)
    if (counts[table] < last.rows[table])
      findings.add(
        `${what}-missing`,
        `there were ${last.rows[table]} at the last checkpoint, and there are ${counts[table]} now`,
        {
          row: `${what} ${counts[table] + 1}`,
          position: last.position,
        },
      );
}

/** A pruned text cannot be verified; the number of pruned texts is compared with the signed one. */
async function checkTexts(snapshot: LogSnapshot, { last }: CheckpointWalk, findings: FindingCollector): Promise<void> {
  const { prunedTexts } = snapshot;
  let emptied = 0;
  await eachRow(
    (...page) => snapshot.texts(...page),
    (row) => {
      if (row.isEmptied) emptied++;
      checkText(row, findings);
    },
    reportGap(findings, "text"),
  );
  const counted = `the ledger counts ${count(prunedTexts, "text")} as pruned`;
  if (prunedTexts !== emptied)
    findings.add("text-missing", `${counted}, but ${emptied} ${emptied === 1 ? "is" : "are"} empty`, { row: "ledger" });
  const signed = last?.prunedTexts ?? 0;
  if (last !== null && prunedTexts !== signed)
    findings.add("pruned-unsigned", `${counted}, but the last checkpoint counts ${signed}`, {
      row: "ledger",
      position: last.position,
    });
}

const MAX_NAMED = 10;

function namesOf(runs: ReadonlySet<string>): string {
  const more = runs.size > MAX_NAMED ? ` and ${runs.size - MAX_NAMED} more` : "";
  return runs.size === 0 ? "" : ` (of ${[...runs].slice(0, MAX_NAMED).join(", ")}${more})`;
}

const TABLES = [
  ["runs", "run"],
  ["letters", "letter"],
  ["texts", "text"],
  ["workflows", "workflow"],
] as const;

async function checkRuns(
  snapshot: LogSnapshot,
  findings: FindingCollector,
  checkWithoutDigest: CheckRunWithoutDigest,
): Promise<void> {
  const withoutDigest: (RunWithoutDigest & { readonly position: number | null })[] = [];
  await eachRow(
    (...page) => snapshot.runs(...page),
    (run) => {
      const position = run.last?.position ?? null;
      const where = { run: run.run, sequence: run.sequence, position, row: `run ${run.number}` };
      const why = whyRunChanged(run);
      if (why === NO_DIGEST) withoutDigest.push({ run: run.run, status: run.status, position });
      else if (why !== null) findings.add("run-changed", why, where);
      if (!snapshot.hasWorkflow(run.workflow))
        findings.add("workflow-missing", `its workflow ${run.workflow.slice(0, 12)} is missing`, where);
    },
    reportGap(findings, "run"),
  );
  for (const { position, ...run } of withoutDigest) {
    const why = await checkWithoutDigest(run);
    if (why !== null) findings.add("run-changed", why, { run: run.run, position });
  }
}

/** The entries of the run were written by a version that stored no digests. */
const NO_DIGEST = "no digest";

/** What is wrong with the row of a run; null when it matches its last entry. */
function whyRunChanged(run: AuditedRun): string | null {
  const { last, sequence, emptied, mark } = run;
  const entries = last?.sequence ?? 0;
  if (mark !== null && mark !== runChecksum(run)) return "its name, workflow, brief or start was changed";
  if (sequence !== entries) return `it should have ${entriesIn(sequence)}, but its last one is ${entries}`;
  if (emptied < 0 || emptied > sequence) return "the record of how far it was pruned was changed";
  if (run.dueAt !== dueAt(run))
    return "it has inbox messages or effects waiting and is not due, or is due and has none";
  return last === null ? whyNotNew(run) : compareDigest(run, last.seal);
}

function dueAt({ effects, hasLetters, wakeAt }: AuditedRun): number | null {
  return effects.length > 0 || hasLetters ? 0 : wakeAt;
}

function compareDigest(run: AuditedRun, digest: string | null): string | null {
  if (digest === null) return NO_DIGEST;
  if (digest === runDigestOf(run)) return null;
  return "its status, summary, times or effects do not match the digest in its last entry";
}

function whyNotNew({ status, finished, summary, updatedAt, createdAt, wakeAt, effects }: AuditedRun): string | null {
  const isNew = status === "running" && !finished && summary === "{}" && wakeAt === null;
  const isUntouched = isNew && updatedAt === createdAt && effects.length === 0;
  return isUntouched ? null : "it has no entries, but its row is not that of a new run";
}

function checkMessage({ number, run, id, input, mark }: AuditedMessage, findings: FindingCollector): void {
  const where = { row: `letter ${number}`, run };
  if (run === null) findings.add("letter-changed", `inbox message ${id} belongs to no run`, where);
  else if (mark !== null && mark !== messageChecksum(number, run, id, input))
    findings.add("letter-changed", `inbox message ${id} is not the one that was sent`, where);
}

function checkText({ number, hash, text, isEmptied }: AuditedText, findings: FindingCollector): void {
  if (isEmptied && hash === hashOfPrunedText(number)) return;
  if (text === null || hashOfText(text) !== hash)
    findings.add("text-changed", `text ${hash.slice(0, 12)} was changed`, { row: `text ${number}` });
}

function checkWorkflowRow({ number, hash, definition }: AuditedWorkflow, findings: FindingCollector): void {
  if (hashOfText(definition) !== hash)
    findings.add("workflow-changed", `workflow ${hash.slice(0, 12)} was changed`, { row: `workflow ${number}` });
}

async function eachRow<T extends { readonly number: number }>(
  pageAfter: (after: number, limit: number) => readonly T[],
  look: (row: T) => void,
  gap: (missing: number) => void,
): Promise<void> {
  for (let after = 0; ;) {
    const page = pageAfter(after, PAGE);
    for (const row of page) {
      if (row.number !== after + 1) gap(after + 1);
      after = row.number;
      look(row);
    }
    if (page.length < PAGE) return;
    await yieldToEventLoop();
  }
}

function reportGap(
  findings: FindingCollector,
  what: "run" | "letter" | "text" | "workflow",
): (missing: number) => void {
  return (missing) => findings.add(`${what}-missing`, `${what} ${missing} is missing`, { row: `${what} ${missing}` });
}

/** Compares with the heads that were kept outside of the log, where an edit of the log does not reach. */
function compareSeen(snapshot: LogSnapshot, { seen, head }: Trust, end: ChainHead, findings: FindingCollector): void {
  for (const last of seen) {
    if (last.log !== snapshot.log) {
      findings.add("replaced", `this place had another log, with ${entriesIn(last.position)}`, {
        position: last.position,
      });
      continue;
    }
    if (!compareHead(snapshot, last, end, findings, "was signed here last")) continue;
    const [kept] = snapshot.checkpoints(last.checkpoint - 1, 1);
    if (kept?.number !== last.checkpoint || digestOf(kept) !== last.digest) {
      const row = `checkpoint ${last.checkpoint}`;
      findings.add("checkpoint-missing", "the checkpoint that was signed here last is gone or changed", { row });
    }
  }
  if (head !== undefined) compareHead(snapshot, head, end, findings, "is the head that was given");
}

function compareHead(
  snapshot: LogSnapshot,
  head: ChainHead,
  end: ChainHead,
  findings: FindingCollector,
  what: string,
): boolean {
  const { position, hash } = head;
  if (position > end.position) {
    findings.add("cut-off", `position ${position} ${what}, but the log ends at ${end.position}`, {
      position: end.position + 1,
    });
    return false;
  }
  const [entry] = snapshot.entries(position - 1, 1);
  if (entry?.position === position && entry.hash === hash) return true;
  const { run = null, sequence = null } = entry ?? {};
  findings.add(
    "wrong-head",
    `the hash ${hash.slice(0, 12)} at position ${position} ${what}, but the log has another hash there`,
    {
      position,
      run,
      sequence,
    },
  );
  return false;
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
