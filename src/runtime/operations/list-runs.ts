import type { RunRow, RunSearch, RunStatusFilter } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import type { RemarkCounts } from "../../workflow/state.ts";
import { RUN_STATUS_WORDS, type RunItem, type RunList, type RunStatusWord } from "../../views/run-item.ts";
import { idleSince } from "../../views/observed-run.ts";
import { isDriven, isObserved } from "./resume-run.ts";

export { describeIdle, describeSessionUsage, statusWord } from "../../views/observed-run.ts";
export { summariseRemarks } from "../../workflow/remarks.ts";

interface RunListQuery {
  readonly statuses?: readonly RunStatusWord[] | undefined;
  readonly text?: string | undefined;
  readonly workflow?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** After how many milliseconds without an event a running run counts as stalled. */
  readonly stalledAfter?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export const STALLED_AFTER = 24 * 60 * 60 * 1000;

/** A page of runs, newest first, with the number of runs of each status. */
export async function listRunItems(ports: Ports, query: RunListQuery): Promise<RunList> {
  const { log, clock } = ports;
  const now = clock.now();
  const stalledBefore = now - (query.stalledAfter ?? STALLED_AFTER);
  const { cursor: before, limit } = query;
  const filter = filterOf(query);
  if (before !== undefined && (await log.run(before)) === null) throw unknownCursor();
  const statusFilters = standingsOf(query.statuses ?? RUN_STATUS_WORDS, stalledBefore);
  const page = { statusFilters, ...(before !== undefined && { before }), limit: limit + 1 };
  const found = await log.findRuns({ ...filter, ...page });
  const shown = found.slice(0, limit);
  return {
    runs: shown.map((row) => runItem(row, now, stalledBefore)),
    next: found.length > limit ? (shown.at(-1)?.run ?? null) : null,
    counts: countsOf(await log.countRuns(filter, stalledBefore)),
    workflows: await log.runNames(),
  };
}

function filterOf({ text, workflow: name, since, until }: RunListQuery): Omit<RunSearch, "statusFilters" | "limit"> {
  return {
    ...(text !== undefined && text.trim() !== "" && { text }),
    ...(name !== undefined && { name }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

function unknownCursor(): AppError {
  return new AppError("wrong-usage", "The cursor names no run.", "Take it from `next` of the page before.");
}

/** The stored status `running` is split into working and stalled. */
function standingsOf(words: readonly RunStatusWord[], stalledBefore: number): RunStatusFilter[] {
  const asked = new Set(words);
  return [...asked].flatMap((word): RunStatusFilter[] => {
    const isBoth = asked.has("running") && asked.has("stalled");
    if (word === "running") return [{ status: word, ...(!isBoth && { updatedFrom: stalledBefore }) }];
    if (word === "stalled") return isBoth ? [] : [{ status: "running", updatedBefore: stalledBefore }];
    return [{ status: word }];
  });
}

interface Counted {
  readonly byStatus: Readonly<Record<string, number>>;
  readonly stalled: number;
}

function countsOf({ byStatus, stalled }: Counted): Record<RunStatusWord, number> {
  const count = (status: string): number => (Object.hasOwn(byStatus, status) ? (byStatus[status] ?? 0) : 0);
  return {
    running: count("running") - stalled,
    watched: count("watched"),
    waiting: count("waiting"),
    stalled,
    completed: count("completed"),
    failed: count("failed"),
    cancelled: count("cancelled"),
  };
}

/** Uses only the row: a list of runs reads no logs. */
export function runItem(row: RunRow, now: number, stalledBefore = now - STALLED_AFTER): RunItem {
  const { run, name, brief, createdAt, updatedAt, summary } = row;
  const status = statusOf(row, stalledBefore);
  return {
    run,
    workflow: name,
    status,
    idle_since: idleSince({ status, updated_at: updatedAt }, now),
    is_observed: isObserved(row),
    failed_agents: listOf(summary, "failed").filter((agent) => typeof agent === "string"),
    reason: textOf(summary, "reason"),
    remarks: remarkCounts(summary),
    brief,
    created_at: createdAt,
    updated_at: updatedAt,
    iteration: numberOf(summary, "iteration"),
    steps: numberOf(summary, "steps"),
    tasks: numberOf(summary, "tasks"),
    tasks_done: numberOf(summary, "done"),
    agents: listOf(summary, "agents").filter((agent) => typeof agent === "string"),
    asks: listOf(summary, "asks").length,
    open_issues: numberOf(summary, "open_issues"),
    is_driven: !row.finished && isDriven(row, now),
  };
}

/** Runs that ended before there were remarks have none. */
export function remarkCounts({ remarks }: JsonRecord): RemarkCounts {
  const stored = isRecord(remarks) ? remarks : {};
  return {
    open: numberOf(stored, "open"),
    waived: numberOf(stored, "waived"),
    refuted: numberOf(stored, "refuted"),
    unknown: numberOf(stored, "unknown"),
    unproven: numberOf(stored, "unproven"),
    undeclared: numberOf(stored, "undeclared"),
    unchecked: numberOf(stored, "unchecked"),
  };
}

function statusOf({ status, updatedAt }: RunRow, stalledBefore: number): RunStatusWord {
  if (status === "running" && updatedAt < stalledBefore) return "stalled";
  return RUN_STATUS_WORDS.find((word) => word === status) ?? "running";
}

function textOf(summary: JsonRecord, key: string): string | null {
  const value = summary[key];
  return typeof value === "string" ? value : null;
}

function numberOf(summary: JsonRecord, key: string): number {
  const value = summary[key];
  return typeof value === "number" ? value : 0;
}

function listOf(summary: JsonRecord, key: string): readonly unknown[] {
  const value = summary[key];
  return Array.isArray(value) ? value : [];
}
