import { hash } from "node:crypto";
import type { StoredEntry } from "../ports/event-log.ts";
import type { AuditedRun } from "../ports/log-snapshot.ts";
import { type JsonRecord, type JsonValue, sortedKeys } from "../shared/json-value.ts";

/** The previous hash of the first entry, which has no entry before it. */
export const FIRST_HASH = "0".repeat(64);

/**
 * The fields of an entry that its hash covers. Data are covered by their own hash, so that they can be pruned later; the
 * position, so that the order over all runs cannot be changed.
 */
type ChainedEntry = Pick<StoredEntry, "position" | "run" | "sequence" | "at" | "kind"> & {
  readonly dataHash: string;
  /** The digest of the run after the commit (`runDigestOf`), on the last entry of each commit. */
  readonly seal: string | null;
};

/** How far a log reaches, and a hash that stands for all of it up to there. */
export interface ChainHead {
  readonly position: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainHead = { position: 0, hash: FIRST_HASH };

export function hashOfText(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * The hash of a JSON list: two different entries never give the same list. An entry without a digest gives the shorter
 * list of logs from before digests existed, so that old logs can still be verified.
 */
export function hashOfEntry(previous: string, entry: ChainedEntry): string {
  const { position, run, sequence, at, kind, dataHash, seal } = entry;
  const list = [previous, position, run, sequence, at, kind, dataHash];
  return hashOfText(JSON.stringify(seal === null ? list : [...list, seal]));
}

/** The columns of a run that surfaces show without reading its entries. */
type DigestedRun = Pick<
  AuditedRun,
  | "name"
  | "workflow"
  | "brief"
  | "createdAt"
  | "status"
  | "finished"
  | "updatedAt"
  | "sequence"
  | "wakeAt"
  | "summary"
  | "effects"
>;

/** Stored in the last entry of a commit, and so covered by the chain: an edited row no longer matches its digest. */
export function runDigestOf(run: DigestedRun): string {
  const { name, workflow, brief, createdAt, status, finished, updatedAt, sequence, wakeAt, summary } = run;
  const effects = run.effects.map(({ number, key, kind, data }) => [number, key, kind, data]);
  return hashOfText(
    JSON.stringify([name, workflow, brief, createdAt, status, finished, updatedAt, sequence, wakeAt, summary, effects]),
  );
}

/**
 * For a run without entries. Anybody can compute it, so it shows damage and careless edits, not forgery. A digest
 * covers the same columns from the first commit on. The same is true of `messageChecksum`.
 */
export function runChecksum(run: Pick<AuditedRun, "run" | "name" | "workflow" | "brief" | "createdAt">): string {
  return hashOfText(JSON.stringify([run.run, run.name, run.workflow, run.brief, run.createdAt]));
}

/** Covers the number, because inbox messages are taken in that order. */
export function messageChecksum(number: number, run: string, id: string, input: string | null): string {
  return hashOfText(JSON.stringify([number, run, id, input]));
}

/** Replaces the hash of a pruned text. It is fixed by the number, so that the row cannot carry anything else. */
export function hashOfPrunedText(number: number): string {
  return number.toString(16).padStart(16, "0");
}

/** One text per value: keys sorted by code unit, no whitespace, absent keys left out. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  return Array.isArray(value) ? canonicalList(value) : canonicalRecord(value);
}

function canonicalList(list: readonly JsonValue[]): string {
  let items = "";
  for (let at = 0; at < list.length; at++) items += at === 0 ? canonicalJson(list[at]) : `,${canonicalJson(list[at])}`;
  return `[${items}]`;
}

function canonicalRecord(record: JsonRecord): string {
  let fields = "";
  for (const key of sortedKeys(record)) {
    const value = record[key];
    if (value !== undefined) fields += `${fields === "" ? "" : ","}${quote(key)}:${canonicalJson(value)}`;
  }
  return `{${fields}}`;
}

/** The same text as JSON.stringify gives, faster for short texts without anything to escape. */
function quote(text: string): string {
  return text.length < SHORT && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const SHORT = 200;
const PLAIN = /^[ !#-[\]-~]*$/;
