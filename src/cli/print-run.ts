import { type RunView, askName, choiceEffect } from "../runtime/operations/view-run.ts";
import { count } from "../shared/count.ts";
import { cutText } from "../shared/envelope.ts";
import { defuseLines, printable } from "../shared/printable.ts";
import { fitLine } from "./fit-lines.ts";
import { paint, printDuration } from "./paint.ts";
import { takeoverLines } from "./print-takeover.ts";
import type { PrettyStyle } from "./formats/pretty-table.ts";
import { type RunStanding, sayAnswered } from "./run-standing.ts";

const AT_WORK: RunStanding = { isDriven: true, answers: new Map() };

/** Where a run stands and what to do next, for people. */
export function printRun(view: RunView, now: number, style: PrettyStyle, standing = AT_WORK): string {
  const { colour, room = Infinity } = style;
  const fit = (lines: readonly string[]): string[] => lines.flatMap((line) => fitLine(line, room));
  const elapsed = printDuration((view.ended_at ?? now) - view.started_at);
  // Its agents have ended with whoever drove it.
  const isLeft = view.status === "running" && !standing.isDriven;
  const status = isLeft ? "interrupted" : view.status;
  const lines = [
    `${paint(printable(`${view.workflow} ${view.run}`), "plain", colour)}  ${paint(status, toneOf(status), colour)}  ${elapsed}`,
    ...(isLeft ? [printable(`  nobody drives it: baton resume ${view.run} goes on`)] : []),
    ...fit([view.reason, view.retry_refused].flatMap((text) => (text === null ? [] : [`  ${printable(text)}`]))),
    ...fit([`  round ${view.iteration}, ${count(view.steps, "step")}, ${spending(view)}`]),
    "",
    ...fit([...agentLines(view, isLeft, colour), ...taskLines(view)]),
    ...takeoverLines(view.takeovers, style),
    ...fit(issueLines(view, colour)),
    ...askLines(view, standing, { colour, fit }),
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

function agentLines(view: RunView, isLeft: boolean, colour: boolean): string[] {
  const width = Math.max(...view.agents.map((agent) => agent.name.length));
  return view.agents.map((agent) => {
    const isQuiet = agent.status === "not-started";
    const word = isLeft && agent.status === "working" ? "interrupted" : agent.status;
    const status = paint((isQuiet ? "not started" : word).padEnd(18), isQuiet ? "quiet" : "plain", colour);
    const visits = agent.visits === 0 ? "" : count(agent.visits, "step");
    const refused = agent.refused === 0 ? "" : `, ${count(agent.refused, "handoff")} refused`;
    return `  ${printable(agent.name).padEnd(width)}  ${status}  ${visits}${refused}`.trimEnd();
  });
}

function taskLines(view: RunView): string[] {
  if (view.tasks.length < 2) return [];
  const width = Math.max(...view.tasks.map(({ id }) => id.length));
  return [
    "",
    ...view.tasks.map(
      (task) =>
        `  ${printable(task.id).padEnd(width)}  ${task.status}${task.agent === null ? "" : ` at ${printable(task.agent)}`}${task.reason === null ? "" : `: ${printable(task.reason)}`}`,
    ),
  ];
}

function issueLines(view: RunView, colour: boolean): string[] {
  if (view.issues.length === 0) return [];
  const open = view.issues.filter((issue) => issue.status === "open");
  const shown = open.map(({ id, severity, location, description }) => {
    const words = [severity, location ?? "", description].filter((part) => part !== "").map((part) => printable(part));
    return `  ${[paint(printable(id), "warning", colour), ...words].join(" ")}`;
  });
  return ["", `  issues: ${open.length} open, ${view.issues.length - open.length} closed`, ...shown];
}

interface AskStyle {
  readonly colour: boolean;
  readonly fit: (lines: readonly string[]) => string[];
}

function askLines(view: RunView, standing: RunStanding, { colour, fit }: AskStyle): string[] {
  return view.asks.flatMap((ask) => {
    const given = standing.answers.get(ask.id);
    const details = ask.details.map(
      (detail) => `      ${printable(ask.kind === "command" ? detail : shortened(detail))}`,
    );
    return [
      "",
      ...fit([`  ${paint(printable(`${askName(ask)}: ${cutText(ask.title, LONGEST_DETAIL)}`), "person", colour)}`]),
      // A command is approved as it stands.
      ...(ask.kind === "command" ? details : fit(details)),
      ...fit(
        given === undefined
          ? choiceLines(view.run, ask)
          : [printable(`      ${sayAnswered(view.run, given.choice, standing)}`)],
      ),
    ];
  });
}

/** One command for each choice, to be copied as it stands, and what it does; and how words are added to one. */
function choiceLines(run: string, ask: RunView["asks"][number]): string[] {
  const commands = ask.choices.map((choice) => printable(commandFor(run, ask.id, choice)));
  const width = Math.max(...commands.map((command) => command.length));
  const lines = ask.choices.map((choice, index) => {
    const effect = printable(choiceEffect(ask, choice) ?? "");
    return `      ${(commands[index] ?? "").padEnd(width)}   ${effect}`.trimEnd();
  });
  const words = HOW_TO_ADD_WORDS[ask.kind];
  return words === undefined ? lines : [...lines, `      your words: add ${words}`];
}

/** Where a choice is made with words or without; a question is answered with words anyway. */
const HOW_TO_ADD_WORDS: Readonly<Partial<Record<RunView["asks"][number]["kind"], string>>> = {
  after: "--note 'YOUR WORDS'",
  review: "--note 'YOUR WORDS'",
  escalation: "'YOUR WORDS' at the end",
  human: "'YOUR WORDS' at the end",
};

function commandFor(run: string, ask: string, choice: string): string {
  if (choice === "approve" || choice === "reject") return `baton ${choice} ${run} ${ask}`;
  return `baton answer ${run} ${ask} ${choice}${choice === "answer" ? " 'YOUR WORDS'" : ""}`;
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
