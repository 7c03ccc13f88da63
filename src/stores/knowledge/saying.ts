import { createHash } from "node:crypto";
import type { Citation, Fact, FactKind, FactStatus, Severity } from "../../knowledge/fact.ts";
import { normalTag, statementOf } from "../../knowledge/words.ts";
import type { Lesson } from "../../ports/knowledge-store.ts";

/** What a fact says, apart from who says it: the part that one saying can add to. */
export type Saying = Pick<Fact, "text" | "detail" | "severity" | "isBlocking" | "tags" | "files" | "citation">;

const MOST_TAGS = 24;
const MOST_FILES = 24;

export function sayingOf({ text, detail, severity, isBlocking, tags, place, citation }: Lesson["facts"][number]): Saying {
  const files = [place, citation].flatMap((named) => (named === null ? [] : [named.path]));
  return { text, detail, severity, isBlocking, tags: normalTags(tags), files: [...new Set(files)], citation };
}

/** The first wording stays; what was missing is filled, and the worst of all severities counts. */
export function enrich(fact: Saying, by: Saying): Saying {
  return {
    text: fact.text,
    detail: fact.detail ?? by.detail,
    severity: worst(fact.severity, by.severity),
    isBlocking: fact.isBlocking || by.isBlocking,
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

/** What a fact is found by: the words of text, detail, tags and files, and marks. Each once, a blank around each. */
export function tokensOf(kind: FactKind, status: FactStatus, { text, detail, tags, files }: Saying): string {
  const words = [text, detail ?? "", ...tags, ...files].flatMap(meaningfulWords);
  const tokens = new Set([...words, ...tags.map(mark.tag), mark.kind(kind), mark.status(status)]);
  return ` ${[...tokens].join(" ")} `;
}

/** Without the words that say nothing; of a text of nothing else, all of them. */
export function meaningfulWords(text: string): string[] {
  const { core } = statementOf(text);
  return core === "" ? [] : core.split(" ");
}
