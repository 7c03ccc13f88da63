import type { Engine } from "../runtime/engine.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
import type { findRun } from "../runtime/operations/tell-run.ts";
import { unreadAnswers } from "../runtime/operations/unread-answers.ts";

type Row = Awaited<ReturnType<typeof findRun>>;

/** What the log of a run does not tell: who drives it now, and which answers nobody has taken in. */
export interface RunStanding {
  readonly isDriven: boolean;
  /** The choices that were made, by question. */
  readonly answers: ReadonlyMap<string, string>;
}

export async function standingOf(machine: Engine["machine"], row: Row): Promise<RunStanding> {
  const { asks } = row.summary;
  const unread = Array.isArray(asks) && asks.length > 0 ? await unreadAnswers(machine, row.run) : new Map();
  const answers = new Map([...unread].map(([ask, { choice }]) => [ask, choice]));
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
  const said = [...standing.answers].map(([ask, choice]) => `${ask} ${sayAnswered(run, choice, standing)}`);
  return [...(open > 0 ? [`${open} waiting for you`] : []), ...said];
}
