import { count } from "../../shared/count.ts";
import { printElapsed } from "../../shared/utc-time.ts";
import { type Chart, type PageFact, type ReportPage, type Section, type SpanRow, said } from "./page.ts";
import type { ReportedRun, RunsReport } from "./report.ts";
import { agentSections, completionSections, takeoverSection } from "./shared-sections.ts";
import {
  CLAIM_MARKS,
  PRINT,
  UNKNOWN,
  columns,
  markClaims,
  printClaims,
  printMoment,
  printSpent,
  printTime,
  toneOf,
} from "./words.ts";
import { countRemarks, summariseRemarks } from "../../workflow/remarks.ts";
import type { Metrics, Spent } from "../metrics.ts";
import { describeIdle, describeSessionUsage, idleSince, statusWord } from "../observed-run.ts";
import { askName } from "../event-line.ts";
import { describeClaimed } from "../run-view.ts";

/** The page of one run: its result, its course, and what is stored of it. */
export function pageOfRun(report: RunsReport, run: ReportedRun): ReportPage {
  const { view, head } = run;
  const isIdle = idleSince({ status: view.status, updated_at: run.updated_at }, report.made_at) !== null;
  const end =
    head === null
      ? "Nothing is stored of it."
      : `Stored: ${count(run.trail.length, "handoff")}, ${count(head.sequence, "log entry", "log entries")}; the last one has the hash ${head.hash}.`;
  return {
    title: [said(view.workflow), " ", said(view.run)],
    tone: view.status === "completed" && view.remarks.length > 0 ? "warning" : toneOf(view.status),
    status: [statusWord(view.status, view.observed !== null), summariseRemarks(countRemarks(view.remarks))]
      .filter((text) => text !== "")
      .join(", but "),
    facts: factsOf(report, run),
    sections: [
      ...askSection(run),
      ...remarkSection(run),
      ...stepSection(run, report.made_at, isIdle),
      ...otherSection(run),
      ...deviationSection(run),
      ...refutedSection(run),
      ...gateSection(run),
      ...issueSection(run),
      ...completionSections(report.metrics),
      ...trailSection(run),
      ...agentSections(report.metrics),
      ...takeoverSection(report.takeovers),
    ],
    footer: [`${end} Made ${printTime(report.made_at)} by baton report.`],
  };
}

function factsOf({ metrics: { all }, made_at: now }: RunsReport, run: ReportedRun): PageFact[] {
  const { view } = run;
  return [
    ...(view.reason === null ? [] : [{ name: "reason", value: [said(view.reason)] }]),
    ...(view.observed === null ? courseFacts(run, all, now) : sessionFacts(run, view.observed, now)),
    { name: "steps", value: [String(view.steps)] },
    { name: "handoffs sent back", value: [String(all.repairs)] },
    { name: "tokens", value: [printCost(run, all.tokens, PRINT.number)] },
    { name: "cost", value: [printCost(run, all.money, PRINT.money)] },
    { name: "claims", value: [printClaims(all.claims)] },
  ];
}

/** An open session has a cost that its client has not told yet. */
function printCost({ view }: ReportedRun, spent: Spent, print: (value: number) => string): string {
  return view.observed !== null && spent.sum === null ? UNKNOWN : printSpent(spent, print);
}

function courseFacts({ view }: ReportedRun, all: Metrics["all"], now: number): PageFact[] {
  const took = printElapsed((view.ended_at ?? now) - view.started_at);
  return [
    { name: "started", value: [printTime(view.started_at)] },
    { name: view.ended_at === null ? "so far" : "took", value: [took] },
    { name: "rounds", value: [String(view.iteration)] },
    { name: "retries", value: [String(all.retries)] },
  ];
}

/** A session lasts as long as its client is open: that says nothing of the work. */
function sessionFacts(
  { view, updated_at: updated }: ReportedRun,
  { client, session, follows, usage }: NonNullable<ReportedRun["view"]["observed"]>,
  now: number,
): PageFact[] {
  const idle = idleSince({ status: view.status, updated_at: updated }, now);
  const end = view.ended_at ?? updated;
  return [
    { name: "session", value: [said(session), " of ", said(client), ", which drives it; Baton watches"] },
    ...(follows === null ? [] : [{ name: "compared with", value: ["the workflow ", said(follows)] }]),
    { name: "first sign", value: [printTime(view.started_at)] },
    { name: view.ended_at === null ? "last sign" : "ended", value: [printTime(end)] },
    ...(idle === null ? [] : [{ name: "idle", value: [describeIdle(idle)] }]),
    ...(usage === null ? [] : [{ name: "as the client counts", value: [describeSessionUsage(usage)] }]),
  ];
}

function deviationSection({ view: { observed } }: ReportedRun): Section[] {
  if (observed === null || observed.follows === null) return [];
  const { deviations, suggestion } = observed;
  const items = deviations.map(({ agent, says }) => [said(agent), ": ", said(says)]);
  const next = suggestion === null ? [] : [[said(suggestion)]];
  const none = deviations.length === 0 ? [["nothing was otherwise so far"]] : [];
  return [{ heading: "Compared with its workflow", items: [...none, ...items, ...next] }];
}

function otherSection({ others }: ReportedRun): Section[] {
  if (others.length === 0) return [];
  const rows = others.map(({ agent, started_at: from, ended_at: to, tokens, is_part: isPart, files }) => [
    [said(agent)],
    [from === null ? UNKNOWN : printMoment(from)],
    [from === null || to === null ? UNKNOWN : printElapsed(to - from)],
    [tokens === null ? UNKNOWN : `${isPart ? "at least " : ""}${tokens}`],
    files === null ? [UNKNOWN] : files.length === 0 ? ["nothing"] : [said(files.join(", "))],
  ]);
  return [
    {
      heading: "Agents that owe no handoff",
      about: ["They were seen, and nothing of them was checked. Files are those that they changed by their tools."],
      table: { columns: columns("agent", "#began (UTC)", "#took", "#tokens", "changed"), rows },
    },
  ];
}

function askSection({ view }: ReportedRun): Section[] {
  if (view.asks.length === 0) return [];
  const items = view.asks.map((ask) => [`${askName(ask)}: `, said(ask.title), ` (${ask.choices.join(", ")})`]);
  return [{ heading: "Waits for a person", items }];
}

function remarkSection({ view }: ReportedRun): Section[] {
  if (view.remarks.length === 0) return [];
  return [{ heading: "Not proven", items: view.remarks.map(({ kind, text }) => [`${kind}: `, said(text)]) }];
}

function stepSection({ steps }: ReportedRun, now: number, isIdle: boolean): Section[] {
  if (steps.length === 0) return [];
  const rows = steps.map((step, index) => [
    [String(index + 1)],
    [said(step.agent)],
    [step.reason],
    [step.outcome ?? (step.ended_at === null ? (isIdle ? "no sign" : "at work") : "no handoff")],
    [isTimeKnown(step, isIdle) ? printElapsed((step.ended_at ?? now) - step.started_at) : UNKNOWN],
    [String(step.attempts.length)],
    [markClaims(step.claims)],
  ]);
  const names = columns("#step", "agent", "why", "outcome", "#took", "#attempts", "#claims");
  return [
    {
      heading: "Steps",
      about: [
        `Claims are those of the last handoff of each step (${CLAIM_MARKS}); handoffs that were sent back before it count under Agents.`,
      ],
      charts: [timeline(steps, now)],
      table: { columns: names, rows },
    },
  ];
}

/** In a session, where the beginning of an agent or its end may not be heard of. */
function isTimeKnown({ attempts, ended_at: ended }: ReportedRun["steps"][number], isIdle: boolean): boolean {
  return attempts[0]?.is_begin_known !== false && (ended !== null || !isIdle);
}

/** One row per agent, with the times at which it worked. */
function timeline(steps: ReportedRun["steps"], now: number): Chart {
  const agents = [...new Set(steps.map(({ agent }) => agent))];
  const rows = agents.map((agent): SpanRow => {
    const own = steps.filter((step) => step.agent === agent);
    return {
      label: agent,
      spans: own.map(({ started_at: from, ended_at: ended, outcome }) => {
        const to = ended ?? now;
        const title = `${agent}: ${outcome ?? "no handoff"}, ${printElapsed(to - from)}`;
        return { from, to, tone: toneOfOutcome(outcome), title };
      }),
    };
  });
  const starts = steps.map((step) => step.started_at);
  const ends = steps.map((step) => step.ended_at ?? now);
  return { kind: "spans", title: "Who worked when", rows, from: Math.min(...starts), to: Math.max(...ends) };
}

function toneOfOutcome(outcome: string | null): "good" | "bad" | "quiet" | "second" {
  if (outcome === null) return "quiet";
  if (outcome === "failed" || outcome === "blocked") return "bad";
  return outcome === "needs-fixes" ? "second" : "good";
}

const MAX_CLAIMS = 50;

function refutedSection({ refuted }: ReportedRun): Section[] {
  if (refuted.length === 0) return [];
  const shown = refuted.slice(0, MAX_CLAIMS);
  const more = refuted.length - shown.length;
  return [
    {
      heading: "Claims that are not true",
      items: [
        ...shown.map(({ agent, kind, says, evidence }) => [
          said(agent),
          `, ${kind}: `,
          said(says),
          " Seen: ",
          said(evidence),
        ]),
        ...(more === 0 ? [] : [[`and ${more} more`]]),
      ],
    },
  ];
}

function gateSection({ steps }: ReportedRun): Section[] {
  const gates = steps.flatMap((step) => step.gates.map((gate) => ({ ...gate, agent: step.agent })));
  if (gates.length === 0) return [];
  const rows = gates.map(({ gate, agent, passed, waived_by: by, message, milliseconds }) => [
    [said(gate)],
    [said(agent)],
    passed ? ["passed"] : by === null ? ["failed"] : ["failed, waived by ", said(by)],
    [printElapsed(milliseconds)],
    [said(message)],
  ]);
  return [
    {
      heading: "Gates",
      about: ["Gates of the workflow, and validation commands of handoffs; each time that one was run."],
      table: { columns: columns("gate", "after", "result", "#took", "message"), rows },
    },
  ];
}

function issueSection({ view, rounds }: ReportedRun): Section[] {
  if (view.issues.length === 0) return [];
  const rows = view.issues.map((issue) => {
    const claimed = describeClaimed(issue);
    return [
      [said(issue.id)],
      claimed === null ? [issue.status] : [`${issue.status}, `, said(claimed)],
      [said(issue.severity)],
      [said(issue.location ?? "")],
      [said(issue.description)],
      [said(issue.openedBy)],
    ];
  });
  const chart: Chart = {
    kind: "lines",
    title: "Open issues after each round",
    labels: rounds.map(({ iteration }) => String(iteration)),
    series: [
      { name: "open", tone: "first", values: rounds.map(({ open }) => open) },
      { name: "blocking", tone: "bad", values: rounds.map(({ open_blocking: blocking }) => blocking) },
    ],
    print: PRINT.number,
  };
  const table = { columns: columns("issue", "status", "severity", "where", "what", "found by"), rows };
  return [{ heading: "Issues", charts: rounds.length > 1 ? [chart] : [], table }];
}

function trailSection({ trail }: ReportedRun): Section[] {
  if (trail.length === 0) return [];
  const rows = trail.map(({ at, agent, dialect, outcome, status, summary, text }) => [
    [printMoment(at)],
    [said(agent)],
    [dialect],
    status === null || status === outcome ? [outcome] : [outcome, " (", said(status), ")"],
    summary === null ? [] : [said(summary)],
    [text],
  ]);
  return [
    {
      heading: "Handoffs",
      about: ["Each text is kept under its SHA-256."],
      table: { columns: columns("#when (UTC)", "agent", "format", "outcome", "summary", "%SHA-256"), rows },
    },
  ];
}
