import type { Engine } from "../runtime/engine.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
import type { findRun } from "../runtime/operations/tell-run.ts";
import { type Said, unreadAnswers } from "../runtime/operations/unread-answers.ts";
import type { RunView } from "../runtime/operations/view-run.ts";

type Row = Awaited<ReturnType<typeof findRun>>;

/** What the log of a run does not tell: who drives it now, and which answers nobody has taken in. */
export interface RunStanding {
  readonly isDriven: boolean;
  /** By question. */
  readonly answers: ReadonlyMap<string, Said>;
}

export async function standingOf(machine: Engine["machine"], row: Row): Promise<RunStanding> {
  const { asks } = row.summary;
  const answers = Array.isArray(asks) && asks.length > 0 ? await unreadAnswers(machine, row.run) : new Map();
  return { isDriven: isDriven(row, machine.clock.now()), answers };
}

/** What became of an answer that the run does not know of yet. */
export function sayAnswered(run: string, choice: string, { isDriven: hasDriver }: RunStanding): string {
  return `answered: ${choice}, ${hasDriver ? "not yet taken in" : `waits for \`baton resume ${run}\``}`;
}

/** How a list tells what a run asks: what still waits for a person, and what a person has said already. */
export function askNotes({ run, summary }: Row, standing: RunStanding): string[] {
  const asks = Array.isArray(summary["asks"]) ? summary["asks"].length : 0;
  const open = Math.max(0, asks - standing.answers.size);
  const said = [...standing.answers].map(([ask, { choice }]) => `${ask} ${sayAnswered(run, choice, standing)}`);
  return [...(open > 0 ? [`${open} waiting for you`] : []), ...said];
}

/** What is asked, as `--json` tells it: each question with the answer that nobody has taken in yet, or null. */
export function askRecords<A extends object>(asks: readonly A[], { answers }: RunStanding): object[] {
  return asks.map((ask) => ({ ...ask, answered: ("id" in ask ? answers.get(String(ask.id)) : undefined) ?? null }));
}

/** A run as `--json` prints it: what its log tells, and what only the store knows. */
export function runRecord(view: RunView, standing: RunStanding): object {
  return { ...view, driven: standing.isDriven, asks: askRecords(view.asks, standing) };
}
