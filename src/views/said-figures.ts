import type { Handoff } from "../protocol/handoff.ts";
import { type JsonRecord, type JsonValue, isRecord, shown } from "../shared/json-value.ts";
import { cutText } from "../shared/envelope.ts";
import { type Metric, readMetric } from "./read-metric.ts";

/** One figure of a handoff: its name, how it was written, and what could be read. */
export interface SaidFigure {
  readonly name: string;
  readonly text: string;
  readonly metric: Metric;
}

const LONGEST_NAME = 80;
const LONGEST_VALUE = 120;
const DEEPEST = 4;
const MOST_OF_A_HANDOFF = 100;

/** All figures of a handoff, maps within them by path; null is no figure. */
export function figuresOf({ metrics }: Handoff): SaidFigure[] {
  const found: SaidFigure[] = [];
  if (metrics !== undefined) collect(metrics, "", 1, found);
  return found;
}

function collect(map: JsonRecord, path: string, depth: number, found: SaidFigure[]): void {
  for (const [key, value] of Object.entries(map)) {
    if (found.length >= MOST_OF_A_HANDOFF) return;
    if (value === undefined || value === null) continue;
    const name = path === "" ? key : `${path}.${key}`;
    if (isRecord(value) && depth < DEEPEST) collect(value, name, depth + 1, found);
    else found.push(said(name, value));
  }
}

function said(name: string, value: JsonValue): SaidFigure {
  const text = cutText(shown(value), LONGEST_VALUE);
  const metric = readMetric(value);
  return { name: cutText(name, LONGEST_NAME), text, metric: metric.kind === "text" ? { kind: "text", text } : metric };
}

interface SaidCoverage {
  readonly measure: string | null;
  readonly percent: number;
}

const NAMES = ["test_coverage", "coverage", "coverage_percent", "code_coverage"];
const PARTS = new Set(["lines", "branches", "functions", "statements"]);

/** Percent covered, under the names that the formats have for it. A bare number is one: the formats say so. */
export function coverageSaid({ metrics, checks }: Handoff): SaidCoverage[] {
  for (const map of [metrics, checks?.results])
    for (const name of NAMES) {
      const value = map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
      if (value !== undefined && value !== null) return isRecord(value) ? byPart(value) : percentOf(null, value);
    }
  return [];
}

function byPart(value: JsonRecord): SaidCoverage[] {
  return Object.entries(value).flatMap(([name, part]) =>
    part !== undefined && PARTS.has(name) ? percentOf(name, part) : [],
  );
}

function percentOf(measure: string | null, value: JsonValue): SaidCoverage[] {
  const metric = readMetric(value);
  if (metric.kind !== "percent" && metric.kind !== "number") return [];
  return metric.value < 0 || metric.value > 100 ? [] : [{ measure, percent: metric.value }];
}
