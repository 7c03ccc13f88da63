import { count } from "../../shared/count.ts";
import type { AgentMeasures, Metrics } from "../metrics.ts";
import { type Chart, type Section, said } from "./page.ts";
import { CLAIM_MARKS, PRINT, UNKNOWN, columns, markClaims, printSpent, printTruth } from "./words.ts";

const MOST_COMPLETIONS = 20;
const MOST_BARS = 30;

/** How true the handoffs of each agent are, and what they cost. */
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
  const shown = agents.slice(0, MOST_BARS);
  return {
    kind: "bars",
    title: `Claims of each agent${agents.length > MOST_BARS ? `, of the first ${MOST_BARS}` : ""}`,
    labels: shown.map(({ agent }) => agent),
    series: [
      { name: "confirmed", tone: "good", values: shown.map(({ confirmed }) => confirmed) },
      { name: "refuted", tone: "bad", values: shown.map(({ refuted }) => refuted) },
      { name: "unverifiable", tone: "quiet", values: shown.map(({ unverifiable }) => unverifiable) },
    ],
    print: PRINT.number,
  };
}

/** 001-R20: what runs say of themselves at their end. */
export function completionSections({ completions, left_off: left }: Metrics): Section[] {
  if (completions.length === 0) return [];
  const shown = completions.slice(0, MOST_COMPLETIONS);
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
