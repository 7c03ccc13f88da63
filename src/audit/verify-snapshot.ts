import { StoreError } from "../ports/event-log.ts";
import { count } from "../shared/count.ts";
import type { KeptCheckpoint, LogSnapshot } from "../ports/log-snapshot.ts";
import { checkLetter, checkText, checkWorkflow, UNSEALED, whyRunChanged } from "./check-rows.ts";
import { digestOf } from "./checkpoint.ts";
import { entriesIn } from "./count-entries.ts";
import { Findings } from "./findings.ts";
import type { ChainHead } from "./hash-chain.ts";
import { composeReport } from "./compose-report.ts";
import type { AuditReport } from "./report.ts";
import type { Trust } from "./trust.ts";
import { ChainWalk } from "./walk-chain.ts";
import { CheckpointWalk } from "./walk-checkpoints.ts";

export interface UnsealedRun {
  readonly run: string;
  readonly status: string;
}

/** Over what an older Baton wrote without a seal, whoever can fold entries may judge. */
export type JudgeUnsealed = (run: UnsealedRun) => Promise<string | null>;

const PAGE = 500;

export async function verifySnapshot(
  snapshot: LogSnapshot,
  trust: Trust,
  judge: JudgeUnsealed = async () => null,
): Promise<AuditReport> {
  const findings = new Findings();
  const chain = new ChainWalk(findings, (hash) => snapshot.hasText(hash));
  const checkpoints = new CheckpointWalk(findings, snapshot.log, trust.keys, { refusesStrangers: true });
  const look = async (work: () => void | Promise<void>): Promise<void> => guard(findings, work);
  await look(() => {
    for (const damage of snapshot.damages()) findings.add("damaged-file", damage);
  });
  await look(() => walkEntries(snapshot, chain, checkpoints));
  await look(() => compareCounts(snapshot, chain, checkpoints, findings));
  await look(() => checkRuns(snapshot, findings, judge));
  await look(() =>
    eachRow(
      (...page) => snapshot.letters(...page),
      (row) => checkLetter(row, findings),
      gapIn(findings, "letter"),
    ),
  );
  await look(() => checkTexts(snapshot, checkpoints, findings));
  await look(() =>
    eachRow(
      (...page) => snapshot.workflows(...page),
      (row) => checkWorkflow(row, findings),
      gapIn(findings, "workflow"),
    ),
  );
  await look(() => compareSeen(snapshot, trust, chain.head, findings));
  const { prunedTexts } = snapshot;
  const { runs, letters, texts, workflows } = snapshot.counts;
  const rows = { runs, letters, texts: texts - prunedTexts, workflows };
  return composeReport({ source: "log", log: snapshot.log, findings, chain, checkpoints, rows, prunedTexts, trust });
}

/** What cannot be read at all is a finding, and whatever else there is is still looked at. */
async function guard(findings: Findings, work: () => void | Promise<void>): Promise<void> {
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
    await restOfTheWorld();
  }
  while (waiting.position() < Number.POSITIVE_INFINITY) checkpoints.take(waiting.shift(), chain.head);
}

interface WaitingCheckpoints {
  /** Of the next one; infinite when there is none. */
  position(): number;
  shift(): KeptCheckpoint;
}

/** Page by page: a log of a million entries has thousands. */
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

/** A body that does not tell where it belongs is judged at once. */
function positionIn(checkpoint: KeptCheckpoint | undefined): number {
  if (checkpoint === undefined) return Number.POSITIVE_INFINITY;
  const position = Number(POSITION.exec(checkpoint.body)?.[1] ?? 0);
  return Math.min(position, Number.MAX_SAFE_INTEGER);
}

function compareCounts(
  snapshot: LogSnapshot,
  chain: ChainWalk,
  { checkpoints, last }: CheckpointWalk,
  findings: Findings,
): void {
  const { counts, pruned } = snapshot;
  if (counts.entries !== chain.entries) findings.add("damaged-file", "entries cannot all be found by their position");
  if (counts.checkpoints !== checkpoints) findings.add("damaged-file", "checkpoints cannot all be found by number");
  if (pruned !== chain.emptied)
    findings.add(
      "entry-emptied",
      `the ledger counts ${entriesIn(pruned)} as pruned, and ${chain.emptied} ${chain.emptied === 1 ? "is" : "are"} empty`,
      { row: "ledger" },
    );
  if (last === null) return;
  if (last.pruned !== pruned) {
    const counted = `the ledger counts ${entriesIn(pruned)} as pruned${namesOf(chain.prunedRuns)}`;
    const message = `${counted}, and the last checkpoint knows of ${last.pruned}`;
    findings.add("pruned-unsigned", message, { row: "ledger", position: last.position });
  }
  for (const [table, what] of TABLES)
    if (counts[table] < last.rows[table])
      findings.add(
        `${what}-missing`,
        `there were ${last.rows[table]} at the last checkpoint, and now ${counts[table]}`,
        {
          row: `${what} ${counts[table] + 1}`,
          position: last.position,
        },
      );
}

/** One that was emptied shows nothing any more: how many there are is counted, and signed. */
async function checkTexts(snapshot: LogSnapshot, { last }: CheckpointWalk, findings: Findings): Promise<void> {
  const { prunedTexts } = snapshot;
  let emptied = 0;
  await eachRow(
    (...page) => snapshot.texts(...page),
    (row) => {
      if (row.isEmptied) emptied++;
      checkText(row, findings);
    },
    gapIn(findings, "text"),
  );
  const counted = `the ledger counts ${count(prunedTexts, "text")} as pruned`;
  if (prunedTexts !== emptied)
    findings.add("text-missing", `${counted}, and ${emptied} ${emptied === 1 ? "is" : "are"} empty`, { row: "ledger" });
  const signed = last?.prunedTexts ?? 0;
  if (last !== null && prunedTexts !== signed)
    findings.add("pruned-unsigned", `${counted}, and the last checkpoint knows of ${signed}`, {
      row: "ledger",
      position: last.position,
    });
}

const MOST_NAMED = 10;

function namesOf(runs: ReadonlySet<string>): string {
  const more = runs.size > MOST_NAMED ? ` and ${runs.size - MOST_NAMED} more` : "";
  return runs.size === 0 ? "" : ` (of ${[...runs].slice(0, MOST_NAMED).join(", ")}${more})`;
}

const TABLES = [
  ["runs", "run"],
  ["letters", "letter"],
  ["texts", "text"],
  ["workflows", "workflow"],
] as const;

async function checkRuns(snapshot: LogSnapshot, findings: Findings, judge: JudgeUnsealed): Promise<void> {
  const unsealed: (UnsealedRun & { readonly position: number | null })[] = [];
  await eachRow(
    (...page) => snapshot.runs(...page),
    (run) => {
      const position = run.last?.position ?? null;
      const where = { run: run.run, sequence: run.sequence, position, row: `run ${run.number}` };
      const why = whyRunChanged(run);
      if (why === UNSEALED) unsealed.push({ run: run.run, status: run.status, position });
      else if (why !== null) findings.add("run-changed", why, where);
      if (!snapshot.hasWorkflow(run.workflow))
        findings.add("workflow-missing", `its workflow ${run.workflow.slice(0, 12)} is not kept`, where);
    },
    gapIn(findings, "run"),
  );
  for (const { position, ...run } of unsealed) {
    const why = await judge(run);
    if (why !== null) findings.add("run-changed", why, { run: run.run, position });
  }
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
    await restOfTheWorld();
  }
}

function gapIn(findings: Findings, what: "run" | "letter" | "text" | "workflow"): (missing: number) => void {
  return (missing) => findings.add(`${what}-missing`, `${what} ${missing} is missing`, { row: `${what} ${missing}` });
}

/** With what was kept outside of the log, where whoever can edit the log cannot reach. */
function compareSeen(snapshot: LogSnapshot, { seen, head }: Trust, end: ChainHead, findings: Findings): void {
  for (const last of seen) {
    if (last.log !== snapshot.log) {
      findings.add("replaced", `another log stood here, with ${entriesIn(last.position)}`, { position: last.position });
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
  findings: Findings,
  what: string,
): boolean {
  const { position, hash } = head;
  if (position > end.position) {
    findings.add("cut-off", `${position} ${what}, and the log ends at ${end.position}`, { position: end.position + 1 });
    return false;
  }
  const [entry] = snapshot.entries(position - 1, 1);
  if (entry?.position === position && entry.hash === hash) return true;
  const { run = null, sequence = null } = entry ?? {};
  findings.add("wrong-head", `${hash.slice(0, 12)} ${what}, at ${position}, and the log has another hash there`, {
    position,
    run,
    sequence,
  });
  return false;
}

function restOfTheWorld(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
