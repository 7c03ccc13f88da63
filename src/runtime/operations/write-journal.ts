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

const MOST_RUNS = 1_000_000;
const MOST_TASKS = 500;
const MOST_FILES = 5_000;
const MOST_FACTS = 1_000;

/** From the log and from what is known, with this run as the current one; null when there is no run yet. */
export async function writeJournal({ machine, root }: Engine, name: string | undefined): Promise<Journal | null> {
  const { log, knowledge } = machine;
  const rows = (await log.runs({ limit: MOST_RUNS })).toReversed();
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
    known: await knowledge.tasks({ most: MOST_TASKS }),
    facts: [
      ...(await factsOf(machine, "decision")),
      ...(await factsOf(machine, "pattern")),
      ...(await factsOf(machine, "gotcha")),
    ],
    files: await knowledge.files({ most: MOST_FILES }),
  });
}

async function factsOf({ knowledge }: Machine, kind: FactKind): Promise<Fact[]> {
  const found = await knowledge.search({ kinds: [kind], status: ["trusted", "quarantined"], most: MOST_FACTS });
  return found.map(({ fact }) => fact);
}

function rowOf({ run, name, status, createdAt, updatedAt }: RunRow, at: number): JournalRunRow {
  return { number: at + 1, run, workflow: name, status, started_at: createdAt, updated_at: updatedAt };
}
