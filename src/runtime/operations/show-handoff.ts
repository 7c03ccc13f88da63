import type { Judgement } from "../../evidence/claim.ts";
import { listClaims } from "../../evidence/list-claims.ts";
import type { Ports } from "../../ports/ports.ts";
import { convertHandoffs } from "../../protocol/convert-handoff.ts";
import type { DialectName, Handoff } from "../../protocol/handoff.ts";
import { locateHandoff } from "../../protocol/locate-handoff.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import type { ReadOptions, Reading } from "../../protocol/reading.ts";
import { AppError } from "../../shared/app-error.ts";
import { diffLines } from "../../shared/line-diff.ts";
import { sameJson } from "../../shared/json-value.ts";
import { LineTable } from "../../shared/line-table.ts";
import type { ConvertedHandoff, HandoffPage } from "../../views/handoff-page.ts";
import { stepItems } from "../../views/step-items.ts";
import { formatsOf } from "../../workflow/workflow-formats.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Event } from "../../workflow/event.ts";
import type { Delivery, Input, Problem } from "../../workflow/input.ts";
import { type ReadRun, readRun } from "../read-run.ts";
import { wholeInput } from "../../workflow/stored/kept-input.ts";
import { type LogEntry, eventsOf } from "../read-log.ts";
import { attemptRecordOf, stepOf } from "./show-attempt.ts";
import { findRun } from "./send-input.ts";

export async function showHandoff(ports: Ports, name: string, attempt: string): Promise<HandoffPage> {
  const row = await findRun(ports, name);
  const read = await readRun(ports, row);
  const { step, task, agent } = stepOf(read, row.run, attempt);
  const given = givenBy(read, attempt);
  if (given === null) throw noHandoff(row.run, attempt);
  const source = await sourceOf(ports, read, given);
  const again = source === null ? null : readAgain(source, read.workflow, agent);
  const { delivery, problems, accepted, claims, at } = given;
  const handoff = delivery?.handoff ?? null;
  return {
    run: row.run,
    attempt,
    step,
    task,
    agent,
    at,
    dialect: handoff?.dialect ?? again?.reading.dialect ?? null,
    formats: Object.keys(read.workflow.formats ?? {}),
    accepted,
    problems: problems.map(({ message, hint, where }) => ({ message, hint, where })),
    source,
    diagnostics: again?.reading.diagnostics ?? [],
    handoff,
    claims: located(claims, handoff, again),
    previous: await compared(ports, read, { attempt, agent, task, source }),
  };
}

function noHandoff(run: string, attempt: string): AppError {
  return new AppError(
    "no-match",
    `Attempt ${attempt} of run ${run} has given no handoff.`,
    "Its step shows how it ended.",
  );
}

/** The result of an attempt, from the log. */
interface Given {
  readonly attempt: string;
  readonly at: number;
  readonly delivery: Delivery | null;
  /** SHA-256 of the text of a session that holds no handoff that can be used, where it is kept. */
  readonly text: string | null;
  readonly accepted: boolean;
  readonly problems: readonly Problem[];
  readonly claims: readonly Judgement[];
}

function givenBy(read: ReadRun, attempt: string): Given | null {
  const { entries } = read;
  const index = reportOf(entries, attempt);
  const report = entries[index];
  if (report === undefined || report.input === null) return null;
  const input = wholeInput(report.input, decidedOn(entries, index));
  const told = toldIn(input);
  if (told === null) return null;
  const later = read.events.filter(({ position }) => position > report.position).map(({ event }) => event);
  const refused = later.flatMap((event) =>
    event.kind === "handoff-refused" && event.attempt === attempt ? [event] : [],
  );
  const wasAccepted = decidedOn(entries, index).some(({ kind }) => kind === "handoff-accepted");
  return {
    attempt,
    at: report.at,
    ...told,
    accepted: wasAccepted && refused.length === 0,
    problems: refused.flatMap(({ problems }) => problems),
    claims: judgedIn(later, attempt),
  };
}

/** The input that tells how an attempt ended: in a session, what was seen of it; -1 while there is none. */
function reportOf(entries: readonly LogEntry[], attempt: string): number {
  const ended = entries.findIndex(({ event }) => event?.kind === "attempt-ended" && event.attempt === attempt);
  return entries.slice(0, Math.max(0, ended)).findLastIndex(({ input }) => input !== null);
}

function toldIn(input: Input): Pick<Given, "delivery" | "text"> | null {
  if (input.kind === "report-attempt" && input.end === "finished") return { delivery: input.delivery, text: null };
  if (input.kind !== "observe" || input.seen.kind !== "agent-stopped") return null;
  return { delivery: input.seen.delivery, text: input.seen.text ?? null };
}

/** The events between this input and the next one. */
function decidedOn(entries: readonly LogEntry[], index: number): Event[] {
  const next = entries.findIndex(({ kind }, at) => at > index && kind === "input");
  return eventsOf(entries.slice(index + 1, next < 0 ? undefined : next));
}

/** A later verdict, such as that of a gate, replaces an earlier one. */
function judgedIn(events: readonly Event[], attempt: string): Judgement[] {
  const claims = new Map<string, Judgement>();
  for (const event of events) {
    if (event.kind !== "claims-verified" || event.attempt !== attempt) continue;
    for (const judgement of event.judgements) claims.set(claimKey(judgement), judgement);
  }
  return [...claims.values()];
}

/** An invalid handoff is not stored by itself, but it may be the last message. */
async function sourceOf(
  { log }: Pick<Ports, "log">,
  read: ReadRun,
  { delivery, text, attempt }: Pick<Given, "delivery" | "text" | "attempt">,
): Promise<string | null> {
  const hash = delivery?.text ?? text ?? attemptRecordOf(read, attempt)?.output?.text ?? "";
  return /^[0-9a-f]{64}$/.test(hash) ? log.text(hash) : null;
}

interface ReadAgain {
  readonly source: string;
  readonly options: ReadOptions;
  readonly reading: Reading;
}

/** Parses the text as it was parsed originally, except that the name of its file is no longer known. */
function readAgain(source: string, workflow: Workflow, agent: string): ReadAgain {
  const dialect = workflow.agents[agent]?.dialect;
  const formats = formatsOf(workflow);
  const inRun = { agents: Object.keys(workflow.agents), formats, ...(dialect !== undefined && { prefer: dialect }) };
  const reading = readHandoffs(source, inRun);
  if (reading.dialect !== null || dialect === undefined) return { source, options: inRun, reading };
  const options = { ...inRun, dialect };
  return { source, options, reading: readHandoffs(source, options) };
}

/** Stored judgements name a place in the handoff; the listed claims have the path of the value. */
function located(
  judgements: readonly Judgement[],
  handoff: Handoff | null,
  again: ReadAgain | null,
): HandoffPage["claims"] {
  const read = again?.reading.handoffs.findLast((found) => handoff !== null && sameJson(found.handoff, handoff));
  if (judgements.length === 0 || again === null || handoff === null || read === undefined)
    return judgements.map((judgement) => ({ ...judgement, range: null }));
  const paths = new Map(listClaims(handoff).map((claim) => [claimKey(claim), claim.path]));
  const locate = locateHandoff(again.source, read, again.options);
  const lines = new LineTable(again.source);
  return judgements.map((judgement) => {
    const path = paths.get(claimKey(judgement));
    const span = path && locate(path);
    return { ...judgement, range: span === undefined ? null : lines.range(span.start, span.end) };
  });
}

function claimKey({ kind, where, says }: Pick<Judgement, "kind" | "where" | "says">): string {
  return `${kind}\n${where}\n${says}`;
}

async function compared(
  ports: Ports,
  read: ReadRun,
  { attempt, agent, task, source }: { attempt: string; agent: string; task: string; source: string | null },
): Promise<HandoffPage["previous"]> {
  const before = previousOf(read, attempt, agent, task);
  const earlier = before === null ? null : await sourceOf(ports, read, before);
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

/** Converts a stored handoff to another dialect, and reports what that dialect requires and the handoff lacks. */
export async function convertStored(
  ports: Ports,
  name: string,
  attempt: string,
  dialect: DialectName,
): Promise<ConvertedHandoff> {
  const row = await findRun(ports, name);
  const read = await readRun(ports, row);
  const formats = formatsOf(read.workflow);
  const handoff = givenBy(read, attempt)?.delivery?.handoff;
  if (handoff === undefined) throw noHandoff(row.run, attempt);
  const options = { formats, now: new Date(ports.clock.now()).toISOString() };
  const { text, diagnostics } = convertHandoffs([handoff], dialect, options);
  return { dialect, text, losses: diagnostics };
}
