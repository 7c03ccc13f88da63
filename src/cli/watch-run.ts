import { setTimeout } from "node:timers/promises";
import type { Engine } from "../runtime/engine.ts";
import { type RunGlance, followRun } from "../runtime/operations/follow-run.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
import { viewRun } from "../runtime/operations/view-run.ts";
import { printJson } from "../shared/printable.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { wrapText } from "./fit-text.ts";
import { eventText, timedLine } from "./live-view.ts";
import { paint } from "./paint.ts";
import { printRun } from "./print-run.ts";
import { runPicture } from "./run-picture.ts";
import { standingOf } from "./run-standing.ts";
import { Screen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";

export const LOOK_AGAIN = 200;
/** A process in the background that is just starting may take as long. */
export const PATIENCE = 5_000;

/** Shows one run until it ends, waits for a person, or nobody drives it any more. */
export async function watchRun(
  engine: Engine,
  name: string | undefined,
  terminal: Terminal,
  json = false,
): Promise<number> {
  const signal = terminal.interruption();
  const followed = await followRun(engine.machine, name);
  const isAtWork = ({ row }: RunGlance): boolean => isDriven(row, engine.machine.clock.now());
  const hasPicture = terminal.hasScreen() && !json;
  const show = json ? asJson(terminal) : hasPicture ? drawn(terminal, isAtWork) : plain(terminal);
  let drivenAt = Date.now();
  for (;;) {
    const glance = await followed.look();
    const { row } = glance;
    show.news(glance);
    if (isAtWork(glance)) drivenAt = Date.now();
    const isLeft = Date.now() - drivenAt > PATIENCE;
    if (row.finished || row.status === "waiting" || signal.aborted || isLeft) {
      show.end();
      return conclude(engine, glance, { isOver: signal.aborted, hasPicture }, terminal);
    }
    await pause(LOOK_AGAIN, signal);
  }
}

/** Or until the user has seen enough. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}

interface Show {
  news(glance: RunGlance): void;
  end(): void;
}

/** One record a line for each event: for programs. */
function asJson(terminal: Terminal): Show {
  return {
    news({ news }) {
      for (const { event, at } of news) terminal.out(`${printJson({ at, event })}\n`);
    },
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
    end: () => screen.end(),
  };
}

const INDENT = "12:00:00  ✓ ".length;

function linesOf(news: RunGlance["news"]) {
  return news.flatMap(({ event, at }) => {
    const line = eventText(event);
    return line === null ? [] : [{ ...line, time: new Date(at).toISOString().slice(11, 19) }];
  });
}

async function conclude(
  engine: Engine,
  { row }: RunGlance,
  { isOver, hasPicture }: { readonly isOver: boolean; readonly hasPicture: boolean },
  terminal: Terminal,
): Promise<number> {
  const { run, workflow, finished, status } = row;
  const standing = await standingOf(engine.machine, row);
  if (hasPicture) {
    const { view } = await viewRun(engine.machine, run, workflow);
    // What taking over has cost is for `baton status`.
    const style = { colour: terminal.colour.out, width: terminal.columns, room: terminal.room.out };
    terminal.out(printRun({ ...view, takeovers: [] }, Date.now(), style, standing));
  }
  if (finished) return status === "completed" ? EXIT.fine : EXIT.findings;
  if (status === "waiting" && standing.answers.size > 0 && !standing.isDriven)
    say(terminal, `Run ${run} was answered, and nobody has taken it in: baton resume ${run} goes on.\n`);
  else if (status === "waiting") say(terminal, `Run ${run} waits for a person: baton status ${run}\n`);
  else if (isOver) return EXIT.interrupted;
  else say(terminal, `Nobody drives run ${run}: baton resume ${run} goes on.\n`);
  return EXIT.findings;
}
