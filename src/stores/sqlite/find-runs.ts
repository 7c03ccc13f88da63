import type { RunCounts, RunSearch, RunStatusFilter } from "../../ports/event-log.ts";
import { splitSearch } from "../run-search.ts";
import { integerOf, columnOrNull, type Row, textColumn } from "./rows.ts";
import type { LogStatements } from "./statements.ts";

const EVER = Number.MAX_SAFE_INTEGER;
/** If more runs contain a text, only the newest of them are counted. */
const MAX_COUNTED = 5_000;

type Filter = Omit<RunSearch, "statusFilters" | "before" | "limit">;

/** Newest first, beginning after the last run of the previous page. */
export function findRunRows(statements: LogStatements, search: RunSearch): Row[] {
  const from = placeOf(statements, search.before);
  if (from === null) return [];
  if (search.text !== undefined) return findByText(statements, search, from);
  const { name, limit } = search;
  const lists = search.statusFilters.map((standing) => {
    const values = { ...rangeOf(search), ...from, ...updatedOf(standing), status: standing.status, limit };
    return name === undefined ? statements.listByStatus.all(values) : statements.listByName.all({ ...values, name });
  });
  const [first = []] = lists;
  return lists.length === 1 ? first : lists.flat().sort(youngestFirst).slice(0, limit);
}

interface Place {
  readonly createdAt: number;
  readonly number: number;
}

/** Null for a run that does not exist: then the page is empty. */
function placeOf(statements: LogStatements, before: string | undefined): Place | null {
  if (before === undefined) return { createdAt: EVER, number: EVER };
  const row = statements.place.get(before);
  return row === undefined ? null : { createdAt: integerOf(row, "created_at"), number: integerOf(row, "number") };
}

function rangeOf({ since, until }: Filter): { since: number; until: number } {
  return { since: since ?? 0, until: until ?? EVER };
}

function updatedOf({ updatedFrom, updatedBefore }: RunStatusFilter): { updatedFrom: number; updatedBefore: number } {
  return { updatedFrom: updatedFrom ?? 0, updatedBefore: updatedBefore ?? EVER };
}

function youngestFirst(left: Row, right: Row): number {
  return (
    integerOf(right, "created_at") - integerOf(left, "created_at") ||
    integerOf(right, "number") - integerOf(left, "number")
  );
}

/** The time of the last update only matters for running ones. */
function findByText(statements: LogStatements, search: RunSearch, { createdAt, number }: Place): Row[] {
  const { statusFilters, name, limit } = search;
  const running = statusFilters.find(({ status }) => status === "running") ?? { status: "running" };
  const statuses = JSON.stringify(statusFilters.map(({ status }) => status));
  const values = { ...rangeOf(search), ...updatedOf(running), statuses, name: name ?? null, number, limit };
  const { words, begin } = splitSearch(search.text ?? "");
  const match = matchOf(words);
  if (match === null) return statements.listByBeginning.all({ ...values, createdAt, begin, end: endOf(begin) });
  return statements.listByText.all({ ...values, match });
}

/** Greater than any text with this beginning. */
function endOf(begin: string): string {
  return `${begin}\u{10ffff}`;
}

export function countRunRows(
  statements: LogStatements,
  search: Filter,
  stalledBefore: number,
  known: KnownCounts,
): RunCounts {
  const name = search.name ?? null;
  const values = { ...rangeOf(search), name, stalledBefore };
  if (search.text !== undefined) {
    const { words, begin } = splitSearch(search.text);
    const match = matchOf(words);
    const rows =
      match === null
        ? statements.countByBeginning.all({ ...values, begin, end: endOf(begin) })
        : statements.countByText.all({ ...values, match, most: MAX_COUNTED });
    const byStatus = Object.fromEntries(rows.map((row) => [textColumn(row, "status"), integerOf(row, "runs")]));
    return { byStatus, stalled: rows.reduce((sum, row) => sum + integerOf(row, "stalled"), 0) };
  }
  const byStatus = known.find(statements, JSON.stringify([name, search.since, search.until]), () =>
    countStatuses(statements, search),
  );
  return { byStatus, stalled: countOf(statements.countStalled.get(values)) };
}

function countStatuses(statements: LogStatements, search: Filter): Record<string, number> {
  const { name } = search;
  const counted = listStatuses(statements).map((status) => {
    const range = { ...rangeOf(search), status };
    const row =
      name === undefined ? statements.countByStatus.get(range) : statements.countByName.get({ ...range, name });
    return [status, countOf(row)] as const;
  });
  return Object.fromEntries(counted);
}

/** Caches counts until this or another process writes to the database. */
export class KnownCounts {
  readonly #counts = new Map<string, Readonly<Record<string, number>>>();
  #version = "";
  #connection: LogStatements | null = null;

  find(
    statements: LogStatements,
    key: string,
    count: () => Readonly<Record<string, number>>,
  ): Readonly<Record<string, number>> {
    const { dataVersion, ownChanges } = statements;
    const version = `${JSON.stringify(dataVersion.get())} ${JSON.stringify(ownChanges.get())}`;
    // The versions are per connection: a reopened one may have the same values again.
    const isSame = statements === this.#connection && version === this.#version;
    if (!isSame || this.#counts.size > MAX_KNOWN) this.#counts.clear();
    this.#connection = statements;
    this.#version = version;
    const known = this.#counts.get(key) ?? count();
    this.#counts.set(key, known);
    return known;
  }
}

const MAX_KNOWN = 100;

function countOf(row: Row | undefined): number {
  return row === undefined ? 0 : integerOf(row, "runs");
}

/** Steps from one value to the next in the index: there are few names and many runs. */
export function listNames({ nextName }: LogStatements): string[] {
  return steps((last) => nextName.get(last), "name");
}

function listStatuses({ nextStatus }: LogStatements): string[] {
  return steps((last) => nextStatus.get(last), "status");
}

function steps(next: (last: string) => Row | undefined, column: string): string[] {
  const found: string[] = [];
  for (let last = ""; ;) {
    const row = next(last);
    const value = row === undefined ? null : columnOrNull(textColumn, row, column);
    if (value === null) return found;
    found.push(value);
    last = value;
  }
}

/** The full-text query for all words; null when there is none. */
function matchOf(words: readonly string[]): string | null {
  return words.length === 0 ? null : words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ");
}
