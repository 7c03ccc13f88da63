import { basename } from "node:path";
import type { Fact, FactKind } from "../../knowledge/fact.ts";
import type { RunRow } from "../../ports/event-log.ts";
import type { KnownTask } from "../../ports/knowledge-store.ts";
import type { Machine } from "../../ports/machine.ts";
import { ownValue } from "../../shared/json-value.ts";
import { type Journal, type JournalRunRow, journalOf, taskStatus } from "../../views/journal.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Event } from "../../workflow/event.ts";
import type { RunState } from "../../workflow/state.ts";
import type { Engine } from "../engine.ts";
import { foldEntries } from "../run-session.ts";
import { findRun, wholeEntries } from "./tell-run.ts";

export type { Journal } from "../../views/journal.ts";
export { renderJournal } from "../../views/render-journal.ts";

/** How much of each list is written down: what a person still reads, or all there is. */
export interface JournalLimits {
  readonly tasks: number;
  readonly files: number;
  /** Of each kind. */
  readonly facts: number;
}

const ALL = 1_000_000_000;
export const USUAL_LIMITS: JournalLimits = { tasks: 500, files: 5_000, facts: 1_000 };
export const NO_LIMITS: JournalLimits = { tasks: ALL, files: ALL, facts: ALL };

/** From the log and from what is known, with this run as the current one; null when there is no run yet. */
export async function writeJournal(
  { machine, root }: Engine,
  name: string | undefined,
  limits: JournalLimits = USUAL_LIMITS,
): Promise<Journal | null> {
  const { log, knowledge } = machine;
  const rows = (await log.runs({ limit: ALL })).toReversed();
  if (rows.length === 0 && name === undefined) return null;
  const row = await findRun(machine, name);
  const entries = await wholeEntries(machine, row.run);
  return journalOf({
    project: basename(root),
    runs: rows.map(rowOf),
    workflow: (await log.workflow(row.workflow)) as unknown as Workflow,
    state: foldEntries(entries),
    events: entries.flatMap(({ at, kind, data }) =>
      kind === "input" || data === null ? [] : [{ at, event: data as unknown as Event }],
    ),
    known: await tasksAsTheyStand(machine, rows, await knowledge.tasks({ most: limits.tasks })),
    facts: [
      ...(await factsOf(machine, "decision", limits)),
      ...(await factsOf(machine, "pattern", limits)),
      ...(await factsOf(machine, "gotcha", limits)),
    ],
    files: await knowledge.files({ most: limits.files }),
    totals: await knowledge.totals(),
  });
}

/**
 * What is known of a task is what its last handoff said. In a run that has not completed the task may have come no
 * further: there the log tells, and of a log that was pruned the row.
 */
async function tasksAsTheyStand(
  { log }: Machine,
  rows: readonly RunRow[],
  known: readonly KnownTask[],
): Promise<KnownTask[]> {
  const open = new Map(rows.flatMap((row) => (row.status === "completed" ? [] : [[row.run, row] as const])));
  const states = new Map<string, RunState>();
  for (const run of new Set(known.map((task) => task.run)))
    if (open.has(run)) states.set(run, foldEntries(await log.entries(run)));
  return known.map((task) => {
    const stands = ownValue(states.get(task.run)?.tasks ?? {}, task.id);
    if (stands !== undefined) return { ...task, status: taskStatus(stands) };
    const row = open.get(task.run);
    return row?.summary["done"] === 0 ? { ...task, status: row.status } : task;
  });
}

async function factsOf({ knowledge }: Machine, kind: FactKind, { facts: most }: JournalLimits): Promise<Fact[]> {
  const found = await knowledge.search({ kinds: [kind], status: ["trusted", "quarantined"], most });
  return found.map(({ fact }) => fact);
}

function rowOf({ run, name, status, createdAt, updatedAt }: RunRow, at: number): JournalRunRow {
  return { number: at + 1, run, workflow: name, status, started_at: createdAt, updated_at: updatedAt };
}
