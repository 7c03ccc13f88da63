import { basename } from "node:path";
import type { Fact, FactKind } from "../../knowledge/fact.ts";
import type { RunRow } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { type Journal, type JournalRunRow, journalOf } from "../../views/journal.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Event } from "../../workflow/event.ts";
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
    known: await knowledge.tasks({ most: limits.tasks }),
    facts: [
      ...(await factsOf(machine, "decision", limits)),
      ...(await factsOf(machine, "pattern", limits)),
      ...(await factsOf(machine, "gotcha", limits)),
    ],
    files: await knowledge.files({ most: limits.files }),
    totals: await knowledge.totals(),
  });
}

async function factsOf({ knowledge }: Machine, kind: FactKind, { facts: most }: JournalLimits): Promise<Fact[]> {
  const found = await knowledge.search({ kinds: [kind], status: ["trusted", "quarantined"], most });
  return found.map(({ fact }) => fact);
}

function rowOf({ run, name, status, createdAt, updatedAt }: RunRow, at: number): JournalRunRow {
  return { number: at + 1, run, workflow: name, status, started_at: createdAt, updated_at: updatedAt };
}
