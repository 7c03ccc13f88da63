import type { Engine } from "../runtime/engine.ts";
import { followRun } from "../runtime/operations/follow-run.ts";
import { hasMessages } from "../runtime/read-log.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
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
    else if (!isTold && Date.now() - drivenAt > START_TIMEOUT) {
      isTold = true;
      say(terminal, `Run ${run} waits for a worker: \`baton worker\` drives it.\n`);
    }
    await pause(POLL_INTERVAL, signal);
  }
  return tellEnd(engine, run, signal.aborted, terminal, style);
}
