import { createHash } from "node:crypto";
import {
  type Citation,
  type Fact,
  FACT_SEVERITIES,
  type FactKind,
  type FactSeverity,
  type FactStatus,
  printPlace,
} from "../../knowledge/fact.ts";
import { stemOf } from "../../knowledge/stem-word.ts";
import { meaningfulWords, normalTag, statementOf } from "../../knowledge/words.ts";
import type { TaughtFact } from "../../ports/knowledge-store.ts";

/** The content of a fact without its sources: the part that another statement can add to. */
export type FactText = Pick<
  Fact,
  "text" | "detail" | "severity" | "isBlocking" | "answer" | "tags" | "files" | "citation" | "unconfirmedPlace"
>;

const MAX_TAGS = 24;
const MAX_FILES = 24;

export function factTextOf({
  text,
  detail,
  severity,
  isBlocking,
  tags,
  place,
  citation,
  ownPlace,
}: TaughtFact): FactText {
  const files = [place, citation].flatMap((named) => (named === null ? [] : [named.path]));
  const named = [...new Set(files)];
  return {
    text,
    detail,
    severity,
    isBlocking,
    answer: null,
    tags: normalTags(tags),
    files: named,
    citation,
    ...(ownPlace === "unconfirmed" && place !== null && { unconfirmedPlace: printPlace(place) }),
  };
}

/** Keeps the first wording, fills missing parts, and takes the worst severity. */
export function enrich(fact: FactText, by: FactText): FactText {
  return {
    text: fact.text,
    detail: fact.detail ?? by.detail,
    severity: worst(fact.severity, by.severity),
    isBlocking: fact.isBlocking || by.isBlocking,
    // A question that is asked again blocks again until it is answered.
    answer: by.answer ?? (by.isBlocking ? null : fact.answer),
    tags: union(fact.tags, by.tags, MAX_TAGS),
    files: union(fact.files, by.files, MAX_FILES),
    citation: fact.citation ?? by.citation,
    // One statement without a wrong place is enough.
    ...(fact.unconfirmedPlace !== undefined &&
      by.unconfirmedPlace !== undefined && { unconfirmedPlace: fact.unconfirmedPlace }),
  };
}

function worst(left: FactSeverity | null, right: FactSeverity | null): FactSeverity | null {
  const rank = (severity: FactSeverity | null): number =>
    severity === null ? FACT_SEVERITIES.length : FACT_SEVERITIES.indexOf(severity);
  return rank(right) < rank(left) ? right : left;
}

function union(left: readonly string[], right: readonly string[], max: number): string[] {
  return [...new Set([...left, ...right])].slice(0, max);
}

export function normalTags(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => normalTag(tag) ?? []))].slice(0, MAX_TAGS);
}

/** Moves the citation to the new place and drops the old one. */
export function citedAt(fact: FactText, citation: Citation | null): FactText {
  const left = fact.files.filter((path) => path !== fact.citation?.path);
  const files = citation === null ? fact.files : union([citation.path], left, MAX_FILES);
  const { unconfirmedPlace: _, ...known } = fact;
  return { ...known, citation, files };
}

/** Two facts with the same key make the same statement. */
export interface StatementKey {
  readonly hash: Buffer;
  readonly isNegative: boolean;
}

export function statementKeyOf(kind: FactKind, text: string): StatementKey {
  const { core, isNegative } = statementOf(text);
  // A text without words is compared as it is.
  const known = core === "" ? text.trim() : core;
  return { hash: createHash("sha256").update(`${kind}\0${known}`).digest(), isNegative };
}

/** A mark contains a colon, which no word does. */
export const searchMark = {
  tag: (tag: string): string => `t:${tag}`,
  kind: (kind: FactKind): string => `k:${kind}`,
  status: (status: FactStatus): string => `s:${status}`,
} as const;

/** Separates the words of the fact from its tags and files. The index does not see it. */
const FILED = " / ";

/** The search tokens of a fact: words of its text and detail, of tags and files, and marks. Each has a space around it. */
export function searchTokensOf(
  kind: FactKind,
  status: FactStatus,
  { text, detail, answer, tags, files }: FactText,
): string {
  const own = new Set([text, detail ?? "", answer ?? ""].flatMap(searchWords));
  const filed = new Set([
    ...[...tags, ...files].flatMap(searchWords).filter((word) => !own.has(word)),
    ...tags.map(searchMark.tag),
    searchMark.kind(kind),
    searchMark.status(status),
  ]);
  return ` ${[...own].join(" ")}${FILED}${[...filed].join(" ")} `;
}

/** The words by which a text is found, without their endings. */
export function searchWords(text: string): string[] {
  return meaningfulWords(text).map(stemOf);
}

/** Each token once. */
export function splitTokens(tokens: string): string[] {
  return tokens
    .replace(FILED, " ")
    .split(" ")
    .filter((token) => token !== "");
}

/** Whether the fact has one of the tokens in its own words (`said`) or only in tags and files (`filed`). */
export function hasToken(tokens: string, wanted: readonly string[]): "said" | "filed" | null {
  const at = wanted.map((token) => tokens.indexOf(` ${token} `)).filter((place) => place >= 0);
  if (at.length === 0) return null;
  return Math.min(...at) < tokens.indexOf(FILED) ? "said" : "filed";
}
