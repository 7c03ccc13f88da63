import { StoreError } from "../ports/event-log.ts";
import { count } from "../shared/count.ts";
import type {
  KeptCheckpoint,
  LogSnapshot,
  AuditedMessage,
  AuditedText,
  AuditedWorkflow,
} from "../ports/log-snapshot.ts";
import type { KnowledgeCheck } from "../ports/knowledge-store.ts";
import { compareSeen } from "./compare-heads.ts";
import { expectRegistered, namesOf, noteUnconfirmedPruning } from "./check-registered-run.ts";
import { RunCheck, whyRunChanged } from "./check-runs.ts";
import { type CheckpointBody, readCheckpoint } from "./checkpoint.ts";
import { hashOfPrunedText, hashOfText, messageChecksum } from "./hash-chain.ts";
import { composeReport, type Trust } from "./compose-report.ts";
import type { AuditReport } from "../views/audit-report.ts";
import { entriesIn, FindingCollector } from "./findings.ts";
import { CheckpointWalk } from "./walk-checkpoints.ts";
import { ChainWalk } from "./walk-log.ts";
import { RegisterWalk } from "./walk-register.ts";

export interface RunWithoutDigest {
  readonly run: string;
  readonly status: string;
}

/** Checks a run of an older version, which stored no digest, by replaying its entries. Returns what is wrong. */
type CheckRunWithoutDigest = (run: RunWithoutDigest) => Promise<string | null>;

interface BesideTheLog {
  /** What was found out about the knowledge; null when there is none. */
  readonly knowledge?: KnowledgeCheck | null;
  readonly withoutDigest?: CheckRunWithoutDigest;
}

const PAGE = 500;

export async function verifySnapshot(
  snapshot: LogSnapshot,
  trust: Trust,
  { knowledge = null, withoutDigest = async () => null }: BesideTheLog = {},
): Promise<AuditReport> {
  const findings = new FindingCollector();
  const walks = beginWalks(snapshot, trust, findings);
  const { chain, register, checkpoints } = walks;
  const check = async (work: () => void | Promise<void>): Promise<void> => reportDamage(findings, work);
  await check(async () => {
    for (const damage of await snapshot.damages()) findings.add("damaged-file", damage);
  });
  await check(() => walkRegister(snapshot, register, checkpoints));
  expectRegistered(register, chain, findings);
  await check(() => walkEntries(snapshot, chain));
  chain.settle();
  checkpoints.settle();
  await check(() => compareCounts(snapshot, walks, findings));
  await check(() => checkRuns(snapshot, walks, findings, withoutDigest));
  await check(() => checkMessages(snapshot, findings));
  await check(() => checkTexts(snapshot, checkpoints, findings));
  await check(() => checkWorkflows(snapshot, findings));
  await check(() => compareSeen(snapshot, trust, walks, findings));
  noteKnowledge(knowledge, findings);
  const { prunedTexts } = snapshot;
  const { runs, letters, texts, workflows } = snapshot.counts;
  const rows = { runs, letters, texts: texts - prunedTexts, workflows };
  return composeReport({ source: "log", log: snapshot.log, findings, ...walks, rows, prunedTexts, trust, knowledge });
}

/** A finding for each row that something else than Baton has changed. */
function noteKnowledge(knowledge: KnowledgeCheck | null, findings: FindingCollector): void {
  const { problems = [], altered = [] } = knowledge ?? {};
  for (const problem of problems) findings.add("knowledge-changed", problem, { row: "knowledge" });
  for (const row of altered) findings.add("knowledge-changed", "it is not as it was learned or changed", { row });
}

interface LogWalks {
  readonly chain: ChainWalk;
  readonly register: RegisterWalk;
  readonly checkpoints: CheckpointWalk;
}

function beginWalks(snapshot: LogSnapshot, { keys, head }: Trust, findings: FindingCollector): LogWalks {
  const register = new RegisterWalk(findings);
  const chain = new ChainWalk(findings, { hasTexts: true, register, wanted: head });
  const options = { refusesUnknownKeys: true, wanted: head };
  const checkpoints = new CheckpointWalk(findings, { log: snapshot.log, chain, register }, keys, options);
  return { chain, register, checkpoints };
}

/** The first thing that is wrong with the chains and the register themselves. */
export async function findChainBreak(
  snapshot: LogSnapshot,
): Promise<{ readonly position: number; readonly message: string } | null> {
  const findings = new FindingCollector();
  const walks = beginWalks(snapshot, { keys: [], seen: [] }, findings);
  const { chain, register } = walks;
  await reportDamage(findings, async () => {
    await eachRow(
      (...page) => snapshot.register(...page),
      (row) => register.take(row),
      () => undefined,
    );
    expectRegistered(register, chain, findings);
    await walkEntries(snapshot, chain);
    chain.settle();
    const runs = new RunCheck(walks, findings);
    await eachRow(
      (...page) => snapshot.runs(...page),
      (run) => runs.take(run),
      reportMissing(findings, "run"),
    );
    runs.settle();
  });
  const [first] = findings.list;
  if (first === undefined) return null;
  const { run, sequence, position, message } = first;
  const where = run === null ? "" : ` (run ${run}${sequence === null ? "" : `, entry ${sequence}`})`;
  return { position: position ?? 0, message: `${message}${where}` };
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

/** A checkpoint is taken when the register has reached the entry that it covers. */
async function walkRegister(snapshot: LogSnapshot, register: RegisterWalk, checkpoints: CheckpointWalk): Promise<void> {
  const waiting = await checkpointsOf(snapshot);
  await eachRow(
    (...page) => snapshot.register(...page),
    async (row) => {
      while (waiting.covers() < row.number) checkpoints.take(await waiting.shift());
      register.take(row);
    },
    () => undefined,
  );
  while (waiting.covers() < Number.POSITIVE_INFINITY) checkpoints.take(await waiting.shift());
}

interface WaitingCheckpoints {
  /** The last entry of the register that the next checkpoint covers; infinite when there is none. */
  covers(): number;
  shift(): Promise<KeptCheckpoint>;
}

/** Read page by page: a log of a million entries has thousands of checkpoints. */
async function checkpointsOf(snapshot: LogSnapshot): Promise<WaitingCheckpoints> {
  let page = await snapshot.checkpoints(0, PAGE);
  let at = 0;
  return {
    covers: () => coveredBy(page[at]),
    async shift() {
      const next = page[at++] as KeptCheckpoint;
      if (at >= page.length) [page, at] = [await snapshot.checkpoints(next.number, PAGE), 0];
      return next;
    },
  };
}

/** Those of older versions, and those that cannot be read, cover nothing of the register. */
function coveredBy(checkpoint: KeptCheckpoint | undefined): number {
  if (checkpoint === undefined) return Number.POSITIVE_INFINITY;
  const body = readCheckpoint(checkpoint);
  return body?.version === 2 ? body.register.number : 0;
}

async function walkEntries(snapshot: LogSnapshot, chain: ChainWalk): Promise<void> {
  for (let after = 0; ;) {
    const page = await snapshot.entries(after, PAGE);
    for (const entry of page) chain.take(entry);
    if (chain.namedTexts.length > 0) chain.takeMissingTexts(await snapshot.missingTexts(chain.namedTexts));
    after = page.at(-1)?.position ?? after;
    if (page.length < PAGE) return;
    await yieldToEventLoop();
  }
}

function compareCounts(
  snapshot: LogSnapshot,
  { chain, register, checkpoints }: LogWalks,
  findings: FindingCollector,
): void {
  const { counts, pruned, gapsThrough } = snapshot;
  if (counts.entries !== chain.entries) findings.add("damaged-file", "some entries cannot be found by their position");
  if (counts.register !== register.entries)
    findings.add("damaged-file", "some entries of the register cannot be found by their number");
  if (counts.checkpoints !== checkpoints.checkpoints)
    findings.add("damaged-file", "some checkpoints cannot be found by their number");
  if (pruned !== chain.emptied)
    findings.add(
      "entry-emptied",
      `the ledger counts ${entriesIn(pruned)} as pruned, but ${chain.emptied} ${chain.emptied === 1 ? "is" : "are"} empty`,
      { row: "ledger" },
    );
  const confirmed = confirmedBy(checkpoints);
  if (confirmed === null) return;
  comparePruned(pruned, confirmed, { chain, register }, findings);
  for (const [table, what] of TABLES)
    if (counts[table] < confirmed.rows[table])
      findings.add(
        `${what}-missing`,
        `there were ${confirmed.rows[table]} at the last checkpoint, and there are ${counts[table]} now`,
        {
          row: table !== "runs" && gapsThrough[table] > 0 ? table : `${what} ${counts[table] + 1}`,
          position: confirmed.position,
        },
      );
}

/** The checkpoint that counts are compared with: only one that a known key has signed may say that something was pruned. */
function confirmedBy({ provenBody, last }: CheckpointWalk): CheckpointBody | null {
  return provenBody ?? last;
}

function comparePruned(
  pruned: number,
  confirmed: CheckpointBody,
  { chain, register }: Pick<LogWalks, "chain" | "register">,
  findings: FindingCollector,
): void {
  const where = { row: "ledger", position: confirmed.position };
  if (confirmed.pruned !== pruned) {
    const counted = `the ledger counts ${entriesIn(pruned)} as pruned${namesOf([...chain.prunedRuns])}`;
    findings.add("pruned-unsigned", `${counted}, but the last checkpoint counts ${confirmed.pruned}`, where);
  }
  noteUnconfirmedPruning(register, confirmed, findings);
}

/** A pruned text cannot be verified; the number of pruned texts is compared with the signed one. */
async function checkTexts(
  snapshot: LogSnapshot,
  checkpoints: CheckpointWalk,
  findings: FindingCollector,
): Promise<void> {
  const { prunedTexts } = snapshot;
  let emptied = 0;
  await eachRow(
    (...page) => snapshot.texts(...page),
    (row) => {
      if (row.isEmptied) emptied++;
      checkText(row, findings);
    },
    reportGap(snapshot, findings, "text"),
  );
  const counted = `the ledger counts ${count(prunedTexts, "text")} as pruned`;
  if (prunedTexts !== emptied)
    findings.add("text-missing", `${counted}, but ${emptied} ${emptied === 1 ? "is" : "are"} empty`, { row: "ledger" });
  const confirmed = confirmedBy(checkpoints);
  const signed = confirmed?.prunedTexts ?? 0;
  if (confirmed !== null && prunedTexts !== signed)
    findings.add("pruned-unsigned", `${counted}, but the last checkpoint counts ${signed}`, {
      row: "ledger",
      position: confirmed.position,
    });
}

const TABLES = [
  ["runs", "run"],
  ["letters", "letter"],
  ["texts", "text"],
  ["workflows", "workflow"],
] as const;

async function checkRuns(
  snapshot: LogSnapshot,
  walks: LogWalks,
  findings: FindingCollector,
  checkWithoutDigest: CheckRunWithoutDigest,
): Promise<void> {
  const runs = new RunCheck(walks, findings, whyRunChanged);
  const hasWorkflow = new Map<string, boolean>();
  await eachRow(
    (...page) => snapshot.runs(...page),
    async (run) => {
      runs.take(run);
      const isThere = hasWorkflow.get(run.workflow) ?? (await snapshot.hasWorkflow(run.workflow));
      hasWorkflow.set(run.workflow, isThere);
      if (isThere) return;
      const where = { run: run.run, position: run.last?.position ?? null, row: `run ${run.number}` };
      findings.add("workflow-missing", `its workflow ${run.workflow.slice(0, 12)} is missing`, where);
    },
    reportMissing(findings, "run"),
  );
  runs.settle();
  for (const { run, status, last } of runs.withoutDigest) {
    const why = await checkWithoutDigest({ run, status });
    if (why !== null) findings.add("run-changed", why, { run, position: last?.position ?? null });
  }
}

function checkMessages(snapshot: LogSnapshot, findings: FindingCollector): Promise<void> {
  return eachRow(
    (...page) => snapshot.letters(...page),
    (row) => checkMessage(row, findings),
    reportGap(snapshot, findings, "letter"),
  );
}

function checkWorkflows(snapshot: LogSnapshot, findings: FindingCollector): Promise<void> {
  return eachRow(
    (...page) => snapshot.workflows(...page),
    (row) => checkWorkflowRow(row, findings),
    reportGap(snapshot, findings, "workflow"),
  );
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
  pageAfter: (after: number, limit: number) => Promise<readonly T[]>,
  look: (row: T) => void | Promise<void>,
  gap: (missing: number, next: number) => void,
): Promise<void> {
  for (let after = 0; ;) {
    const page = await pageAfter(after, PAGE);
    for (const row of page) {
      if (row.number !== after + 1) gap(after + 1, row.number);
      after = row.number;
      await look(row);
    }
    if (page.length < PAGE) return;
    await yieldToEventLoop();
  }
}

function reportGap(
  { gapsThrough }: LogSnapshot,
  findings: FindingCollector,
  what: "letter" | "text" | "workflow",
): (missing: number, next: number) => void {
  const report = reportMissing(findings, what);
  return (missing, next) => {
    const first = Math.max(missing, gapsThrough[`${what}s`] + 1);
    if (first < next) report(first);
  };
}

function reportMissing(
  findings: FindingCollector,
  what: "run" | "letter" | "text" | "workflow",
): (missing: number) => void {
  return (missing) => findings.add(`${what}-missing`, `${what} ${missing} is missing`, { row: `${what} ${missing}` });
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
