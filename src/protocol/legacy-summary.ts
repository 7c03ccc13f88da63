import { isForbidden } from "./limits.ts";
import type { HandoffContent, Outcome } from "./handoff.ts";
import type { JsonPath, JsonRecord } from "../shared/json-value.ts";
import type { Heading, MarkdownOutline } from "./syntax/markdown-outline.ts";
import { scanMarkdown } from "./syntax/markdown-blocks.ts";
import type { Span } from "./syntax/syntax.ts";

const VERDICT = /\b(COMPLETE|FAILED|BLOCKED)\b[^A-Za-z]*(?:\([^)]{0,60}\)\s*)?$/;
const MAX_HEADING = 300;
const NEXT_AGENT = /^[ \t>*_-]*Next Agent[*_]{0,3}:[*_]{0,3}[ \t]*(.*)$/im;

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  COMPLETE: "done",
  FAILED: "failed",
  BLOCKED: "blocked",
};

/**
 * Ruling 15: a summary without YAML counts when a heading ends in its verdict, or it names the next agent. Among
 * files that nobody named it has to do both: headings of plans end so, too.
 */
export function isLegacySummary(text: string, outline: MarkdownOutline, isScan: boolean): boolean {
  const hasVerdict = outline.headings.some((heading) => verdictOf(heading) !== undefined);
  if (hasVerdict !== isScan) return hasVerdict;
  return NEXT_AGENT.test(withoutCode(text, outline));
}

/** With blanks in the place of code in fences, which is no part of what the summary says. */
function withoutCode(text: string, { fences }: MarkdownOutline): string {
  if (fences.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of fences) {
    parts.push(text.slice(at, start), " ".repeat(Math.max(0, end - Math.max(at, start))));
    at = Math.max(at, end);
  }
  return `${parts.join("")}${text.slice(at)}`;
}

/** What can be read without guessing: verdict, counts, next agent. A summary without a verdict is only pending. */
export function liftLegacySummary(text: string): HandoffContent {
  const outline = scanMarkdown(text);
  const heading = outline.headings.findLast((candidate) => verdictOf(candidate) !== undefined);
  const word = heading && verdictOf(heading);
  const summary = withoutCode(text, outline);
  const next = NEXT_AGENT.exec(summary)?.[1];
  const metrics = readMetrics(summary);
  return {
    outcome: OUTCOMES[word ?? ""] ?? "pending",
    ...(word !== undefined && { status: word }),
    ...(heading !== undefined && { summary: heading.text }),
    ...(next !== undefined && { to: readAgent(next) }),
    ...(Object.keys(metrics).length > 0 && { metrics }),
  };
}

function verdictOf(heading: Heading): string | undefined {
  return heading.text.length > MAX_HEADING ? undefined : VERDICT.exec(heading.text)?.[1];
}

function readAgent(text: string): string | null {
  const name = /@?([A-Za-z][\w.:-]*)/.exec(text)?.[1];
  return name === undefined || /^none$/i.test(name) ? null : name;
}

function readMetrics(text: string): JsonRecord {
  const metrics: JsonRecord = {};
  for (const { name, value } of metricLines(text)) metrics[name] = value;
  return metrics;
}

interface MetricLine extends Span {
  readonly name: string;
  readonly value: string;
}

/** Lines such as `Tests passed: 25/25`, kept as they are written. */
function* metricLines(text: string): Iterable<MetricLine> {
  for (const found of text.matchAll(/^[^\w\n]{0,12}([A-Za-z][A-Za-z ]{2,40}):[*_ \t]+(\d[^\n]{0,40}?)[ \t]*$/gm)) {
    const [line, label = "", value = ""] = found;
    const name = label.trim().toLowerCase().replaceAll(/\s+/g, "_");
    const end = found.index + line.trimEnd().length;
    if (!isForbidden(name)) yield { name, value, start: end - value.length, end };
  }
}

/** Where the text says a metric; its beginning for everything else. */
export function locateLegacySummary(text: string): (path: JsonPath) => Span {
  // The last line of a name counts, as in `readMetrics`.
  const metrics = new Map([...metricLines(withoutCode(text, scanMarkdown(text)))].map((line) => [line.name, line]));
  return ([key, name]) => (key === "metrics" && metrics.get(String(name))) || { start: 0, end: 0 };
}
