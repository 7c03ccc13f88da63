import { DatabaseSync } from "node:sqlite";
import type { EventLog, RunRow } from "../../src/ports/event-log.ts";
import { replayRun } from "../../src/runtime/operations/replay-run.ts";
import { type LogEntry, eventsOf, readEntries, readPinnedWorkflow } from "../../src/runtime/read-log.ts";
import type { Workflow } from "../../src/workflow/definition.ts";
import type { Event } from "../../src/workflow/event.ts";

type Accepted = Extract<Event, { kind: "handoff-accepted" }>;

export interface Verdict {
  /** Accepted; of those that should have been, so many are missing, and so many were accepted again. */
  readonly handoffs: number;
  readonly missing: number;
  readonly twice: number;
  /** Attempts that ended with their orchestrator, or by themselves. */
  readonly lost: number;
  readonly crashed: number;
  /** Whatever is wrong; nothing is. */
  readonly wrong: readonly string[];
}

/** What one run tells about itself, held against what its agents wrote down and what it should have accepted. */
export async function judgeRun(
  log: EventLog,
  row: RunRow,
  journal: readonly string[],
  expected: readonly string[],
): Promise<Verdict> {
  const entries = await readEntries(log, row.run);
  const events = eventsOf(entries);
  const accepted = events.filter((event) => event.kind === "handoff-accepted");
  const ends = events.flatMap((event) => (event.kind === "attempt-ended" ? [event.end] : []));
  const workflow = await readPinnedWorkflow(log, row);
  const wrong = [
    ...judgeEnd(row, events),
    ...judgeAccepted(accepted, expected),
    ...judgeRouting(events, expected),
    ...judgeJournal(row.run, events, accepted, journal),
    ...judgeReplay(workflow, entries),
    ...(await missingTexts(log, accepted)),
  ].map((problem) => `${row.run}: ${problem}`);
  const count = (end: string): number => ends.filter((one) => one === end).length;
  const different = new Set(namesOf(accepted)).size;
  const [missing, twice] = [expected.length - different, accepted.length - different];
  return { handoffs: accepted.length, missing, twice, lost: count("lost"), crashed: count("crashed"), wrong };
}

function judgeEnd(row: RunRow, events: readonly Event[]): string[] {
  const isCompleted = row.status === "completed" && row.finished;
  const ends = events.filter(({ kind }) => kind === "run-completed").length;
  return isCompleted && ends === 1 ? [] : [`it is ${row.status} after ${ends} ends`];
}

/** Neither lost nor recorded twice: exactly these, in this order. */
function judgeAccepted(accepted: readonly Accepted[], expected: readonly string[]): string[] {
  const found = namesOf(accepted);
  return found.join() === expected.join() ? [] : [`accepted ${found.join(", ")}`];
}

function namesOf(accepted: readonly Accepted[]): string[] {
  return accepted.map(({ agent, delivery }) => `${agent} ${delivery.handoff.iteration ?? 0}`);
}

/** Each step begins once, but for retries of agents that crashed: a handoff routed twice would begin the next one twice. */
function judgeRouting(events: readonly Event[], expected: readonly string[]): string[] {
  const begun = events.flatMap((event) =>
    event.kind === "step-started" && event.reason.kind !== "retry" ? [`${event.agent} ${event.iteration}`] : [],
  );
  const finished = events.filter(({ kind }) => kind === "task-finished").length;
  return begun.join() === expected.join() && finished === 1 ? [] : [`began ${begun.join(", ")}, ${finished} ends`];
}

/** What was done was decided before, once; and what was accepted is what the agent of that attempt delivered. */
function judgeJournal(
  run: string,
  events: readonly Event[],
  accepted: readonly Accepted[],
  journal: readonly string[],
): string[] {
  const started = new Set(events.flatMap((event) => (event.kind === "attempt-started" ? [event.attempt] : [])));
  const begun = attemptsOf(run, journal, "begin");
  const delivered = new Set(attemptsOf(run, journal, "deliver"));
  const finished = events.flatMap((event) =>
    event.kind === "attempt-ended" && event.end === "finished" ? [event.attempt] : [],
  );
  const named = accepted.map(({ delivery }) => JSON.stringify(delivery.handoff));
  return [
    ...begun.filter((attempt) => !started.has(attempt)).map((attempt) => `${attempt} was not decided`),
    ...begun.filter((attempt, index) => begun.indexOf(attempt) !== index).map((attempt) => `${attempt} ran twice`),
    ...finished.filter((attempt) => !delivered.has(attempt)).map((attempt) => `${attempt} delivered nothing`),
    ...named
      .filter((handoff, index) => !handoff.includes(`"${run}.${finished[index] ?? "?"}"`))
      .map((handoff) => `this is of another attempt: ${handoff}`),
  ];
}

function attemptsOf(run: string, journal: readonly string[], word: string): string[] {
  const start = `${word} ${run}.`;
  return journal.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length).split(" ")[0] ?? ""] : []));
}

/**
 * Attempts that went on after the next one had begun, where one must end before: they delivered later, or kept the
 * lock that all of them hold.
 */
export function workedBeside(journal: readonly string[]): string[] {
  let present = "";
  return journal.filter((line) => {
    const [word, attempt = ""] = line.split(" ");
    if (word === "begin") present = attempt;
    return word === "beside" || (word === "deliver" && attempt !== present);
  });
}

function judgeReplay(workflow: Workflow, entries: readonly LogEntry[]): string[] {
  return replayRun(workflow, entries).flatMap(({ isSame, sequence }) =>
    isSame ? [] : [`${sequence} differs in replay`],
  );
}

async function missingTexts(log: EventLog, accepted: readonly Accepted[]): Promise<string[]> {
  const texts = await Promise.all(accepted.map(({ delivery }) => log.text(delivery.text)));
  return texts.flatMap((text, index) => (text === null ? [`the text of handoff ${index + 1} is missing`] : []));
}

/** `ok` when every page and index of the file is sound. */
export function checkIntegrity(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Object.values(database.prepare("PRAGMA integrity_check").get() ?? {})[0];
  } finally {
    database.close();
  }
}
