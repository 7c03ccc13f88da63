import type { FactPair } from "../../runtime/operations/change-fact.ts";
import { type Citation, type Fact, printPlace } from "../../runtime/operations/search-knowledge.ts";
import { sameJson } from "../../shared/json-value.ts";
import { defuseLines, printable } from "../../shared/printable.ts";
import { placeRecord } from "./print-fact.ts";

/** One thing about a fact that is different now. */
export interface FactDifference {
  readonly id: string;
  readonly what: string;
  readonly before: Value;
  readonly after: Value;
}

type Value = string | number | null | readonly string[] | Citation;

/** In the words of the record of a fact; of witnesses how many there are. */
export function differencesIn({ before, after }: FactPair): FactDifference[] {
  const [was, is] = [comparable(before), comparable(after)];
  return Object.entries(is).flatMap(([what, now]) => {
    const then = was[what] ?? null;
    return sameJson(then, now) ? [] : [{ id: after.id, what, before: then, after: now }];
  });
}

/** What a merged one is called from now on. */
export function mergedInto(id: string, into: string): FactDifference {
  return { id, what: MERGED, before: null, after: into };
}

const MERGED = "merged_into";

function comparable(fact: Fact): Readonly<Record<string, Value>> {
  const { status, text, detail, severity, tags, files, citation, witnesses, opposes, helped } = fact;
  return { status, text, detail, severity, tags, files, citation, witnesses: witnesses.length, opposes, helped };
}

/** As `--json` prints it: of a citation only its place, as in the record of a fact. */
export function differenceRecord({ id, what, before, after }: FactDifference): object {
  const valueOf = (value: Value): unknown => (isCitation(value) ? placeRecord(value) : value);
  return { id, what, before: valueOf(before), after: valueOf(after) };
}

/** The fact, and a line for each thing that is different now. */
export function printDifferences({ id, status, text }: Fact, differences: readonly FactDifference[]): string {
  const lines =
    differences.length === 0
      ? [`it was ${status} before: nothing has changed, but its history has this`]
      : differences.map(printDifference);
  return defuseLines([printable(`${id}: ${text}`), ...lines.map((line) => `    ${printable(line)}`), ""]);
}

function printDifference({ what, before, after }: FactDifference): string {
  const [was, is] = [printValue(before), printValue(after)];
  if (what === MERGED) return `goes on as ${is}`;
  // The same place, with something else in it.
  return `${what.padEnd(9)} ${was === is ? `${is}, as it stands now` : `${was} -> ${is}`}`;
}

function printValue(value: Value): string {
  if (value === null) return "none";
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (isCitation(value)) return printPlace(value);
  return value.length === 0 ? "none" : value.join(", ");
}

function isCitation(value: Value): value is Citation {
  return typeof value === "object" && value !== null && "path" in value;
}
