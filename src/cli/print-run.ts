import type { RunView } from "../runtime/operations/view-run.ts";
import { count } from "../shared/count.ts";
import { cutText } from "../shared/envelope.ts";
import { defuseLines, printable } from "../shared/printable.ts";
import { paint, printDuration } from "./paint.ts";
import { takeoverLines } from "./print-takeover.ts";
import type { PrettyStyle } from "./formats/pretty-table.ts";

/** Where a run stands and what to do next, for people. */
export function printRun(view: RunView, now: number, style: PrettyStyle): string {
  const { colour } = style;
  const elapsed = printDuration((view.ended_at ?? now) - view.started_at);
  const lines = [
    `${paint(printable(`${view.workflow} ${view.run}`), "plain", colour)}  ${paint(view.status, toneOf(view.status), colour)}  ${elapsed}`,
    ...(view.reason === null ? [] : [`  ${printable(view.reason)}`]),
    `  round ${view.iteration}, ${count(view.steps, "step")}, ${spending(view)}`,
    "",
    ...agentLines(view, colour),
    ...taskLines(view),
    ...takeoverLines(view.takeovers, style),
    ...issueLines(view, colour),
    ...askLines(view, colour),
  ];
  return `${defuseLines(lines)}\n`;
}

function toneOf(status: string): "good" | "bad" | "person" | "plain" {
  if (status === "completed") return "good";
  if (status === "failed" || status === "cancelled") return "bad";
  return status === "waiting" ? "person" : "plain";
}

/** What is not known is said to be so: it is not zero. */
function spending({ spent, unwatched_attempts: unwatched, ended_at: ended }: RunView): string {
  const isNothingKnown = Object.values(spent).every((figure) => figure === 0) && unwatched === 0;
  if (isNothingKnown && ended === null) return "no attempt has ended yet";
  const time =
    spent.agent === 0 && unwatched > 0
      ? "agent time unknown"
      : `agents worked ${printDuration(spent.agent)}${unknown(unwatched)}`;
  const tokens =
    spent.tokens === 0 && spent.unknownTokens > 0
      ? "tokens unknown"
      : `${count(spent.tokens, "token")}${unknown(spent.unknownTokens)}`;
  const money =
    spent.money === 0 && spent.unknownMoney > 0
      ? "cost unknown"
      : `${spent.money.toFixed(2)} USD${unknown(spent.unknownMoney)}`;
  return `${time}, ${tokens}, ${money}`;
}

function unknown(attempts: number): string {
  return attempts === 0 ? "" : ` (and ${count(attempts, "attempt")} unknown)`;
}

function agentLines(view: RunView, colour: boolean): string[] {
  const width = Math.max(...view.agents.map((agent) => agent.name.length));
  return view.agents.map((agent) => {
    const isQuiet = agent.status === "not-started";
    const status = paint((isQuiet ? "not started" : agent.status).padEnd(18), isQuiet ? "quiet" : "plain", colour);
    const visits = agent.visits === 0 ? "" : count(agent.visits, "step");
    const refused = agent.refused === 0 ? "" : `, ${count(agent.refused, "handoff")} refused`;
    return `  ${printable(agent.name).padEnd(width)}  ${status}  ${visits}${refused}`.trimEnd();
  });
}

function taskLines(view: RunView): string[] {
  if (view.tasks.length < 2) return [];
  return [
    "",
    ...view.tasks.map(
      (task) =>
        `  ${printable(task.id)}  ${task.status}${task.agent === null ? "" : ` at ${printable(task.agent)}`}${task.reason === null ? "" : `: ${printable(task.reason)}`}`,
    ),
  ];
}

function issueLines(view: RunView, colour: boolean): string[] {
  if (view.issues.length === 0) return [];
  const open = view.issues.filter((issue) => issue.status === "open");
  const shown = open.map(
    (issue) =>
      `  ${paint(printable(issue.id), "warning", colour)} ${printable(issue.severity)} ${printable(issue.location ?? "")} ${printable(issue.description)}`,
  );
  return ["", `  issues: ${open.length} open, ${view.issues.length - open.length} closed`, ...shown];
}

function askLines(view: RunView, colour: boolean): string[] {
  return view.asks.flatMap((ask) => [
    "",
    `  ${paint(printable(`${ask.id}: ${cutText(ask.title, LONGEST_DETAIL)}`), "person", colour)}`,
    ...ask.details.map((detail) => `      ${printable(ask.kind === "command" ? detail : shortened(detail))}`),
    printable(
      `      baton answer ${view.run} ${ask.id} ${ask.choices.join("|")}${ask.choices.includes("approve") ? `   (or: baton approve ${view.run})` : ""}`,
    ),
  ]);
}

const LONGEST_DETAIL = 2_000;

/** What a person is asked to let run is shown to the last byte; of anything else nobody reads a megabyte. */
function shortened(detail: string): string {
  const text = detail.replaceAll("\n", " ");
  const more = text.length - LONGEST_DETAIL;
  return more <= 0
    ? text
    : `${cutText(text, LONGEST_DETAIL)} (${count(more, "character")} more: baton status RUN --json)`;
}
