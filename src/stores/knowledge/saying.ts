import { createHash } from "node:crypto";
import type { Citation, Fact, FactKind, FactStatus, Severity } from "../../knowledge/fact.ts";
import { normalTag, statementOf } from "../../knowledge/words.ts";
import type { Lesson } from "../../ports/knowledge-store.ts";

/** What a fact says, apart from who says it: the part that one saying can add to. */
export type Saying = Pick<
  Fact,
  "text" | "detail" | "severity" | "isBlocking" | "answer" | "tags" | "files" | "citation"
>;

const MOST_TAGS = 24;
const MOST_FILES = 24;

export function sayingOf({
  text,
  detail,
  severity,
  isBlocking,
  tags,
  place,
  citation,
}: Lesson["facts"][number]): Saying {
  const files = [place, citation].flatMap((named) => (named === null ? [] : [named.path]));
  const named = [...new Set(files)];
  return { text, detail, severity, isBlocking, answer: null, tags: normalTags(tags), files: named, citation };
}

/** The first wording stays; what was missing is filled, and the worst of all severities counts. */
export function enrich(fact: Saying, by: Saying): Saying {
  return {
    text: fact.text,
    detail: fact.detail ?? by.detail,
    severity: worst(fact.severity, by.severity),
    isBlocking: fact.isBlocking || by.isBlocking,
    // A question that is asked again stops work again, until it is answered again.
    answer: by.answer ?? (by.isBlocking ? null : fact.answer),
    tags: union(fact.tags, by.tags, MOST_TAGS),
    files: union(fact.files, by.files, MOST_FILES),
    citation: fact.citation ?? by.citation,
  };
}

const SEVERITIES: readonly Severity[] = ["low", "medium", "high", "critical"];

function worst(left: Severity | null, right: Severity | null): Severity | null {
  const rank = (severity: Severity | null): number => (severity === null ? -1 : SEVERITIES.indexOf(severity));
  return rank(right) > rank(left) ? right : left;
}

function union(left: readonly string[], right: readonly string[], most: number): string[] {
  return [...new Set([...left, ...right])].slice(0, most);
}

export function normalTags(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => normalTag(tag) ?? []))].slice(0, MOST_TAGS);
}

/** The citation follows the lines; the place where they stood is forgotten. */
export function citedAt(fact: Saying, citation: Citation | null): Saying {
  const left = fact.files.filter((path) => path !== fact.citation?.path);
  const files = citation === null ? fact.files : union([citation.path], left, MOST_FILES);
  return { ...fact, citation, files };
}

/** What a fact is known again by. */
export interface Statement {
  readonly hash: Buffer;
  readonly isNegative: boolean;
}

export function statementIn(kind: FactKind, text: string): Statement {
  const { core, isNegative } = statementOf(text);
  // A text without a word is known by its signs.
  const known = core === "" ? text.trim() : core;
  return { hash: createHash("sha256").update(`${kind}\0${known}`).digest(), isNegative };
}

/** Words hold letters and digits only, so that a mark is never taken for one. */
export const mark = {
  tag: (tag: string): string => `t:${tag}`,
  kind: (kind: FactKind): string => `k:${kind}`,
  status: (status: FactStatus): string => `s:${status}`,
} as const;

/** Stands between what a fact says itself and what it is filed under. No token: the index does not see it. */
const FILED = " / ";

/** What a fact is found by: the words of text and detail, those of tags and files, and marks. A blank around each. */
export function tokensOf(kind: FactKind, status: FactStatus, { text, detail, answer, tags, files }: Saying): string {
  const own = new Set([text, detail ?? "", answer ?? ""].flatMap(meaningfulWords));
  const filed = new Set([
    ...[...tags, ...files].flatMap(meaningfulWords).filter((word) => !own.has(word)),
    ...tags.map(mark.tag),
    mark.kind(kind),
    mark.status(status),
  ]);
  return ` ${[...own].join(" ")}${FILED}${[...filed].join(" ")} `;
}

/** Each token once. */
export function splitTokens(tokens: string): string[] {
  return tokens
    .replace(FILED, " ")
    .split(" ")
    .filter((token) => token !== "");
}

/** Whether one of the tokens is there, and whether in what the fact says itself. */
export function hasToken(tokens: string, wanted: readonly string[]): "said" | "filed" | null {
  const at = wanted.map((token) => tokens.indexOf(` ${token} `)).filter((place) => place >= 0);
  if (at.length === 0) return null;
  return Math.min(...at) < tokens.indexOf(FILED) ? "said" : "filed";
}

/** Without the words that say nothing; of a text of nothing else, all of them. */
export function meaningfulWords(text: string): string[] {
  const { core } = statementOf(text);
  return core === "" ? [] : core.split(" ");
}
