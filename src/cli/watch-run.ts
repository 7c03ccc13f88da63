import { setTimeout } from "node:timers/promises";
import type { Engine } from "../runtime/engine.ts";
import { type RunGlance, followRun } from "../runtime/operations/follow-run.ts";
import { describeIdle } from "../runtime/operations/list-runs.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
import { viewRun } from "../runtime/operations/view-run.ts";
import { printJson, printable } from "../shared/printable.ts";
import { rowCode } from "./end-code.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { wrapText } from "./fit-text.ts";
import { eventText, timedLine } from "./live-view.ts";
import { paint } from "./paint.ts";
import { printRun } from "./print-run.ts";
import { runPicture } from "./run-picture.ts";
import { driveStatusOf, waitingText } from "./drive-status.ts";
import { Screen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";

export const POLL_INTERVAL = 200;
/** A process in the background that is just starting may take as long. */
export const START_TIMEOUT = 5_000;

/** Shows one run until it ends, waits for a person, or no process drives it any more. */
export async function watchRun(
  engine: Engine,
  name: string | undefined,
  terminal: Terminal,
  json = false,
): Promise<number> {
  const signal = terminal.interruption();
  const followed = await followRun(engine.ports, name);
  const isAtWork = ({ row }: RunGlance): boolean => isDriven(row, engine.ports.clock.now());
  const hasPicture = terminal.hasScreen() && !json;
  const show = json ? asJson(terminal) : hasPicture ? drawn(terminal, isAtWork) : plain(terminal);
  let drivenAt = Date.now();
  const tellWait = waitTeller(engine, show);
  for (;;) {
    const glance = await followed.look();
    const { row } = glance;
    show.news(glance);
    if (isAtWork(glance)) drivenAt = Date.now();
    const isWaiting = await tellWait(glance, isAtWork(glance));
    // A worker may take it at any time.
    const isLeft = engine.shared === undefined && Date.now() - drivenAt > START_TIMEOUT;
    if (isOver(row, isWaiting) || signal.aborted || isLeft) {
      show.end();
      return conclude(engine, glance, { isInterrupted: signal.aborted, hasPicture }, terminal);
    }
    await pause(POLL_INTERVAL, signal);
  }
}

/** A run that was answered still waits for another run before it goes on. */
function isOver({ finished, status }: RunGlance["row"], isWaiting: boolean): boolean {
  return finished || (status === "waiting" && !isWaiting);
}

/** Says once for which other run a run waits. The function that it returns tells whether the run waits. */
function waitTeller({ ports }: Engine, show: Show): (glance: RunGlance, isAtWork: boolean) => Promise<boolean> {
  let said: string | null = null;
  return async (glance, isAtWork) => {
    const { run } = glance.row;
    const waitsFor = isAtWork ? await ports.workspace.waitsFor(run) : null;
    if (waitsFor !== null && waitsFor !== said) show.waits(glance, `${run} ${waitingText(waitsFor)}`);
    said = waitsFor;
    return waitsFor !== null;
  };
}

/** Or until the user has seen enough. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}

interface Show {
  news(glance: RunGlance): void;
  /** The run waits for another one. */
  waits(glance: RunGlance, text: string): void;
  end(): void;
}

/** One record a line for each event: for programs. */
function asJson(terminal: Terminal): Show {
  return {
    news({ news }) {
      for (const { event, at } of news) terminal.out(`${printJson({ at, event })}\n`);
    },
    waits: () => undefined,
    end: () => undefined,
  };
}

/** One line for each event, with its time: for logs and pipes. */
function plain(terminal: Terminal): Show {
  return {
    news({ news }) {
      for (const line of linesOf(news))
        terminal.out(timedLine(line.time, line, terminal.colour.out, terminal.room.out));
    },
    waits(_glance, text) {
      const line = { text: printable(`… run ${text}`), tone: "warning" } as const;
      terminal.out(timedLine(clockTime(Date.now()), line, terminal.colour.out, terminal.room.out));
    },
    end: () => undefined,
  };
}

/** The same lines, and below them where the run is. */
function drawn(terminal: Terminal, isAtWork: (glance: RunGlance) => boolean): Show {
  const screen = new Screen(terminal);
  const colour = terminal.colour.notes;
  return {
    news(glance) {
      const { news, view } = glance;
      const { columns } = terminal;
      const style = { colour, columns, now: Date.now(), isDriven: isAtWork(glance) };
      const lines = linesOf(news).flatMap(({ text, tone, time }) =>
        wrapText(`${time}  ${text}`, columns - 1, INDENT).map((line) => paint(line, tone, colour)),
      );
      screen.show(lines, view === null ? [] : runPicture(view, [], style));
    },
    waits({ view }, text) {
      const style = { colour, columns: terminal.columns, now: Date.now(), isDriven: true };
      const lines = wrapText(printable(`${clockTime(Date.now())}  … run ${text}`), terminal.columns - 1, INDENT);
      screen.show(
        lines.map((line) => paint(line, "warning", colour)),
        view === null ? [] : runPicture(view, [], style),
      );
    },
    end: () => screen.end(),
  };
}

const INDENT = "12:00:00  ✓ ".length;

function linesOf(news: RunGlance["news"]) {
  return news.flatMap(({ event, at }) => {
    const line = eventText(event);
    return line === null ? [] : [{ ...line, time: clockTime(at) }];
  });
}

function clockTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

async function conclude(
  engine: Engine,
  { row }: RunGlance,
  { isInterrupted, hasPicture }: { readonly isInterrupted: boolean; readonly hasPicture: boolean },
  terminal: Terminal,
): Promise<number> {
  const { run, workflow, finished, status } = row;
  const driveStatus = await driveStatusOf(engine.ports, row);
  if (hasPicture) {
    const { view } = await viewRun(engine.ports, run, workflow);
    // What taking over has cost is for `baton status`.
    const style = { colour: terminal.colour.out, width: terminal.columns, room: terminal.room.out };
    terminal.out(printRun({ ...view, takeovers: [] }, Date.now(), style, driveStatus));
  }
  if (finished) return rowCode(row);
  if (status === "waiting" && driveStatus.answers.size > 0 && !driveStatus.isDriven)
    say(terminal, `Run ${run} has an answer that was not processed yet. Continue with \`baton resume ${run}\`.\n`);
  else if (status === "waiting")
    say(terminal, `Run ${run} waits for a person. \`baton status ${run}\` shows the question.\n`);
  else if (isInterrupted) return EXIT.interrupted;
  else if (driveStatus.idleSince !== null)
    say(terminal, `Session ${run}: ${describeIdle(driveStatus.idleSince)}. \`baton cancel ${run}\` closes it.\n`);
  else say(terminal, `No process drives run ${run}. Continue with \`baton resume ${run}\`.\n`);
  return EXIT.findings;
}
