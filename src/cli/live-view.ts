import type { News } from "../runtime/drive-run.ts";
import { type RunView, eventLine } from "../runtime/operations/view-run.ts";
import { viewOf } from "../runtime/operations/view-session.ts";
import { printable } from "../shared/printable.ts";
import { MARKS, paint, printDuration } from "./paint.ts";
import type { Terminal } from "./terminal.ts";

/** Shows a run while it is driven. */
export interface LiveView {
  show(news: News): void;
  end(): void;
}

export function liveView(terminal: Terminal, quiet = false): LiveView {
  if (quiet) return { show: () => undefined, end: () => undefined };
  return terminal.isInteractive() ? new DrawnView(terminal) : new PlainView(terminal);
}

/** One line for each event: for logs and pipes. */
class PlainView implements LiveView {
  readonly #terminal: Terminal;
  readonly #startedAt = Date.now();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(news: News): void {
    for (const text of linesOf(news, this.#terminal))
      this.#terminal.note(`${printDuration(Date.now() - this.#startedAt).padStart(9)}  ${text}\n`);
  }

  end(): void {
    // Every line was written when it happened.
  }
}

function linesOf(news: News, terminal: Terminal): string[] {
  if (news.kind === "trouble") return [paint(`! ${printable(news.message)}`, "warning", terminal.colour.notes)];
  if (news.kind === "agent") return [];
  return news.events.flatMap((event) => {
    const line = eventLine(event);
    if (line === null) return [];
    const text = cut(printable(`${MARKS[line.tone]} ${line.text}`.replaceAll(/\s+/g, " ")), LONGEST_LINE);
    return [paint(text, line.tone, terminal.colour.notes)];
  });
}

const LONGEST_LINE = 400;
const FRAME_TIME = 200;
const SHOWN_LINES = 3;

/** Events scroll by; below them stays a picture of where the run is. */
class DrawnView implements LiveView {
  readonly #terminal: Terminal;
  #view: RunView | null = null;
  #lastLines: string[] = [];
  #drawn = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#timer = setInterval(() => this.#draw(), FRAME_TIME);
    this.#timer.unref();
  }

  show(news: News): void {
    if (news.kind === "agent" && news.update.kind === "line")
      this.#lastLines = [...this.#lastLines, `${news.agent}: ${news.update.text}`].slice(-SHOWN_LINES);
    if (news.kind === "decided") this.#view = viewOf(news.session, this.#view, news.events);
    const lines = linesOf(news, this.#terminal).map((text) => text + "\n");
    if (lines.length > 0) {
      this.#terminal.note(this.#erased() + lines.join(""));
      this.#draw();
    }
  }

  end(): void {
    clearInterval(this.#timer);
    this.#terminal.note(this.#erased());
  }

  #erased(): string {
    const up = this.#drawn === 0 ? "" : `\u001b[${this.#drawn}A`;
    this.#drawn = 0;
    return `\r${up}\u001b[J`;
  }

  #draw(): void {
    if (this.#view === null) return;
    const lines = this.#picture(this.#view);
    const text = `${this.#erased()}${lines.join("\n")}\n`;
    this.#drawn = lines.length;
    this.#terminal.note(text);
  }

  #picture(view: RunView): string[] {
    const { colour, columns } = this.#terminal;
    const elapsed = printDuration((view.ended_at ?? Date.now()) - view.started_at);
    const tokens = view.spent.tokens > 0 ? `, ${view.spent.tokens} tokens` : "";
    const open = view.issues.filter((issue) => issue.status === "open").length;
    const head = `${view.workflow} ${view.run}  ${view.status}  ${elapsed}  round ${view.iteration}  step ${view.steps}${tokens}${open > 0 ? `  open issues ${open}` : ""}`;
    const agents = view.agents.map((agent) => {
      const [mark, tone] = AGENT_MARKS[agent.status] ?? ["!", "warning"];
      const since = agent.since === null ? "" : ` ${printDuration(Date.now() - agent.since)}`;
      return paint(
        `${mark} ${printable(agent.name)}${agent.visits > 1 ? ` x${agent.visits}` : ""}${since}`,
        tone,
        colour.notes,
      );
    });
    const tail = this.#lastLines.map((line) => paint(cut(`  ${printable(line)}`, columns - 1), "quiet", colour.notes));
    return [
      paint("─".repeat(Math.min(columns - 1, 60)), "quiet", colour.notes),
      cut(printable(head), columns - 1),
      ...wrap(agents, columns - 1),
      ...tail,
    ];
  }
}

const AGENT_MARKS: Readonly<
  Record<string, readonly [string, "good" | "bad" | "warning" | "person" | "plain" | "quiet"]>
> = {
  waiting: ["○", "quiet"],
  working: ["●", "plain"],
  asking: ["?", "person"],
  done: ["✓", "good"],
  "done-with-warnings": ["✓", "good"],
  skipped: ["✓", "quiet"],
  "needs-fixes": ["↺", "warning"],
  failed: ["✗", "bad"],
  blocked: ["✗", "warning"],
};

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** As many on a line as fit; paint takes no room. */
function wrap(items: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const item of items) {
    const length = item.replaceAll(/\u001b\[[\d;]*m/g, "").length;
    if (used > 0 && used + length + 3 > width) {
      lines.push(line);
      [line, used] = ["", 0];
    }
    line += (used > 0 ? " → " : "") + item;
    used += length + (used > 0 ? 3 : 0);
  }
  return line === "" ? lines : [...lines, line];
}
