import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import { reportRecord } from "./json-text.ts";
import {
  type CoverageCounts,
  type Share,
  type Shown,
  quoted,
  readCount,
  refuseReport,
  wasHit,
  COVERAGE_MEASURES,
  coverageOf,
  percentOf,
} from "./report.ts";

/** `coverage-final.json`: for each file its parts and how often each was executed. */
export function isIstanbulMap(value: JsonRecord): boolean {
  const files = Object.values(value);
  return files.length > 0 && files.every((file) => isRecord(file) && isRecord(ownValue(file, "statementMap")));
}

export function readIstanbulMap(value: JsonRecord): Shown {
  const total = { lines: none(), statements: none(), functions: none(), branches: none() };
  for (const path of Object.keys(value)) {
    const file = reportRecord(value, path);
    add(total.statements, hitsOf(file, "s"));
    add(total.functions, hitsOf(file, "f"));
    add(total.branches, branchHitsOf(file));
    add(total.lines, lineHitsOf(file));
  }
  return { tests: null, coverage: coverageOf(total), covered: Object.keys(value) };
}

interface Sum {
  hit: number;
  found: number;
}

function none(): Sum {
  return { hit: 0, found: 0 };
}

function add(sum: Sum, hits: readonly boolean[]): void {
  sum.found += hits.length;
  for (const isHit of hits) if (isHit) sum.hit++;
}

function hitsOf(file: JsonRecord, key: "s" | "f"): boolean[] {
  const mapped = Object.keys(reportRecord(file, key === "s" ? "statementMap" : "fnMap"));
  const counts = reportRecord(file, key);
  if (mapped.length !== Object.keys(counts).length) refuseReport(`${key} and its map have not the same entries`);
  return mapped.map((id) => wasHit(ownValue(counts, id), `a count of ${key}`));
}

function branchHitsOf(file: JsonRecord): boolean[] {
  return Object.values(reportRecord(file, "b")).flatMap((counts) =>
    Array.isArray(counts)
      ? counts.map((count) => wasHit(count, "a count of b"))
      : refuseReport("a count of b is no list"),
  );
}

/** A line is covered when a statement that begins on it was executed. */
function lineHitsOf(file: JsonRecord): boolean[] {
  const counts = reportRecord(file, "s");
  const lines = new Map<number, boolean>();
  for (const [id, place] of Object.entries(reportRecord(file, "statementMap"))) {
    const line = lineOf(place);
    const isHit = wasHit(ownValue(counts, id), "a count of s");
    lines.set(line, isHit || lines.get(line) === true);
  }
  return [...lines.values()];
}

function lineOf(place: JsonValue | undefined): number {
  const start = isRecord(place) ? ownValue(place, "start") : undefined;
  return readCount(isRecord(start) ? ownValue(start, "line") : undefined, "the line of a statement");
}

/** `coverage-summary.json`: only sums, in total and for each file. */
export function isIstanbulSummary(value: JsonRecord): boolean {
  const total = ownValue(value, "total");
  return isRecord(total) && isRecord(ownValue(total, "lines"));
}

export function readIstanbulSummary(value: JsonRecord): Shown {
  const total = sharesOf(reportRecord(value, "total"));
  const files = Object.keys(value).filter((path) => path !== "total");
  if (files.length > 0) refuseOtherSum(total, value, files);
  return { tests: null, coverage: coverageOf(total), covered: files };
}

function refuseOtherSum(total: CoverageCounts, value: JsonRecord, files: readonly string[]): void {
  const sum = { lines: none(), statements: none(), functions: none(), branches: none() };
  for (const path of files) {
    const shares = sharesOf(reportRecord(value, path));
    for (const measure of COVERAGE_MEASURES) {
      sum[measure].hit += shares[measure]?.hit ?? 0;
      sum[measure].found += shares[measure]?.found ?? 0;
    }
  }
  for (const measure of COVERAGE_MEASURES) {
    const said = total[measure];
    const { hit, found } = sum[measure];
    if (said !== undefined && (said.hit !== hit || said.found !== found))
      refuseReport(`its total says ${said.hit} of ${said.found} ${measure}, its files have ${hit} of ${found}`);
  }
}

function sharesOf(summary: JsonRecord): CoverageCounts {
  const shares: Partial<Record<(typeof COVERAGE_MEASURES)[number], Share>> = {};
  for (const measure of COVERAGE_MEASURES) shares[measure] = shareOf(reportRecord(summary, measure), measure);
  return shares;
}

function shareOf(record: JsonRecord, measure: string): Share {
  const found = readCount(ownValue(record, "total"), `the total of ${measure}`);
  const hit = readCount(ownValue(record, "covered"), `the covered ${measure}`);
  if (hit > found) refuseReport(`${hit} of ${found} ${measure} are covered`);
  const percent = ownValue(record, "pct");
  if (found > 0 && (typeof percent !== "number" || !(Math.abs(percent - percentOf({ hit, found })) <= 0.02)))
    refuseReport(`${hit} of ${found} ${measure} are not ${quoted(percent)} percent`);
  return { hit, found };
}
