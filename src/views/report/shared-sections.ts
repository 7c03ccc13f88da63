import type { AgentMeasures, Metrics } from "../metrics.ts";
import { type Chart, type Section, said } from "./page.ts";
import { PRINT, UNKNOWN, columns, count, printSpent, printTruth } from "./words.ts";

const MOST_COMPLETIONS = 20;
const MOST_BARS = 30;

/** How true the handoffs of each agent are, and what they cost. */
export function agentSections({ agents, all }: Metrics): Section[] {
  if (agents.length === 0) return [];
  const names = ["agent", "#runs", "#handoffs", "#repairs", "#claims", "#confirmed", "#refuted", "#unverifiable"];
  const rows = agents.map((each) => [
    [said(each.agent)],
    ...[each.runs, each.handoffs, each.repairs, each.claims, each.confirmed, each.refuted, each.unverifiable].map(
      (number) => [String(number)],
    ),
    [printKinds(each)],
  ]);
  const cost = agents.map((each) => [
    [said(each.agent)],
    [String(each.steps)],
    [String(each.retries)],
    [String(each.loops_asked)],
    [String(each.loops_taken)],
    [each.agent_time === null ? UNKNOWN : PRINT.elapsed(each.agent_time.sum)],
    [each.tokens.sum === null ? UNKNOWN : printSpent(each.tokens, PRINT.number)],
    [each.money.sum === null ? UNKNOWN : printSpent(each.money, PRINT.money)],
  ]);
  const work = columns("agent", "#steps", "#retries", "#sent back", "#got back", "#worked", "#tokens", "#cost");
  return [
    {
      heading: "Agents",
      about: [describeTruth(all.claims)],
      charts: [truthChart(agents)],
      table: { columns: columns(...names, "not true"), rows },
    },
    { heading: "Work and cost", table: { columns: work, rows: cost } },
  ];
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
    title: "Claims of each agent",
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
export function completionSections({ completions }: Metrics): Section[] {
  if (completions.length === 0) return [];
  const items = completions
    .slice(0, MOST_COMPLETIONS)
    .map(({ run, agent, summary, issue, pull_request: pull, metrics }) => [
      said(run),
      " ",
      ...(issue === null ? [] : ["issue ", said(issue), ", "]),
      ...(pull === null ? [] : ["pull request ", said(pull), ", "]),
      said(agent),
      ...(summary === null ? [] : [": ", said(summary)]),
      ...metrics.flatMap(({ name, text }) => ["; ", said(name), " ", said(text)]),
    ]);
  return [{ heading: "As told at the end", items }];
}
