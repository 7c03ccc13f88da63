import type { Engine } from "../runtime/engine.ts";
import { followRun } from "../runtime/operations/follow-run.ts";
import { hasMessages } from "../runtime/read-log.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { eventText, timedLine } from "./live-view.ts";
import { printDuration } from "./paint.ts";
import { type DriveStyle, tellEnd } from "./tell-end.ts";
import type { Terminal } from "./terminal.ts";
import { pause, POLL_INTERVAL, START_TIMEOUT } from "./watch-run.ts";

/** Follows a run that workers drive, and shows it as one that this process drives. */
export async function followToEnd(engine: Engine, run: string, terminal: Terminal, style: DriveStyle): Promise<number> {
  terminal.outliveReaders();
  const { clock } = engine.ports;
  const signal = terminal.interruption();
  const followed = await followRun(engine.ports, run);
  const startedAt = Date.now();
  let drivenAt = Date.now();
  let isTold = false;
  while (!signal.aborted) {
    const { row, news } = await followed.look();
    const elapsed = printDuration(Date.now() - startedAt).padStart(9);
    for (const line of style.quiet ? [] : news.flatMap(({ event }) => eventText(event) ?? []))
      terminal.note(timedLine(elapsed, line, terminal.colour.notes, terminal.room.notes));
    if (row.finished || (row.status === "waiting" && !(await hasMessages(engine.ports, run)))) break;
    if (isDriven(row, clock.now())) drivenAt = Date.now();
    else if (Date.now() - drivenAt > START_TIMEOUT) {
      if (await isGivenUp(engine, run)) return tellGivenUp(engine, run, terminal, style);
      if (!isTold) say(terminal, `Run ${run} waits for a worker: \`baton worker\` drives it.\n`);
      isTold = true;
      drivenAt = Date.now();
    }
    await pause(POLL_INTERVAL, signal);
  }
  return tellEnd(engine, run, signal.aborted, terminal, style);
}

async function isGivenUp({ shared }: Engine, run: string): Promise<boolean> {
  return (await shared?.givenUp())?.includes(run) === true;
}

async function tellGivenUp(engine: Engine, run: string, terminal: Terminal, style: DriveStyle): Promise<number> {
  await tellEnd(engine, run, false, terminal, { ...style, quiet: true });
  const { says, fix } = noteGivenUp(run);
  say(terminal, `${says} ${fix}\n`);
  return EXIT.findings;
}

export function noteGivenUp(run: string): { readonly says: string; readonly fix: string } {
  const says = `Run ${run} was given up: workers were lost with it again and again.`;
  return { says, fix: `\`baton resume ${run}\` gives it to a worker again.` };
}
