import type { Judgement } from "../../evidence/claim.ts";
import type { StoredEntry } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import type { DialectName, Handoff } from "../../protocol/handoff.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import type { Reading } from "../../protocol/reading.ts";
import { type WriteNote, writeHandoff } from "../../protocol/write-handoff.ts";
import { AppError } from "../../shared/app-error.ts";
import { diffLines } from "../../shared/line-diff.ts";
import { LineTable } from "../../shared/line-table.ts";
import { stepItems } from "../../views/step-items.ts";
import type { Event } from "../../workflow/event.ts";
import type { Delivery, Problem } from "../../workflow/input.ts";
import { type ReadRun, readRun } from "../read-run.ts";
import { keptInput } from "../stored-input.ts";
import { recordOf, stepOf } from "./show-attempt.ts";
import { findRun } from "./tell-run.ts";

/** One handoff as it was written, read, judged and compared. */
export interface HandoffPage {
  readonly run: string;
  readonly attempt: string;
  readonly step: string;
  readonly task: string;
  readonly agent: string;
  readonly at: number;
  readonly dialect: DialectName | null;
  readonly accepted: boolean;
  /** Why it was refused. */
  readonly problems: readonly Pick<Problem, "message" | "hint" | "where">[];
  /** The text as it came; null when it was not kept. */
  readonly source: string | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly handoff: Handoff | null;
  readonly claims: readonly Judgement[];
  /** The handoff of the same agent before this one, to compare with. */
  readonly previous: { readonly attempt: string; readonly iteration: number; readonly diff: string } | null;
}

export async function showHandoff(machine: Machine, name: string, attempt: string): Promise<HandoffPage> {
  const row = await findRun(machine, name);
  const read = await readRun(machine, row);
  const { step, task, agent } = stepOf(read, row.run, attempt);
  const given = givenBy(read, attempt);
  if (given === null) throw noHandoff(row.run, attempt);
  const source = await sourceOf(machine, read, given);
  const reading = source === null ? null : readAgain(source, read.workflow.agents[agent]?.dialect);
  const { delivery, problems, accepted, claims, at } = given;
  return {
    run: row.run,
    attempt,
    step,
    task,
    agent,
    at,
    dialect: delivery?.handoff.dialect ?? reading?.dialect ?? null,
    accepted,
    problems: problems.map(({ message, hint, where }) => ({ message, hint, where })),
    source,
    diagnostics: reading?.diagnostics ?? [],
    handoff: delivery?.handoff ?? null,
    claims,
    previous: await compared(machine, read, { attempt, agent, task, source }),
  };
}

function noHandoff(run: string, attempt: string): AppError {
  return new AppError(
    "no-match",
    `Attempt ${attempt} of run ${run} has given no handoff.`,
    "Its step shows how it ended.",
  );
}

/** What came of an attempt, out of the log. */
interface Given {
  readonly attempt: string;
  readonly at: number;
  readonly delivery: Delivery | null;
  readonly accepted: boolean;
  readonly problems: readonly Problem[];
  readonly claims: readonly Judgement[];
}

function givenBy(read: ReadRun, attempt: string): Given | null {
  const { entries } = read;
  const index = entries.findIndex(({ kind, data }) => isReport(kind, data, attempt));
  const report = entries[index];
  if (report?.data === null || report === undefined) return null;
  const input = keptInput(report.data, decidedOn(entries, index));
  if (input.kind !== "report-attempt" || input.end !== "finished") return null;
  const later = read.events.filter(({ position }) => position > report.position).map(({ event }) => event);
  const refused = later.flatMap((event) =>
    event.kind === "handoff-refused" && event.attempt === attempt ? [event] : [],
  );
  const wasAccepted = decidedOn(entries, index).some(({ kind }) => kind === "handoff-accepted");
  return {
    attempt,
    at: report.at,
    delivery: input.delivery,
    accepted: wasAccepted && refused.length === 0,
    problems: refused.flatMap(({ problems }) => problems),
    claims: judgedIn(later, attempt),
  };
}

function isReport(kind: string, data: StoredEntry["data"], attempt: string): boolean {
  return kind === "input" && data?.["kind"] === "report-attempt" && data["attempt"] === attempt;
}

/** The events up to the next thing that the world told. */
function decidedOn(entries: readonly StoredEntry[], index: number): Event[] {
  const next = entries.findIndex(({ kind }, at) => at > index && kind === "input");
  return entries.slice(index + 1, next < 0 ? undefined : next).map(({ data }) => data as unknown as Event);
}

/** By looking first; what a gate has settled since counts. */
function judgedIn(events: readonly Event[], attempt: string): Judgement[] {
  const claims = new Map<string, Judgement>();
  for (const event of events) {
    if (event.kind !== "claims-verified" || event.attempt !== attempt) continue;
    for (const judgement of event.judgements)
      claims.set(`${judgement.kind}\n${judgement.where}\n${judgement.says}`, judgement);
  }
  return [...claims.values()];
}

/** What could not be read was not kept under a name of its own; it may be the last message. */
async function sourceOf(
  { log }: Pick<Machine, "log">,
  read: ReadRun,
  { delivery, attempt }: Pick<Given, "delivery" | "attempt">,
): Promise<string | null> {
  const hash = delivery?.text ?? recordOf(read, attempt)?.output?.text ?? "";
  return /^[0-9a-f]{64}$/.test(hash) ? log.text(hash) : null;
}

/** As it was read when it came; the file that it stood in is not known any more. */
function readAgain(source: string, dialect: DialectName | undefined): Reading {
  const reading = readHandoffs(source);
  return reading.dialect !== null || dialect === undefined ? reading : readHandoffs(source, { dialect });
}

async function compared(
  machine: Machine,
  read: ReadRun,
  { attempt, agent, task, source }: { attempt: string; agent: string; task: string; source: string | null },
): Promise<HandoffPage["previous"]> {
  const before = previousOf(read, attempt, agent, task);
  const earlier = before === null ? null : await sourceOf(machine, read, before);
  if (before === null || earlier === null || source === null) return null;
  const diff = diffLines(earlier, source).join("\n");
  return { attempt: before.attempt, iteration: before.iteration, diff };
}

function previousOf(
  read: ReadRun,
  attempt: string,
  agent: string,
  task: string,
): (Given & { readonly iteration: number }) | null {
  const attempts = stepItems(read.events)
    .filter((step) => step.agent === agent && step.task === task)
    .flatMap((step) => step.attempts.map((item) => ({ attempt: item.attempt, iteration: step.iteration })));
  const own = attempts.findIndex((item) => item.attempt === attempt);
  for (const earlier of attempts.slice(0, Math.max(0, own)).toReversed()) {
    const given = givenBy(read, earlier.attempt);
    if (given !== null && given.delivery !== null) return { ...given, iteration: earlier.iteration };
  }
  return null;
}

export interface ConvertedHandoff {
  readonly dialect: DialectName;
  readonly text: string;
  /** What the other dialect has no place for. */
  readonly losses: readonly Diagnostic[];
}

/** In another dialect; what that demands and the handoff lacks is told, too. */
export async function convertStored(
  machine: Machine,
  name: string,
  attempt: string,
  dialect: DialectName,
): Promise<ConvertedHandoff> {
  const row = await findRun(machine, name);
  const handoff = givenBy(await readRun(machine, row), attempt)?.delivery?.handoff;
  if (handoff === undefined) throw noHandoff(row.run, attempt);
  const { text, notes } = writeHandoff(handoff, dialect, { now: new Date(machine.clock.now()).toISOString() });
  const errors = readHandoffs(text, { dialect }).diagnostics.filter(({ severity }) => severity === "error");
  return { dialect, text, losses: [...notes.map(asDiagnostic), ...errors] };
}

function asDiagnostic({ code, severity, message }: WriteNote): Diagnostic {
  return { code, rule: null, severity, message, range: new LineTable("").range(0, 0), hint: null, fix: null };
}
