import type { RunCounts, RunSearch } from "../../src/ports/event-log.ts";
import { splitSearch } from "../../src/stores/run-search.ts";
import type { MemoryRun } from "./memory-run.ts";

type Filter = Omit<RunSearch, "statusFilters" | "before" | "limit">;

/** In the order in which they were made, as given. */
export function findRuns(runs: readonly MemoryRun[], search: RunSearch): MemoryRun[] {
  const youngest = runs
    .map((run, number) => ({ run, number }))
    .sort((left, right) => right.run.createdAt - left.run.createdAt || right.number - left.number)
    .map(({ run }) => run);
  const from = search.before === undefined ? 0 : youngest.findIndex(({ id }) => id === search.before) + 1;
  if (from === 0 && search.before !== undefined) return [];
  return youngest
    .slice(from)
    .filter((run) => stands(run, search) && fits(run, search))
    .slice(0, search.limit);
}

function stands({ status, updatedAt }: MemoryRun, { statusFilters: standings }: RunSearch): boolean {
  return standings.some(
    (standing) =>
      standing.status === status &&
      updatedAt >= (standing.updatedFrom ?? 0) &&
      updatedAt < (standing.updatedBefore ?? Number.POSITIVE_INFINITY),
  );
}

function fits(run: MemoryRun, { name, text, since, until }: Filter): boolean {
  if (name !== undefined && run.name !== name) return false;
  if (run.createdAt < (since ?? 0) || run.createdAt >= (until ?? Number.POSITIVE_INFINITY)) return false;
  return text === undefined || hasText(run, text);
}

function hasText({ id, name, brief }: MemoryRun, text: string): boolean {
  const { words, begin } = splitSearch(text);
  if (words.length === 0) return id.startsWith(begin);
  return words.every((word) => [id, name, brief].some((part) => part.toLowerCase().includes(word.toLowerCase())));
}

export function countRuns(runs: readonly MemoryRun[], search: Filter, stalledBefore: number): RunCounts {
  const fitting = runs.filter((run) => fits(run, search));
  const byStatus: Record<string, number> = {};
  for (const { status } of fitting) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const stalled = fitting.filter(({ status, updatedAt }) => status === "running" && updatedAt < stalledBefore).length;
  return { byStatus, stalled };
}
