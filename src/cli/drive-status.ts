import type { Engine } from "../runtime/engine.ts";
import { runItem } from "../runtime/operations/list-runs.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
import type { findRun } from "../runtime/operations/send-input.ts";
import { type UnreadAnswer, unreadAnswers } from "../runtime/operations/answer-ask.ts";
import type { RunView } from "../runtime/operations/view-run.ts";

type Row = Awaited<ReturnType<typeof findRun>>;

/** What the log of a run does not contain: the process that drives it, and answers that were not processed yet. */
export interface RunDriveStatus {
  readonly isDriven: boolean;
  /** The run that it waits for, because that one works in the same folder; null when it does not wait. */
  readonly waitsFor: string | null;
  /** When the last sign of an open session came, if that is long ago; else null. */
  readonly idleSince: number | null;
  /** By question. */
  readonly answers: ReadonlyMap<string, UnreadAnswer>;
}

export async function driveStatusOf(ports: Engine["ports"], row: Row): Promise<RunDriveStatus> {
  const { asks } = row.summary;
  const answers = Array.isArray(asks) && asks.length > 0 ? await unreadAnswers(ports, row.run) : new Map();
  const hasDriver = !row.finished && isDriven(row, ports.clock.now());
  const { idle_since: idle } = runItem(row, ports.clock.now());
  const waitsFor = hasDriver ? await ports.workspace.waitsFor(row.run) : null;
  return { isDriven: hasDriver, answers, waitsFor, idleSince: idle };
}

/** Why a run does nothing that would work in a folder where another one is at work. */
export function waitingText(holder: string): string {
  return `waits for ${holder === "" ? "another run" : `run ${holder}`}, which is at work in the same folder`;
}

/** What became of an answer that the run does not know of yet. */
export function describeAnswered(run: string, choice: string, { isDriven: hasDriver }: RunDriveStatus): string {
  return `answered: ${choice}, ${hasDriver ? "not yet taken in" : `waits for \`baton resume ${run}\``}`;
}

/** How a list tells what a run asks: what still waits for a person, and what a person has said already. */
export function askNotes({ run, summary }: Row, driveStatus: RunDriveStatus): string[] {
  const asks = Array.isArray(summary["asks"]) ? summary["asks"].length : 0;
  const open = Math.max(0, asks - driveStatus.answers.size);
  const said = [...driveStatus.answers].map(
    ([ask, { choice }]) => `${ask} ${describeAnswered(run, choice, driveStatus)}`,
  );
  const { waitsFor } = driveStatus;
  return [
    ...(open > 0 ? [`${open} waiting for you`] : []),
    ...(waitsFor === null ? [] : [waitingText(waitsFor)]),
    ...said,
  ];
}

/** Open questions as `--json` prints them: each with the answer that was not processed yet, or null. */
export function askRecords<A extends object>(asks: readonly A[], { answers }: RunDriveStatus): object[] {
  return asks.map((ask) => ({ ...ask, answered: ("id" in ask ? answers.get(String(ask.id)) : undefined) ?? null }));
}

/** A run as `--json` prints it: what its log tells, and what only the store knows. */
export function runRecord(view: RunView, driveStatus: RunDriveStatus): object {
  const { isDriven: driven, waitsFor, idleSince } = driveStatus;
  return { ...view, driven, idle_since: idleSince, waits_for: waitsFor, asks: askRecords(view.asks, driveStatus) };
}
