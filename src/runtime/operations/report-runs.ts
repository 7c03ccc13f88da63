import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { pageOfRun } from "../../views/report/page-of-run.ts";
import { pageOfRuns } from "../../views/report/page-of-runs.ts";
import type { ReportPage } from "../../views/report/page.ts";
import {
  type ListedRun,
  type ReportedRun,
  type RunsReport,
  listRefutedClaims,
  trailOf,
} from "../../views/report/report.ts";
import { otherAgents } from "../../views/observed-run.ts";
import { roundsOf } from "../../views/rounds.ts";
import { stepItems } from "../../views/step-items.ts";
import type { TimedEvent } from "../../views/event-line.ts";
import { type LogEntry, readWholeEntries, eventsOf, readEntries } from "../read-log.ts";
import { chooseRows, measureRuns } from "./measure-runs.ts";
import { remarkCounts } from "./list-runs.ts";
import { isObserved } from "./resume-run.ts";
import { findRun } from "./send-input.ts";
import { viewRun } from "./view-run.ts";
import { type AgentTakeover, TakeoverSums, takeoversOf } from "../../views/takeovers.ts";

export type { ReportPage as Page, Section, Table, Words } from "../../views/report/page.ts";
export { pageComment, pageMarkdown } from "../../views/report/page-markdown.ts";
export { pageHtml } from "../../views/report/page-html.ts";
export { reportJunit } from "../../views/report/report-junit.ts";
export type { RunsReport } from "../../views/report/report.ts";

const MAX_LISTED = 200;

/** A report about one run, by its id or a prefix of it, or about all runs whose last event is at or after `since`. */
export async function reportRuns(ports: Ports, name: string | null, since: number | null): Promise<RunsReport> {
  const row = name === null ? null : await findRun(ports, name);
  const filter = { ...(row !== null && { run: row.run }), ...(since !== null && { since }) };
  const metrics = await measureRuns(ports, filter);
  const takeovers = await reportTakeovers(ports, row?.run ?? null, since ?? 0);
  const run = row === null ? null : await reportOne(ports, row);
  const rows = row === null ? await chooseRows(ports, filter) : [];
  const runs = rows.slice(0, MAX_LISTED).map(listedRun);
  const left = rows.length - runs.length;
  return { made_at: ports.clock.now(), since, run, runs, runs_left_off: left, metrics, takeovers };
}

/** The report as a page, for formats that people read. */
export function reportPage(report: RunsReport): ReportPage {
  return report.run === null ? pageOfRuns(report) : pageOfRun(report, report.run);
}

async function reportOne(ports: Ports, { run, workflow: hash, updatedAt }: RunRow): Promise<ReportedRun> {
  const entries = await readWholeEntries(ports.log, run);
  const { view, workflow } = await viewRun(ports, run, hash);
  const events = timedEvents(entries);
  const last = entries.at(-1);
  return {
    view,
    updated_at: updatedAt,
    others: otherAgents(events),
    steps: stepItems(events),
    rounds: roundsOf(events, workflow.loop),
    trail: trailOf(events),
    refuted: listRefutedClaims(events),
    head: last === undefined ? null : { sequence: last.sequence, hash: last.hash },
  };
}

function timedEvents(entries: readonly LogEntry[]): TimedEvent[] {
  return entries.flatMap(({ event, position, at }) => (event === null ? [] : [{ position, at, event }]));
}

function listedRun({ run, name, status, summary, createdAt, updatedAt }: RunRow): ListedRun {
  return {
    run,
    workflow: name,
    status,
    is_observed: isObserved({ summary }),
    reason: typeof summary["reason"] === "string" ? summary["reason"] : null,
    remarks: remarkCounts(summary),
    started_at: createdAt,
    updated_at: updatedAt,
  };
}

export type { TakeoverView } from "../../views/takeovers.ts";

/** Takeovers of one run, by its id or a prefix of it, or of all runs since a time, in milliseconds since 1970. */
export async function reportTakeovers(
  ports: Pick<Ports, "log">,
  run: string | null,
  since: number,
): Promise<AgentTakeover[]> {
  const sums = new TakeoverSums();
  for (const row of await chooseRows(ports, run === null ? { since } : { run }))
    for (const takeover of takeoversOf(eventsOf(await readEntries(ports.log, row.run))))
      if (takeover.ended_at >= since) sums.add(takeover);
  return sums.agents();
}
