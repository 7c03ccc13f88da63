import type { RunView, Tone } from "../runtime/operations/view-run.ts";
import { count } from "../shared/count.ts";
import { printable } from "../shared/printable.ts";
import { cutTo, widthOf } from "./fit-text.ts";
import { paint, printDuration } from "./paint.ts";

interface PictureStyle {
  readonly colour: boolean;
  /** Of the screen. */
  readonly columns: number;
  readonly now: number;
  /** False when no process drives the run: then no agent is at work in it. */
  readonly isDriven?: boolean;
}

const MAX_TASKS = 6;

/** Where a run is, in a few lines: how far, who works, on which tasks, and what was last said. */
export function runPicture(view: RunView, tail: readonly string[], style: PictureStyle): string[] {
  const { colour, columns, now } = style;
  const width = columns - 1;
  const elapsed = printDuration((view.ended_at ?? now) - view.started_at);
  const open = view.issues.filter((issue) => issue.status === "open").length;
  const head = [
    `${view.workflow} ${view.run}`,
    view.status === "running" && style.isDriven === false ? "not driven" : view.status,
    elapsed,
    ...(view.observed === null ? [`round ${view.iteration}`] : []),
    `step ${view.steps}`,
    ...(view.spent.tokens > 0 ? [count(view.spent.tokens, "token")] : []),
    ...(open > 0 ? [`open issues ${open}`] : []),
  ];
  return [
    paint("─".repeat(Math.max(1, Math.min(width, 60))), "quiet", colour),
    cutTo(printable(head.join("  ")), width),
    ...wrap(
      view.agents.map((agent) => agentItem(agent, style)),
      width,
      colour,
    ),
    ...taskLines(view, style),
    ...tail.map((line) => paint(cutTo(`  ${printable(line)}`, width), "quiet", colour)),
  ];
}

interface Item {
  readonly text: string;
  readonly tone: Tone;
}

function agentItem({ name, status, visits, since }: RunView["agents"][number], style: PictureStyle): Item {
  const { columns, now, isDriven = true } = style;
  const isLeft = status === "working" && !isDriven;
  const [mark, tone] = (isLeft ? LEFT : AGENT_MARKS[status]) ?? ["!", "warning"];
  const time = since === null || isLeft ? "" : ` ${printDuration(now - since)}`;
  const times = visits > 1 ? ` x${visits}` : "";
  return { text: cutTo(`${mark} ${printable(name)}${times}${time}`, columns - 1 - ARROW.length), tone };
}

/** Only where there are several, and first of all those at work. */
function taskLines({ tasks }: RunView, { colour, columns }: PictureStyle): string[] {
  if (tasks.length < 2) return [];
  const busy = tasks.filter(({ status }) => status === "working" || status === "asking");
  const done = tasks.filter(({ status }) => status === "done").length;
  const shown = busy.slice(0, MAX_TASKS).map(({ id, name, status, agent }) => {
    const text = `  ${id}  ${agent ?? status}  ${name}`;
    return paint(cutTo(printable(text), columns - 1), status === "asking" ? "person" : "plain", colour);
  });
  const more = busy.length > MAX_TASKS ? `, ${busy.length - MAX_TASKS} more at work` : "";
  return [cutTo(`tasks: ${done} of ${tasks.length} done${more}`, columns - 1), ...shown];
}

const LEFT = ["…", "warning"] as const;
const AGENT_MARKS: Readonly<Record<string, readonly [string, Tone]>> = {
  "not-started": ["○", "quiet"],
  working: ["●", "plain"],
  asking: ["?", "person"],
  done: ["✓", "good"],
  "done-with-warnings": ["✓", "good"],
  skipped: ["✓", "quiet"],
  "needs-fixes": ["↺", "warning"],
  failed: ["✗", "bad"],
  stopped: ["✗", "quiet"],
  blocked: ["✗", "warning"],
};

/** As many on a line as fit. */
function wrap(items: readonly Item[], width: number, colour: boolean): string[] {
  const lines: string[] = [];
  let [line, used] = ["", 0];
  for (const { text, tone } of items) {
    const length = widthOf(text);
    if (used > 0 && used + length + ARROW.length > width) {
      lines.push(line);
      [line, used] = [ARROW, ARROW.length];
    } else if (used > 0) {
      line += ARROW;
      used += ARROW.length;
    }
    line += paint(text, tone, colour);
    used += length;
  }
  return line === "" ? lines : [...lines, line];
}

const ARROW = " → ";
