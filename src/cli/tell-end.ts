import type { Engine } from "../runtime/engine.ts";
import { findRun } from "../runtime/operations/send-input.ts";
import { type RunView, viewRun } from "../runtime/operations/view-run.ts";
import { printable, printJsonLines } from "../shared/printable.ts";
import { endCode, type failOn } from "./end-code.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { printRun } from "./print-run.ts";
import { runRecord, driveStatusOf } from "./drive-status.ts";
import type { Terminal } from "./terminal.ts";

export interface DriveStyle {
  readonly json: boolean;
  readonly quiet: boolean;
  /** False when the user does not want to wait for another run in the same folder. */
  readonly waits?: boolean;
  /** The end that the user asked for; completed unless given. */
  readonly wanted?: "cancelled" | undefined;
  /** What makes a completed run end with 1. */
  readonly failOn?: ReturnType<typeof failOn> | undefined;
}

/** Prints the state of a run that has ended, waits, or was left, and says what can be done next. */
export async function tellEnd(
  engine: Engine,
  run: string,
  isInterrupted: boolean,
  terminal: Terminal,
  style: DriveStyle,
): Promise<number> {
  const row = await findRun(engine.ports, run);
  const { view } = await viewRun(engine.ports, row.run, row.workflow);
  const shape = { colour: terminal.colour.out, width: terminal.columns, room: terminal.room.out };
  const driveStatus = await driveStatusOf(engine.ports, row);
  terminal.out(
    style.json ? printJsonLines(runRecord(view, driveStatus)) : printRun(view, Date.now(), shape, driveStatus),
  );
  if (isInterrupted) {
    say(terminal, `\n${interrupted(engine, run)}\n`);
    return EXIT.interrupted;
  }
  if (!style.json) say(terminal, whatNext(view, engine.shared !== undefined));
  terminal.note(await worktreeLeft(engine, view.run, view.status));
  if (style.wanted !== undefined) return view.status === style.wanted ? EXIT.fine : EXIT.findings;
  return endCode(view, style.failOn);
}

function interrupted({ shared }: Engine, run: string): string {
  if (shared === undefined) return `Interrupted; nothing is lost. Continue with \`baton resume ${run}\`.`;
  return `Only the watching was stopped; \`baton watch ${run}\` follows the run again, and \`baton cancel ${run}\` ends it.`;
}

function whatNext({ run, status, retry_refused: refused }: RunView, hasWorkers: boolean): string {
  const then = hasWorkers ? "." : `, then: baton resume ${run}`;
  if (status === "waiting") return `\nThe run waits for a person. Answer as shown above${then}\n`;
  if (status === "failed" && refused !== null) return `\n\`baton log ${run}\` shows what happened.\n`;
  if (status === "failed")
    return `\n\`baton log ${run}\` shows what happened; \`baton retry ${run}\` tries again where it failed.\n`;
  return `\n\`baton log ${run}\` shows what happened; \`baton replay ${run}\` decides it again.\n`;
}

/**
 * The work of a run with a worktree is not in the user's own files, so the path is printed. A cancelled run does not
 * continue, but its work may still be wanted: the user deletes it with a command that can be copied.
 */
async function worktreeLeft({ ports }: Engine, run: string, status: string): Promise<string> {
  const folder = await ports.workspace.worktree(run);
  if (folder === null) return "";
  if (status !== "cancelled") return `${printable(`What its agents did is in its worktree: ${folder}`)}\n`;
  const remove = `git worktree remove --force ${shellWord(folder)} && git branch -D baton/${run}`;
  const lines = [`Its worktree stays, with what is in it: ${folder}`, `To throw it away: ${remove}`];
  return `${lines.map(printable).join("\n")}\n`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
