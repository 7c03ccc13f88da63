import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import { withoutMark } from "./parse-document.ts";

/** One line of a JSONL file of beads. */
export interface BeadsLine {
  readonly line: number;
  readonly start: number;
  readonly text: string;
  /** Null when the line is not a record with an id. */
  readonly issue: (JsonRecord & { readonly id: string }) | null;
}

/** Every line that is not empty, without those that beads keeps beside issues: what it remembers, and the file's head. */
export function beadsLines(text: string): BeadsLine[] {
  const found: BeadsLine[] = [];
  let start = text.length - withoutMark(text).length;
  for (const [index, ended] of text.slice(start).split("\n").entries()) {
    const line = ended.replace(/\r$/, "");
    const record = line.trim() === "" ? null : parseRecord(line);
    if (line.trim() !== "" && !isBeside(record))
      found.push({ line: index + 1, start, text: line, issue: issueOf(record) });
    start += ended.length + 1;
  }
  return found;
}

function parseRecord(line: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isBeside(record: JsonRecord | null): boolean {
  if (record === null) return false;
  if (typeof record["_type"] === "string") return record["_type"] !== "issue";
  return record["id"] === undefined && Object.keys(record).some((key) => key.startsWith("_"));
}

function issueOf(record: JsonRecord | null): BeadsLine["issue"] {
  const id = record?.["id"];
  return typeof id === "string" && id !== "" ? { ...record, id } : null;
}

export function statusOf(issue: JsonRecord): string {
  return typeof issue["status"] === "string" && issue["status"] !== "" ? issue["status"] : "open";
}
