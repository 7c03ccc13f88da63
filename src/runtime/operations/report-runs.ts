import type { RunRow, StoredEntry } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { pageOfRun } from "../../views/report/page-of-run.ts";
import { pageOfRuns } from "../../views/report/page-of-runs.ts";
import type { Page } from "../../views/report/page.ts";
import { refutedClaims, trailOf } from "../../views/report/report-run.ts";
import type { ListedRun, ReportedRun, RunsReport } from "../../views/report/report.ts";
import { roundsOf } from "../../views/rounds.ts";
import { stepItems } from "../../views/step-items.ts";
import type { TimedEvent } from "../../views/timed-event.ts";
import type { Event } from "../../workflow/event.ts";
import { chooseRows, measureRuns } from "./measure-runs.ts";
import { reportTakeovers } from "./report-takeovers.ts";
import { findRun, wholeEntries } from "./tell-run.ts";
import { viewRun } from "./view-run.ts";

export type { Page, Section, Table, Words } from "../../views/report/page.ts";
export { pageComment, pageMarkdown } from "../../views/report/page-markdown.ts";
export { pageHtml } from "../../views/report/page-html.ts";
export { reportJunit } from "../../views/report/report-junit.ts";
export type { RunsReport } from "../../views/report/report.ts";

const MOST_LISTED = 200;

/** Of one run, by its id or the beginning of it, or of all that were last heard of since a moment. */
export async function reportRuns(machine: Machine, name: string | null, since: number | null): Promise<RunsReport> {
  const row = name === null ? null : await findRun(machine, name);
  const filter = { ...(row !== null && { run: row.run }), ...(since !== null && { since }) };
  const metrics = await measureRuns(machine, filter);
  const takeovers = await reportTakeovers(machine, row?.run ?? null, since ?? 0);
  const run = row === null ? null : await reportOne(machine, row.run, row.workflow);
  const rows = row === null ? await chooseRows(machine, filter) : [];
  const runs = rows.slice(0, MOST_LISTED).map(listedRun);
  const left = rows.length - runs.length;
  return { made_at: machine.clock.now(), since, run, runs, runs_left_off: left, metrics, takeovers };
}

/** As a page, for the formats that people read. */
export function reportPage(report: RunsReport): Page {
  return report.run === null ? pageOfRuns(report) : pageOfRun(report, report.run);
}

async function reportOne(machine: Machine, run: string, hash: string): Promise<ReportedRun> {
  const entries = await wholeEntries(machine, run);
  const { view, workflow } = await viewRun(machine, run, hash);
  const events = timedEvents(entries);
  const last = entries.at(-1);
  return {
    view,
    steps: stepItems(events),
    rounds: roundsOf(events, workflow.loop),
    trail: trailOf(events),
    refuted: refutedClaims(events),
    head: last === undefined ? null : { sequence: last.sequence, hash: last.hash },
  };
}

function timedEvents(entries: readonly StoredEntry[]): TimedEvent[] {
  return entries.flatMap(({ kind, data, position, at }) =>
    kind === "input" || data === null ? [] : [{ position, at, event: data as unknown as Event }],
  );
}

function listedRun({ run, name, status, summary, createdAt, updatedAt }: RunRow): ListedRun {
  return {
    run,
    workflow: name,
    status,
    reason: typeof summary["reason"] === "string" ? summary["reason"] : null,
    started_at: createdAt,
    updated_at: updatedAt,
  };
}
