import type { RunCounts, RunSearch, Standing } from "../../ports/event-log.ts";
import { splitSearch } from "../search-words.ts";
import { integerOf, orNull, type Row, textOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

const EVER = Number.MAX_SAFE_INTEGER;
/** Of a text that more runs have than this, the newest are counted. */
const MOST_COUNTED = 5_000;

type Filter = Omit<RunSearch, "standings" | "before" | "limit">;

/** The youngest first, from after the run that the page before ended with. */
export function findRuns(statements: Statements, search: RunSearch): Row[] {
  const from = placeOf(statements, search.before);
  if (from === null) return [];
  if (search.text !== undefined) return findByText(statements, search, from);
  const { name, limit } = search;
  const lists = search.standings.map((standing) => {
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

/** Null for a run that is not there: nothing comes after it. */
function placeOf(statements: Statements, before: string | undefined): Place | null {
  if (before === undefined) return { createdAt: EVER, number: EVER };
  const row = statements.place.get(before);
  return row === undefined ? null : { createdAt: integerOf(row, "created_at"), number: integerOf(row, "number") };
}

function rangeOf({ since, until }: Filter): { since: number; until: number } {
  return { since: since ?? 0, until: until ?? EVER };
}

function updatedOf({ updatedFrom, updatedBefore }: Standing): { updatedFrom: number; updatedBefore: number } {
  return { updatedFrom: updatedFrom ?? 0, updatedBefore: updatedBefore ?? EVER };
}

function youngestFirst(left: Row, right: Row): number {
  return (
    integerOf(right, "created_at") - integerOf(left, "created_at") ||
    integerOf(right, "number") - integerOf(left, "number")
  );
}

/** When it was last updated matters to running ones only. */
function findByText(statements: Statements, search: RunSearch, { createdAt, number }: Place): Row[] {
  const { standings, name, limit } = search;
  const running = standings.find(({ status }) => status === "running") ?? { status: "running" };
  const statuses = JSON.stringify(standings.map(({ status }) => status));
  const values = { ...rangeOf(search), ...updatedOf(running), statuses, name: name ?? null, number, limit };
  const { match, begin } = splitSearch(search.text ?? "");
  if (match === null) return statements.listByBeginning.all({ ...values, createdAt, begin, end: endOf(begin) });
  return statements.listByText.all({ ...values, match });
}

/** No text that begins so comes after this. */
function endOf(begin: string): string {
  return `${begin}\u{10ffff}`;
}

export function countRuns(
  statements: Statements,
  search: Filter,
  stalledBefore: number,
  known: KnownCounts,
): RunCounts {
  const name = search.name ?? null;
  const values = { ...rangeOf(search), name, stalledBefore };
  if (search.text !== undefined) {
    const { match, begin } = splitSearch(search.text);
    const rows =
      match === null
        ? statements.countByBeginning.all({ ...values, begin, end: endOf(begin) })
        : statements.countByText.all({ ...values, match, most: MOST_COUNTED });
    const byStatus = Object.fromEntries(rows.map((row) => [textOf(row, "status"), integerOf(row, "runs")]));
    return { byStatus, stalled: rows.reduce((sum, row) => sum + integerOf(row, "stalled"), 0) };
  }
  const byStatus = known.find(statements, JSON.stringify([name, search.since, search.until]), () =>
    countStatuses(statements, search),
  );
  return { byStatus, stalled: countOf(statements.countStalled.get(values)) };
}

function countStatuses(statements: Statements, search: Filter): Record<string, number> {
  const { name } = search;
  const counted = listStatuses(statements).map((status) => {
    const range = { ...rangeOf(search), status };
    const row =
      name === undefined ? statements.countByStatus.get(range) : statements.countByName.get({ ...range, name });
    return [status, countOf(row)] as const;
  });
  return Object.fromEntries(counted);
}

/** What was counted, for as long as nobody, in this process or another, has written anything. */
export class KnownCounts {
  readonly #counts = new Map<string, Readonly<Record<string, number>>>();
  #version = "";
  #connection: Statements | null = null;

  find(
    statements: Statements,
    key: string,
    count: () => Readonly<Record<string, number>>,
  ): Readonly<Record<string, number>> {
    const { dataVersion, ownChanges } = statements;
    const version = `${JSON.stringify(dataVersion.get())} ${JSON.stringify(ownChanges.get())}`;
    // Each connection counts for itself: one that was opened anew may be at the same figures again.
    const isSame = statements === this.#connection && version === this.#version;
    if (!isSame || this.#counts.size > MOST_KNOWN) this.#counts.clear();
    this.#connection = statements;
    this.#version = version;
    const known = this.#counts.get(key) ?? count();
    this.#counts.set(key, known);
    return known;
  }
}

const MOST_KNOWN = 100;

function countOf(row: Row | undefined): number {
  return row === undefined ? 0 : integerOf(row, "runs");
}

/** From one to the next in the index: there are few of them, and many runs. */
export function listNames({ nextName }: Statements): string[] {
  return steps((last) => nextName.get(last), "name");
}

function listStatuses({ nextStatus }: Statements): string[] {
  return steps((last) => nextStatus.get(last), "status");
}

function steps(next: (last: string) => Row | undefined, column: string): string[] {
  const found: string[] = [];
  for (let last = ""; ;) {
    const row = next(last);
    const value = row === undefined ? null : orNull(textOf, row, column);
    if (value === null) return found;
    found.push(value);
    last = value;
  }
}
