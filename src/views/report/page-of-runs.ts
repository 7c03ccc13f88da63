import { count } from "../../shared/count.ts";
import { dateOf, utcOf } from "../../shared/utc-time.ts";
import type { Figure, Metrics, PeriodMeasures, Spread } from "../metrics.ts";
import { type Chart, type PageFact, type ReportPage, type Section, said } from "./page.ts";
import { statusWord } from "../observed-run.ts";
import type { RunsReport } from "./report.ts";
import { agentSections, completionSections, takeoverSection } from "./shared-sections.ts";
import {
  PRINT,
  UNKNOWN,
  columns,
  printClaims,
  printMoment,
  printShare,
  printSpent,
  printSpread,
  printTime,
} from "./words.ts";

/** The page of all runs, or those of a period: trends over time, by workflow and by agent. */
export function pageOfRuns(report: RunsReport): ReportPage {
  const { metrics, since } = report;
  const { failed, cancelled } = metrics.all.statuses;
  const completed = report.runs.filter(({ status }) => status === "completed");
  const open = completed.filter(({ remarks }) => remarks.open > 0).length;
  const unchecked = completed.filter(({ remarks }) => remarks.unchecked > 0).length;
  return {
    title: [since === null ? "All runs" : `Runs since ${printTime(since)}`],
    tone: failed + cancelled + open + unchecked > 0 ? "warning" : metrics.all.statuses.completed > 0 ? "good" : "plain",
    status: [
      ...(failed === 0 ? [] : [`${failed} failed`]),
      ...(open === 0 ? [] : [`${open} completed with open blocking issues`]),
      ...(unchecked === 0 ? [] : [`${count(unchecked, "session")} not all checked`]),
      count(metrics.runs, "run"),
    ].join(", "),
    facts: factsOf(metrics),
    sections: [
      ...courseSection(metrics),
      ...workflowSection(metrics),
      ...agentSections(metrics),
      ...takeoverSection(report.takeovers),
      ...figureSection(metrics),
      ...completionSections(metrics),
      ...runSection(report),
    ],
    footer: [`Made ${printTime(report.made_at)} by baton report.`],
  };
}

function factsOf(metrics: Metrics): PageFact[] {
  const { all, pruned } = metrics;
  const { statuses, merges } = all;
  const standing = (["failed", "cancelled", "waiting", "running", "watched", "completed"] as const)
    .filter((word) => statuses[word] > 0)
    .map((word) => `${statuses[word]} ${word}`);
  const facts: [string, string][] = [
    ["runs", standing.length === 0 ? "none" : standing.join(", ")],
    ...(pruned === 0 ? [] : ([["pruned", `${count(pruned, "run")}, not counted below`]] as [string, string][])),
    ["cycle time", printSpread(all.cycle_time, PRINT.elapsed)],
    ["waited for people", hasNeverAsked(metrics) ? "never" : printSpread(all.waiting_time, PRINT.elapsed)],
    ["review iterations", printSpread(all.review_iterations, PRINT.number)],
    ["loops, retries, repairs", `${all.loops}, ${all.retries}, ${all.repairs}`],
    [
      "merged by itself",
      merges.pull_requests === 0 ? "no pull request" : printShare(merges.automatic, merges.pull_requests),
    ],
    ["gates", `${all.gates.passed} passed, ${all.gates.failed} failed`],
    ["tokens", printSpent(all.tokens, PRINT.number)],
    ["cost", printSpent(all.money, PRINT.money)],
    ["claims", printClaims(all.claims)],
    ["coverage", printCoverage(all.coverage)],
  ];
  return facts.map(([name, value]) => ({ name, value: [value] }));
}

/** False when all runs were pruned: their questions are not known. */
function hasNeverAsked({ all, runs, pruned }: Metrics): boolean {
  return all.asks === 0 && runs > pruned;
}

function printCoverage({ claimed, measured }: Metrics["all"]["coverage"]): string {
  const words = [
    ...(measured === null ? [] : [`${printSpread(measured, PRINT.percent)} measured`]),
    ...(claimed === null ? [] : [`${printSpread(claimed, PRINT.percent)} claimed`]),
  ];
  return words.length === 0 ? UNKNOWN : words.join(", ");
}

function courseSection({ periods, every }: Metrics): Section[] {
  if (periods.length < 2) return [];
  const labels = periods.map(({ from }) =>
    every === "hour" ? utcOf(from).slice(5, 16).replace("T", " ") : dateOf(from),
  );
  const values = (read: (period: PeriodMeasures) => number | null): (number | null)[] => periods.map(read);
  const charts: Chart[] = [
    {
      kind: "bars",
      title: `Runs by ${every}`,
      labels,
      series: [
        { name: "completed", tone: "good", values: values(({ statuses }) => statuses.completed) },
        {
          name: "failed or cancelled",
          tone: "bad",
          values: values(({ statuses }) => statuses.failed + statuses.cancelled),
        },
        {
          name: "at work or waiting",
          tone: "quiet",
          values: values(({ statuses }) => statuses.running + statuses.watched + statuses.waiting),
        },
      ],
      print: PRINT.number,
    },
    line(
      `Median cycle time by ${every}`,
      labels,
      values(({ cycle_time: time }) => time?.median ?? null),
      PRINT.elapsed,
    ),
    line(
      `Tokens by ${every}, where known`,
      labels,
      values(({ tokens }) => tokens.sum),
      PRINT.number,
    ),
    {
      kind: "lines",
      title: `Median coverage by ${every}`,
      labels,
      series: [
        { name: "measured", tone: "first", values: values(({ coverage }) => coverage.measured?.median ?? null) },
        { name: "claimed", tone: "second", values: values(({ coverage }) => coverage.claimed?.median ?? null) },
      ],
      print: PRINT.percent,
    },
  ];
  return [{ heading: "Over time", charts: charts.filter(isKnown) }];
}

function line(
  title: string,
  labels: readonly string[],
  values: readonly (number | null)[],
  print: (value: number) => string,
): Chart {
  return { kind: "lines", title, labels, series: [{ name: "", tone: "first", values }], print };
}

/** A chart without any value is left out. */
function isKnown(chart: Chart): boolean {
  return chart.kind === "spans" || chart.series.some(({ values }) => values.some((value) => value !== null));
}

function workflowSection({ workflows }: Metrics): Section[] {
  if (workflows.length === 0) return [];
  const rows = workflows.map((each) => [
    [said(each.workflow)],
    [String(each.runs)],
    [String(each.statuses.completed)],
    [String(each.statuses.failed)],
    [String(each.statuses.cancelled)],
    [printSpread(each.cycle_time, PRINT.elapsed)],
    [printSpread(each.review_iterations, PRINT.number)],
    [String(each.loops)],
    [String(each.retries)],
  ]);
  const counts = ["#runs", "#completed", "#failed", "#cancelled", "#cycle time", "#reviews", "#loops", "#retries"];
  const names = columns("workflow", ...counts);
  return [{ heading: "Workflows", table: { columns: names, rows } }];
}

const MAX_FIGURES = 50;

function figureSection({ figures, left_off: left }: Metrics): Section[] {
  if (figures.length === 0) return [];
  const shown = figures.slice(0, MAX_FIGURES);
  const rows = shown.map((figure) => [
    [said(figure.name)],
    [String(figure.count)],
    printFigure(figure),
    [said(figure.last)],
  ]);
  const more = figures.length - shown.length + left.figures;
  return [
    {
      heading: "What handoffs carried",
      about: ["Figures of agents, as they say them. What is not surely read is only shown."],
      table: {
        columns: columns("figure", "#times", "together", "last"),
        rows,
        ...(more > 0 && { more: `and ${more} more` }),
      },
    },
  ];
}

function printFigure({ kind, spread, ratio, flags, unit }: Figure): (string | { said: string })[] {
  const range = spread === null ? UNKNOWN : printRange(spread);
  switch (kind) {
    case "text":
      return ["not read"];
    case "flag":
      return [flags === null ? UNKNOWN : `${flags.yes} yes, ${flags.no} no`];
    case "ratio":
      return [ratio === null ? UNKNOWN : `${PRINT.number(ratio.part)} of ${PRINT.number(ratio.whole)}`];
    case "duration":
      return [printSpread(spread, PRINT.elapsed)];
    case "percent":
      return [printSpread(spread, PRINT.percent)];
    case "number":
      return [range];
    case "amount":
      return unit === null ? [range] : [range, " ", said(unit)];
  }
}

/** Shows no sum: the sum of coverages or scores has no meaning. */
function printRange({ count: times, median, least, most }: Spread): string {
  if (times === 1) return PRINT.number(median);
  return `${PRINT.number(median)} median, ${PRINT.number(least)} to ${PRINT.number(most)}`;
}

const MAX_RUNS = 50;

function runSection({ runs, runs_left_off: left }: RunsReport): Section[] {
  if (runs.length === 0) return [];
  const shown = runs.slice(0, MAX_RUNS);
  const rows = shown.map(({ run, workflow, status, is_observed: isObserved, reason, started_at: started }) => [
    [printMoment(started)],
    [said(run)],
    [said(workflow)],
    [statusWord(status, isObserved)],
    reason === null ? [] : [said(reason)],
  ]);
  const more = runs.length - shown.length + left;
  const table = { columns: columns("#started (UTC)", "run", "workflow", "status", "reason"), rows };
  return [{ heading: "Runs", table: more === 0 ? table : { ...table, more: `and ${more} more` } }];
}
