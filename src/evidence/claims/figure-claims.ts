import type { Handoff } from "../../protocol/handoff.ts";
import { isRecord } from "../../shared/json-value.ts";
import type { Claim, Statement } from "../claim.ts";
import { counted, quote } from "../wording.ts";
import { type FreeValue, freeMap, freeMapsOf, metricsOf } from "./free-maps.ts";
import { readDuration } from "./stated-durations.ts";

/** Figures of the work that git and the clock of the run know: lines, commits, rounds and how long it took. */
export function figureClaims(handoff: Handoff): Claim[] {
  const metrics = metricsOf(handoff).values.flatMap(withParts);
  const besides = freeMapsOf(handoff).flatMap(({ values }) => values);
  const isMerged = handoff.work?.merge !== undefined || handoff.final === true;
  return [
    ...[...metrics, ...besides].flatMap((figure) => countedClaim(figure, isMerged)),
    // Elsewhere a duration may be one of the product.
    ...metrics.flatMap(runClaim),
  ];
}

/** `diff: { insertions: 12, deletions: 3 }` */
function withParts(figure: FreeValue): FreeValue[] {
  return isRecord(figure.value) ? [...freeMap(figure, figure.value).values] : [figure];
}

type Measure = Extract<Statement, { of: "lines" }>["measure"];

const LINES: ReadonlyMap<string, Measure> = new Map([
  ...["lines_added", "added_lines", "insertions", "additions", "lines_inserted"].map(
    (name) => [name, "added"] as const,
  ),
  ...["lines_removed", "lines_deleted", "deleted_lines", "deletions"].map((name) => [name, "removed"] as const),
  ...["lines_changed", "changed_lines", "lines_modified"].map((name) => [name, "changed"] as const),
  ...["lines_of_code", "loc", "lines_written", "new_lines"].map((name) => [name, "written"] as const),
]);

const COMMITS: readonly string[] = ["commits", "commit_count", "commits_count", "total_commits", "commits_total"];

function countedClaim({ name, where, path, value }: FreeValue, isMerged: boolean): Claim[] {
  const count = readCount(value);
  if (count === null) return [];
  const measure = LINES.get(name);
  if (measure !== undefined) {
    const says = `${counted(count, "line")} ${IN_WORDS[measure]}.`;
    return [{ kind: "figure", where, path, says, about: { of: "lines", measure, count } }];
  }
  if (!COMMITS.includes(name)) return [];
  const says = `${counted(count, "commit")} in all.`;
  return [{ kind: "figure", where, path, says, about: { of: "commits-counted", count, isMerged } }];
}

const IN_WORDS: Readonly<Record<Measure, string>> = {
  added: "added",
  removed: "removed",
  changed: "changed",
  written: "of code",
};

/** `120`, `"+120"`, `"1,250 lines"`; null for anything else. */
function readCount(value: FreeValue["value"]): number | null {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  const found = /^\+?(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?: (?:lines?|insertions?|deletions?|commits?))?$/i.exec(text);
  return found === null ? null : Number((found[1] ?? "").replaceAll(",", ""));
}

/** Of reviews and loops the run knows every one; an agent's iterations may be those of its own work. */
const ROUNDS: ReadonlyMap<string, "run" | "any"> = new Map([
  ...["review_iterations", "review_rounds", "review_cycles", "rounds", "loops"].map((name) => [name, "run"] as const),
  ...["iterations", "iteration_count"].map((name) => [name, "any"] as const),
]);

const DURATION =
  /^(?:execution_time|duration|elapsed|elapsed_time|time_taken|time_spent|total_time|total_duration|workflow_duration|cycle_time)(?:_(ms|milliseconds|s|secs|seconds|min|minutes|h|hours))?$/;

function runClaim({ name, where, path, value }: FreeValue): Claim[] {
  const whose = ROUNDS.get(name);
  const count = whose === undefined ? null : readCount(value);
  if (whose !== undefined && count !== null) {
    const about = { of: "rounds", count, isOfRun: whose === "run" } as const;
    return [{ kind: "figure", where, path, says: `${where} is ${count}.`, about }];
  }
  const found = DURATION.exec(name);
  if (found === null || (typeof value !== "number" && typeof value !== "string")) return [];
  const stated = readDuration(value, found[1] ?? null);
  const says = `${where} is ${quote(String(value))}.`;
  if (stated === null) return [{ kind: "figure", where, path, says, about: { of: "words" } }];
  return [
    { kind: "figure", where, path, says, about: { of: "duration", ...stated, isCycle: name.startsWith("cycle") } },
  ];
}
