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

/** Every line that is not empty. */
export function beadsLines(text: string): BeadsLine[] {
  const found: BeadsLine[] = [];
  let start = text.length - withoutMark(text).length;
  for (const [index, ended] of text.slice(start).split("\n").entries()) {
    const line = ended.replace(/\r$/, "");
    if (line.trim() !== "") found.push({ line: index + 1, start, text: line, issue: parseIssue(line) });
    start += ended.length + 1;
  }
  return found;
}

function parseIssue(line: string): BeadsLine["issue"] {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && typeof value["id"] === "string" && value["id"] !== ""
      ? { ...value, id: value["id"] }
      : null;
  } catch {
    return null;
  }
}

export function statusOf(issue: JsonRecord): string {
  return typeof issue["status"] === "string" && issue["status"] !== "" ? issue["status"] : "open";
}
