import { type Infer, data } from "../protocol/shape.ts";
import type { Citation, Fact } from "./fact.ts";

export const freshnessShape = data.union(
  data.record({ is: data.oneOf(["unchanged", "changed", "gone"]) }),
  /** The same lines are in another place. */
  data.record({ is: data.literal("moved"), path: data.text(), first: data.integer() }),
);
/** Whether the text that a fact cites is still there. */
export type Freshness = Infer<typeof freshnessShape>;

export const FACT_STANDINGS = ["trusted", "changed", "gone", "contradicted", "quarantined", "retired"] as const;

/** Whether a fact is passed on now: `trusted` is, any other word says why not. */
export type FactStanding = (typeof FACT_STANDINGS)[number];

/** A trusted fact stays trusted only while the text that it cites is unchanged: stale knowledge is worse than none. */
export function factStandingOf(
  { status, opposes }: Pick<Fact, "status" | "opposes">,
  cited: Freshness | null,
): FactStanding {
  if (status !== "trusted") return status;
  if (opposes.length > 0) return "contradicted";
  return cited?.is === "changed" || cited?.is === "gone" ? cited.is : "trusted";
}

/** A longer passage is stored and recognised by its first lines. */
const MAX_CITED_LINES = 40;
/** The share of its lines that a cited file must still have to count as unchanged. */
const ENOUGH = 0.7;

/** The cited lines of a text for a fact that says this; null when the text does not have these lines. */
export function cite(
  path: string,
  lines: Citation["lines"],
  text: string,
  commit: string | null = null,
  said = "",
): Citation | null {
  const all = splitLines(text);
  if (lines === null) {
    const names = identifiersIn(said).filter((name) => hasIdentifier(text, name));
    const cited = { path, lines: null, text: meaningful(all).slice(0, MAX_CITED_LINES), commit };
    return names.length === 0 ? cited : { ...cited, names };
  }
  const { first, last } = lines;
  if (first < 1 || last < first || last > all.length) return null;
  return { path, lines, text: all.slice(first - 1, Math.min(last, first - 1 + MAX_CITED_LINES)), commit };
}

/** `text` is the file as it is now, null when it was deleted; `renamed` is its new place according to git. */
export function freshnessOf(
  citation: Citation,
  text: string | null,
  renamed: { readonly path: string; readonly text: string } | null = null,
): Freshness {
  const here = text === null ? null : findIn(citation, text);
  if (here !== null) return here.at === hereOf(citation) ? { is: "unchanged" } : moved(citation.path, here.at);
  const there = renamed === null ? null : findIn(citation, renamed.text);
  if (there !== null && renamed !== null) return moved(renamed.path, there.at);
  return text === null && renamed === null ? { is: "gone" } : { is: "changed" };
}

function moved(path: string, first: number): Freshness {
  return { is: "moved", path, first };
}

function hereOf({ lines }: Citation): number {
  return lines?.first ?? 1;
}

/** The place of the cited lines that is nearest to the old one; null when there is none. */
function findIn(citation: Citation, text: string): { readonly at: number } | null {
  const lines = splitLines(text);
  if (citation.lines === null) {
    const hasNames = (citation.names ?? []).every((name) => hasIdentifier(text, name));
    return hasNames && isSameFile(citation, lines) ? { at: 1 } : null;
  }
  const wanted = citation.text.map(trimmed);
  const first = wanted[0];
  if (first === undefined) return null;
  const places = lines.flatMap((line, at) => (trimmed(line) === first && matchesAt(lines, at, wanted) ? [at + 1] : []));
  const was = citation.lines.first;
  const [nearest] = places.sort((left, right) => Math.abs(left - was) - Math.abs(right - was));
  return nearest === undefined ? null : { at: nearest };
}

function matchesAt(lines: readonly string[], at: number, wanted: readonly string[]): boolean {
  return wanted.every((line, offset) => trimmed(lines[at + offset] ?? "\0") === line);
}

/** Files are edited all the time: a file counts as changed only when many of the cited lines are gone. */
function isSameFile({ text }: Citation, lines: readonly string[]): boolean {
  const present = new Set(lines.map(trimmed));
  const left = text.filter((line) => present.has(trimmed(line))).length;
  return text.length === 0 ? meaningful(lines).length === 0 : left / text.length >= ENOUGH;
}

const MAX_NAMES = 20;

/** What a sentence names as code does: `verifyToken`, `MAX_SIZE`, `CartItem`, `total()`, and text in backticks. */
function identifiersIn(said: string): string[] {
  const quoted = [...said.matchAll(/`([^`\s]{2,80})`/g)].map(([, name = ""]) => name.replace(/\(.*\)?$/, ""));
  const called = said.match(/[A-Za-z_$][\w$]{1,79}(?=\()/g) ?? [];
  const shaped = said
    .match(/[A-Za-z_$][\w$]{2,79}/g)
    ?.filter((word) => /[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]/.test(word));
  return [...new Set([...quoted, ...called, ...(shaped ?? [])])].filter((name) => name !== "").slice(0, MAX_NAMES);
}

function hasIdentifier(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + name.length]];
    if (!/[\w$]/.test(before) && !/[\w$]/.test(after)) return true;
  }
  return false;
}

/** Indentation does not matter. */
function trimmed(line: string): string {
  return line.trim();
}

function meaningful(lines: readonly string[]): string[] {
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line));
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
