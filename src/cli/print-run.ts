import { type RunView, askName, choiceEffect, describeClaimed } from "../runtime/operations/view-run.ts";
import { count } from "../shared/count.ts";
import { cutText } from "../shared/envelope.ts";
import { defuseLines, printable } from "../shared/printable.ts";
import { fitLine } from "./fit-lines.ts";
import { paint, printDuration } from "./paint.ts";
import { type PrettyStyle, tableLines } from "./formats/pretty-page.ts";
import { describeIdle, describeSessionUsage, statusWord } from "../runtime/operations/list-runs.ts";
import { type RunDriveStatus, describeAnswered, waitingText } from "./drive-status.ts";
import type { Table, TakeoverView } from "../runtime/operations/report-runs.ts";
import { wrapText } from "./fit-text.ts";

const AT_WORK: RunDriveStatus = { isDriven: true, waitsFor: null, idleSince: null, answers: new Map() };

/** The state of a run and what to do next, for people. */
export function printRun(view: RunView, now: number, style: PrettyStyle, driveStatus = AT_WORK): string {
  const { colour, room = Infinity } = style;
  const fit = (lines: readonly string[]): string[] => lines.flatMap((line) => fitLine(line, room));
  const elapsed = printDuration((view.ended_at ?? now) - view.started_at);
  // The agents of a run end with the process that drove it.
  const isLeft = view.status === "running" && !driveStatus.isDriven;
  const status = isLeft ? "interrupted" : statusWord(view.status, view.observed !== null);
  const lines = [
    `${paint(printable(`${view.workflow} ${view.run}`), "plain", colour)}  ${paint(status, toneOf(isLeft ? status : view.status, view), colour)}  ${elapsed}`,
    ...(isLeft ? [printable(`  no process drives it; continue with \`baton resume ${view.run}\``)] : []),
    ...fit(sessionLines(view, driveStatus)),
    ...fit(driveStatus.waitsFor === null ? [] : [printable(`  ${waitingText(driveStatus.waitsFor)}`)]),
    ...fit([view.reason, view.retry_refused].flatMap((text) => (text === null ? [] : [`  ${printable(text)}`]))),
    ...fit(view.remarks.map(({ kind, text }) => `  ${paint(kind, "warning", colour)}: ${printable(text)}`)),
    ...fit([
      `  ${view.observed === null ? `round ${view.iteration}, ` : ""}${count(view.steps, "step")}, ${spending(view)}`,
    ]),
    "",
    ...fit([
      ...agentLines(view, isLeft ? "interrupted" : driveStatus.idleSince === null ? null : "no sign", colour),
      ...otherLines(view),
      ...taskLines(view),
    ]),
    ...takeoverLines(view.takeovers, style),
    ...fit(issueLines(view, colour)),
    ...askLines(view, driveStatus, { colour, fit, now }),
  ];
  return `${defuseLines(lines)}\n`;
}

/** What a person has to know of a session: it is watched, and only its client knows whether it goes on. */
function sessionLines({ observed, run }: RunView, { idleSince }: RunDriveStatus): string[] {
  if (observed === null) return [];
  const { client, session, follows, usage, deviations, suggestion } = observed;
  const more = deviations.length - MAX_DEVIATIONS;
  const lines = [
    `  session ${session} of ${client}, watched${follows === null ? "" : `; it is compared with the workflow ${follows}`}`,
    ...(idleSince === null
      ? []
      : [
          `  ${describeIdle(idleSince)}: its client may be gone, or its agent works on; \`baton cancel ${run}\` closes it`,
        ]),
    ...deviations.slice(-MAX_DEVIATIONS).map(({ agent, says }) => `  deviation of ${agent}: ${says}`),
    ...(more > 0 ? [`  (and ${more} more: baton report ${run})`] : []),
    ...(suggestion === null ? [] : [`  ${suggestion}`]),
    ...(usage === null ? [] : [`  as ${client} counts, ${describeSessionUsage(usage)}`]),
  ];
  return lines.map((line) => printable(line));
}

const MAX_DEVIATIONS = 5;

/** Agents of a session that owe no handoff. */
function otherLines({ observed }: RunView): string[] {
  if (observed === null || observed.others.length === 0) return [];
  const each = observed.others.map(({ agent, seen, at_work: atWork }) => {
    const times = seen === 1 ? "" : ` x${seen}`;
    return `${agent}${times}${atWork === 0 ? "" : ` (${atWork} at work)`}`;
  });
  return [printable(`  owe no handoff, so not checked: ${each.join(", ")}`)];
}

function toneOf(status: string, { remarks }: RunView): "good" | "bad" | "warning" | "person" | "plain" {
  if (status === "completed") return remarks.length === 0 ? "good" : "warning";
  if (status === "failed" || status === "cancelled") return "bad";
  return status === "waiting" ? "person" : "plain";
}

/** Unknown is printed as unknown, not as zero. */
function spending({ spent, unwatched_attempts: unwatched, ended_at: ended, observed }: RunView): string {
  const isNothingKnown = Object.values(spent).every((spentOf) => spentOf === 0) && unwatched === 0;
  if (isNothingKnown && ended === null) return "no attempt has ended yet";
  if (isNothingKnown && observed !== null) return "no agent handed over, so its cost is unknown";
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

/** `left` is said of an agent at work of which nothing is known any more. */
function agentLines(view: RunView, left: string | null, colour: boolean): string[] {
  const width = Math.max(...view.agents.map((agent) => agent.name.length));
  return view.agents.map((agent) => {
    const isQuiet = agent.status === "not-started";
    const word = left !== null && agent.status === "working" ? left : agent.status;
    const status = paint((isQuiet ? "not started" : word).padEnd(18), isQuiet ? "quiet" : "plain", colour);
    const visits = agent.visits === 0 ? "" : count(agent.visits, "step");
    const refused = agent.refused === 0 ? "" : `, ${count(agent.refused, "handoff")} refused`;
    return `  ${printable(agent.name).padEnd(width)}  ${status}  ${visits}${refused}`.trimEnd();
  });
}

function taskLines(view: RunView): string[] {
  if (view.observed !== null) return failedLines(view);
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

/** Each agent of a session has a task, which says no more than the agent does; but for why it handed nothing over. */
function failedLines({ tasks }: RunView): string[] {
  const failed = tasks.filter(({ status, reason }) => status === "failed" && reason !== null);
  return failed.length === 0 ? [] : ["", ...failed.map(({ id, reason }) => printable(`  ${id}: ${reason ?? ""}`))];
}

function issueLines(view: RunView, colour: boolean): string[] {
  if (view.issues.length === 0) return [];
  const open = view.issues.filter((issue) => issue.status === "open");
  const shown = open.map((issue) => {
    const { id, severity, location, description } = issue;
    const claimed = describeClaimed(issue);
    const parts = [severity, location ?? "", claimed === null ? "" : `(${claimed})`, description];
    const words = parts.filter((part) => part !== "").map((part) => printable(part));
    return `  ${[paint(printable(id), "warning", colour), ...words].join(" ")}`;
  });
  const waiting = open.filter(({ claimed }) => claimed?.status === "fixed").length;
  const said = waiting === 0 ? "" : ` (${waiting} said to be fixed)`;
  return ["", `  issues: ${open.length} open${said}, ${view.issues.length - open.length} closed`, ...shown];
}

function overdueLine(run: string): string {
  return printable(
    `      the time for an answer is over: \`baton resume ${run}\` does what the workflow says of silence`,
  );
}

interface AskStyle {
  readonly now: number;
  readonly colour: boolean;
  readonly fit: (lines: readonly string[]) => string[];
}

function askLines(view: RunView, driveStatus: RunDriveStatus, { colour, fit, now }: AskStyle): string[] {
  return view.asks.flatMap((ask) => {
    const given = driveStatus.answers.get(ask.id);
    const details = ask.details.map(
      (detail) => `      ${printable(ask.kind === "command" ? detail : shortened(detail))}`,
    );
    return [
      "",
      ...fit([`  ${paint(printable(`${askName(ask)}: ${cutText(ask.title, MAX_DETAIL)}`), "person", colour)}`]),
      // A command is approved as it stands.
      ...(ask.kind === "command" ? details : fit(details)),
      ...(given === undefined && ask.dueAt !== null && ask.dueAt <= now ? fit([overdueLine(view.run)]) : []),
      ...fit(
        given === undefined
          ? choiceLines(view.run, ask)
          : [printable(`      ${describeAnswered(view.run, given.choice, driveStatus)}`)],
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
  claims: "--note 'YOUR WORDS'",
  escalation: "'YOUR WORDS' at the end",
  human: "'YOUR WORDS' at the end",
};

function commandFor(run: string, ask: string, choice: string): string {
  if (choice === "approve" || choice === "reject") return `baton ${choice} ${run} ${ask}`;
  return `baton answer ${run} ${ask} ${choice}${choice === "answer" ? " 'YOUR WORDS'" : ""}`;
}

const MAX_DETAIL = 2_000;

/** Long details are cut; a command that needs approval does not come here and is shown whole. */
function shortened(detail: string): string {
  const text = detail.replaceAll("\n", " ");
  const more = text.length - MAX_DETAIL;
  return more <= 0 ? text : `${cutText(text, MAX_DETAIL)} (${count(more, "character")} more: baton status RUN --json)`;
}

const ABOUT = "taking over: tokens of packets are estimated; all others are the client's own figures";

/** What taking over cost each attempt of a run: a section of `baton status RUN`. */
export function takeoverLines(takeovers: readonly TakeoverView[], style: PrettyStyle): string[] {
  const shown = takeovers.filter(isWorthTelling);
  if (shown.length === 0) return [];
  const rows = shown.map((each) => [
    [{ said: each.attempt }],
    [{ said: each.agent }],
    [packetGiven(each)],
    [figure(each.first_input_tokens)],
    [figure(each.input_tokens_before_change)],
    [filesRead(each)],
  ]);
  const about = wrapText(ABOUT, style.width - 2, 0);
  return [
    "",
    ...about.map((line) => `  ${paint(line, "quiet", style.colour)}`),
    ...tableLines({ columns: COLUMNS, rows }, style),
  ];
}

const COLUMNS: Table["columns"] = [
  ...["attempt", "agent"].map((name) => ({ name, isNumber: false })),
  ...["packet", "first input", "before 1st change", "files read"].map((name) => ({
    name,
    isNumber: true,
  })),
];

/** Where no packet was given and the client tells nothing, there is nothing to see. */
function isWorthTelling({ packet, first_input_tokens, input_tokens, files_read }: TakeoverView): boolean {
  return packet !== null || first_input_tokens !== null || input_tokens !== null || files_read !== null;
}

function packetGiven({ packet }: TakeoverView): string {
  if (packet === null) return "none";
  return `~${count(packet.estimated_tokens, "token")}, ${count(packet.facts.length, "fact")}`;
}

/** Unknown is printed as unknown, not as zero. */
function figure(value: number | null): string {
  return value === null ? "unknown" : String(value);
}

function filesRead({ files_read, packet }: TakeoverView): string {
  if (files_read === null) return "unknown";
  const { named, unnamed, more, elsewhere } = files_read;
  const others = unnamed.length + more;
  const outside = elsewhere === 0 ? "" : `, ${elsewhere} outside`;
  return packet === null ? `${others}${outside}` : `${named.length} named, ${others} not named${outside}`;
}
