import { count } from "../../shared/count.ts";
import type { AgentMeasures, Metrics } from "../metrics.ts";
import { type Chart, type Section, said } from "./page.ts";
import { CLAIM_MARKS, PRINT, UNKNOWN, columns, markClaims, printSpent, printTruth } from "./words.ts";
import type { AgentTakeover, KnownSum } from "../takeovers.ts";

const MAX_COMPLETIONS = 20;
const MAX_BARS = 30;

/** How true the claims of each agent are, and what its work cost. */
export function agentSections({ agents, all }: Metrics): Section[] {
  if (agents.length === 0) return [];
  return [truthSection(agents, all.claims), workSection(agents)];
}

function truthSection(agents: readonly AgentMeasures[], claims: Metrics["all"]["claims"]): Section {
  const rows = agents.map((each) => [
    [said(each.agent)],
    ...[each.runs, each.handoffs, each.repairs].map((number) => [String(number)]),
    [markClaims(each)],
    [printKinds(each)],
  ]);
  const about = `${describeTruth(claims)} Claims of all attempts count (${CLAIM_MARKS}), also in handoffs that were sent back.`;
  return {
    heading: "Agents",
    about: [about],
    charts: [truthChart(agents)],
    table: {
      columns: columns("agent", "#runs", "#handoffs accepted", "#handoffs sent back", "#claims", "not true"),
      rows,
    },
  };
}

function workSection(agents: readonly AgentMeasures[]): Section {
  const rows = agents.map((each) => [
    [said(each.agent)],
    [String(each.steps)],
    [String(each.retries)],
    [String(each.loops_asked)],
    [String(each.loops_taken)],
    [each.agent_time === null ? UNKNOWN : PRINT.elapsed(each.agent_time.sum)],
    [each.tokens.sum === null ? UNKNOWN : printSpent(each.tokens, PRINT.number)],
    [each.money.sum === null ? UNKNOWN : printSpent(each.money, PRINT.money)],
  ]);
  const names = columns("agent", "#steps", "#retries", "#sent back", "#got back", "#worked", "#tokens", "#cost");
  return {
    heading: "Work and cost",
    about: [
      "Of all attempts; what gates and people took is not in it. Sent back and got back is work, round by round.",
    ],
    table: { columns: names, rows },
  };
}

function describeTruth(claims: Metrics["all"]["claims"]): string {
  const all = claims.confirmed + claims.refuted + claims.unverifiable;
  if (claims.confirmed + claims.refuted === 0) return `${count(all, "claim")}: none could be judged.`;
  return `${count(all, "claim")}; of those that could be judged, ${printTruth(claims)} are true.`;
}

function printKinds({ refuted_kinds: kinds }: AgentMeasures): string {
  return Object.entries(kinds)
    .map(([kind, number]) => `${kind} ${number}`)
    .join(", ");
}

function truthChart(agents: readonly AgentMeasures[]): Chart {
  const shown = agents.slice(0, MAX_BARS);
  return {
    kind: "bars",
    title: `Claims of each agent${agents.length > MAX_BARS ? `, of the first ${MAX_BARS}` : ""}`,
    labels: shown.map(({ agent }) => agent),
    series: [
      { name: "confirmed", tone: "good", values: shown.map(({ confirmed }) => confirmed) },
      { name: "refuted", tone: "bad", values: shown.map(({ refuted }) => refuted) },
      { name: "unverifiable", tone: "quiet", values: shown.map(({ unverifiable }) => unverifiable) },
    ],
    print: PRINT.number,
  };
}

/** 001-R20: the summaries that runs give at their end. */
export function completionSections({ completions, left_off: left }: Metrics): Section[] {
  if (completions.length === 0) return [];
  const shown = completions.slice(0, MAX_COMPLETIONS);
  const more = completions.length - shown.length + left.completions;
  const items = shown.map(({ run, agent, summary, issue, pull_request: pull, metrics }) => [
    said(run),
    " ",
    ...(issue === null ? [] : ["issue ", said(issue), ", "]),
    ...(pull === null ? [] : ["pull request ", said(pull), ", "]),
    said(agent),
    ...(summary === null ? [] : [": ", said(summary)]),
    ...metrics.flatMap(({ name, text }) => ["; ", said(name), " ", said(text)]),
  ]);
  return [{ heading: "As told at the end", items: more === 0 ? items : [...items, [`and ${more} more`]] }];
}

/** What it cost each agent to take work over. */
export function takeoverSection(takeovers: readonly AgentTakeover[]): Section[] {
  const told = takeovers.filter(isWorthTelling);
  if (told.length === 0) return [];
  const rows = told.map((each) => [
    [said(each.agent)],
    [String(each.attempts)],
    [String(each.packets)],
    [each.packets === 0 ? "none" : `~${each.packet_estimated_tokens}`],
    [printKnown(each.input_tokens_before_change, each.attempts)],
    [printKnown(each.files_named, each.attempts)],
    [printKnown(each.files_unnamed, each.attempts)],
  ]);
  const names = ["#packet tokens", "#tokens before 1st change", "#files read, named", "#files read, not named"];
  return [
    {
      heading: "Taking over",
      about: [ABOUT],
      table: { columns: columns("agent", "#attempts", "#packets", ...names), rows },
    },
  ];
}

const ABOUT =
  "Of all attempts. A packet is what an agent is told of what is known, and it names files. Tokens of packets are estimated; all others are the client's own figures.";

/** False when there was no packet and the client reports nothing. */
function isWorthTelling({ packets, first_input_tokens: first, files_named: files }: AgentTakeover): boolean {
  return packets > 0 || first.known > 0 || files.known > 0;
}

/** Adds the number of attempts for which it is known, unless that is all of them. */
function printKnown({ sum, known }: KnownSum, attempts: number): string {
  if (sum === null) return UNKNOWN;
  return known === attempts ? String(sum) : `${sum} (of ${known})`;
}
