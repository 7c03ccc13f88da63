import { basename } from "node:path";
import type { Fact, FactKind } from "../../knowledge/fact.ts";
import { type FactStanding, factStandingOf } from "../../knowledge/freshness.ts";
import type { RunRow } from "../../ports/event-log.ts";
import type { KnownTask } from "../../ports/knowledge-store.ts";
import type { Ports } from "../../ports/ports.ts";
import { ownValue } from "../../shared/json-value.ts";
import { type Journal, type JournalRunRow, journalOf, taskStatus } from "../../views/journal.ts";
import type { RunState } from "../../workflow/state.ts";
import type { Engine } from "../engine.ts";
import { checkFreshness, withoutDecided } from "../prepare-packet.ts";
import { readEntries, readWholeEntries, readPinnedWorkflow } from "../read-log.ts";
import { foldEntries } from "../run-session.ts";
import { findRun } from "./send-input.ts";

export { renderJournal } from "../../views/render-journal.ts";

/** Maximum length of each list: short enough to read, or unlimited. */
interface JournalLimits {
  readonly tasks: number;
  readonly files: number;
  /** Per kind. */
  readonly facts: number;
}

const ALL = 1_000_000_000;
export const USUAL_LIMITS: JournalLimits = { tasks: 500, files: 5_000, facts: 1_000 };
export const NO_LIMITS: JournalLimits = { tasks: ALL, files: ALL, facts: ALL };

/**
 * Composes the journal from the log and the known facts, with this run as the current one; null when there is no run
 * yet.
 */
export async function writeJournal(
  { ports, root }: Engine,
  name: string | undefined,
  limits: JournalLimits = USUAL_LIMITS,
): Promise<Journal | null> {
  const { log, knowledge } = ports;
  const rows = (await log.runs({ limit: ALL })).toReversed();
  if (rows.length === 0 && name === undefined) return null;
  const row = await findRun(ports, name);
  const entries = await readWholeEntries(log, row.run);
  const facts = (await Promise.all(JOURNAL_KINDS.map((kind) => factsOf(ports, kind, limits)))).flat();
  return journalOf({
    project: basename(root),
    runs: rows.map(rowOf),
    workflow: await readPinnedWorkflow(log, row),
    state: foldEntries(entries),
    events: entries.flatMap(({ at, event }) => (event === null ? [] : [{ at, event }])),
    known: await tasksAsTheyStand(ports, rows, await knowledge.tasks({ max: limits.tasks })),
    facts,
    standings: await standingsNow(ports, root, facts),
    files: await knowledge.files({ max: limits.files }),
    totals: await knowledge.totals(),
  });
}

/**
 * The known status of a task is from its last handoff. In a run that has not completed, the task may not have got that
 * far, so its status is taken from the log, or from the row if the log was pruned.
 */
async function tasksAsTheyStand(
  { log }: Ports,
  rows: readonly RunRow[],
  known: readonly KnownTask[],
): Promise<KnownTask[]> {
  const open = new Map(rows.flatMap((row) => (row.status === "completed" ? [] : [[row.run, row] as const])));
  const states = new Map<string, RunState>();
  for (const run of new Set(known.map((task) => task.run)))
    if (open.has(run)) states.set(run, foldEntries(await readEntries(log, run)));
  return known.map((task) => {
    const stands = ownValue(states.get(task.run)?.tasks ?? {}, task.id);
    if (stands !== undefined) return { ...task, status: taskStatus(stands) };
    const row = open.get(task.run);
    return row?.summary["done"] === 0 ? { ...task, status: row.status } : task;
  });
}

const JOURNAL_KINDS: readonly FactKind[] = ["decision", "pattern", "gotcha", "question"];

/** What each fact cites is looked at now, as before it is passed on. */
async function standingsNow(ports: Ports, root: string, facts: readonly Fact[]): Promise<Map<string, FactStanding>> {
  const checked = await checkFreshness(ports, root, await withoutDecided(ports, facts));
  return new Map(checked.map(({ fact, freshness }) => [fact.id, factStandingOf(fact, freshness)]));
}

async function factsOf({ knowledge }: Ports, kind: FactKind, { facts: max }: JournalLimits): Promise<Fact[]> {
  const found = await knowledge.search({ kinds: [kind], status: ["trusted", "quarantined"], max });
  return found.map(({ fact }) => fact);
}

function rowOf({ run, name, status, createdAt, updatedAt }: RunRow, at: number): JournalRunRow {
  return { number: at + 1, run, workflow: name, status, started_at: createdAt, updated_at: updatedAt };
}
