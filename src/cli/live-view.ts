import type { RunUpdate } from "../runtime/drive-run.ts";
import { type RunView, type Tone, eventLine, SessionView } from "../runtime/operations/view-run.ts";
import { defuseLogCommands, printable } from "../shared/printable.ts";
import { waitingText } from "./drive-status.ts";
import { cutTo, wrapText } from "./fit-text.ts";
import { MARKS, paint, printDuration } from "./paint.ts";
import { runPicture } from "./run-picture.ts";
import { Screen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";

type Event = Parameters<typeof eventLine>[0];

/** Shows a run while it is driven. */
interface LiveView {
  show(news: RunUpdate): void;
  end(): void;
}

/**
 * `past` is what happened in the run before this process took it over: the picture shows where it has come from. Where
 * none is drawn, it is not read.
 */
export async function liveView(
  terminal: Terminal,
  past: () => Promise<readonly Event[]>,
  quiet = false,
): Promise<LiveView> {
  if (quiet) return { show: () => undefined, end: () => undefined };
  return terminal.canRedraw() ? new DrawnView(terminal, await past()) : new PlainView(terminal);
}

/** One line for each event: for logs and pipes. */
class PlainView implements LiveView {
  readonly #terminal: Terminal;
  readonly #startedAt = Date.now();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(news: RunUpdate): void {
    const terminal = this.#terminal;
    const elapsed = printDuration(Date.now() - this.#startedAt).padStart(9);
    for (const line of linesOf(news))
      terminal.note(timedLine(elapsed, line, terminal.colour.notes, terminal.room.notes));
  }

  end(): void {
    // Every line was written when it happened.
  }
}

interface Line {
  readonly text: string;
  readonly tone: Tone;
}

/** With its time in front; on a screen that cannot be drawn on, in lines that fit. */
export function timedLine(time: string, { text, tone }: Line, colour: boolean, room: number): string {
  const margin = " ".repeat(time.length);
  const lines = wrapText(text, room - margin.length - 2, "✓ ".length);
  return lines.map((line, index) => `${index === 0 ? time : margin}  ${paint(line, tone, colour)}\n`).join("");
}

function linesOf(news: RunUpdate): Line[] {
  if (news.kind === "trouble") return [{ text: defuseLogCommands(`! ${printable(news.message)}`), tone: "warning" }];
  if (news.kind === "waiting") return [{ text: printable(`… ${waitingText(news.for)}`), tone: "warning" }];
  return news.kind === "agent" ? [] : news.events.flatMap((event) => eventText(event) ?? []);
}

/** One event in one printable line; null for what only the core cares about. */
export function eventText(event: Event): Line | null {
  const line = eventLine(event);
  if (line === null) return null;
  const text = printable(`${MARKS[line.tone]} ${line.text}`.replaceAll(/\s+/g, " "));
  return { text: cutTo(defuseLogCommands(text), MAX_LINE), tone: line.tone };
}

const MAX_LINE = 400;
const FRAME_TIME = 200;
const SHOWN_LINES = 3;

/** Events scroll by; below them stays a picture of where the run is. */
class DrawnView implements LiveView {
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  readonly #growing = new SessionView();
  #past: readonly Event[];
  #view: RunView | null = null;
  #lastLines: string[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(terminal: Terminal, past: readonly Event[]) {
    this.#terminal = terminal;
    this.#past = past;
    this.#screen = new Screen(terminal);
    this.#timer = setInterval(() => this.#draw([]), FRAME_TIME);
    this.#timer.unref();
  }

  show(news: RunUpdate): void {
    if (news.kind === "agent" && news.update.kind === "line")
      this.#lastLines = [...this.#lastLines, `${news.agent}: ${news.update.text}`].slice(-SHOWN_LINES);
    if (news.kind === "decided") {
      this.#view = this.#growing.after(news.session, [...this.#past, ...news.events]);
      this.#past = [];
    }
    const lines = linesOf(news);
    if (lines.length > 0) this.#draw(lines);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#screen.end();
  }

  #draw(lines: readonly Line[]): void {
    const { colour, columns } = this.#terminal;
    const style = { colour: colour.notes, columns, now: Date.now() };
    const picture = this.#view === null ? [] : runPicture(this.#view, this.#lastLines, style);
    const wrapped = lines.flatMap(({ text, tone }) =>
      wrapText(text, columns - 1, "✓ ".length).map((line) => paint(line, tone, colour.notes)),
    );
    if (wrapped.length + picture.length > 0) this.#screen.show(wrapped, picture);
  }
}
