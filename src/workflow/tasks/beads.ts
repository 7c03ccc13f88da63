import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import type { Priority } from "../definition.ts";
import {
  type FoundTask,
  type FoundTaskStatus,
  broken,
  runId,
  type Progress,
  SAME,
  type TaskFileChange,
  impossible,
  vanished,
} from "./found-task.ts";
import { JsonPlaces } from "../../protocol/syntax/json-places.ts";
import { applyEdits } from "../../protocol/syntax/syntax.ts";
import { inOrder, removeField, setField, withoutMark } from "./json-records.ts";

/**
 * Reads issues of beads. `blocks` and `waits-for` define their order. A parent defines no order by itself: its children
 * inherit its dependencies, and it is done when they are. Records that are not work (messages, gates, templates) are
 * held.
 */
export function readBeads(text: string, path: string): FoundTask[] {
  return beadsLines(text).map(({ issue, line, text: written }) => {
    if (issue !== null) return readIssue(issue);
    const isMerging = /^(?:<{7}|={7}|>{7})/.test(written);
    throw broken(
      path,
      isMerging ? `has an unfinished merge in line ${line}.` : `holds no issue with an id in line ${line}.`,
      "Each line is one issue as JSON; repair the file, or export it again with bd.",
    );
  });
}

function readIssue(issue: NonNullable<BeadsLine["issue"]>): FoundTask {
  const links = linksOf(issue);
  const parent = links.find(({ type }) => type === "parent-child")?.to ?? null;
  const condition = links.find(({ type }) => type === "conditional-blocks");
  const { standing, word } = standingOf(issue);
  const isConditional = standing === "open" && condition !== undefined;
  return {
    id: runId(issue.id),
    sourceId: issue.id,
    name: typeof issue["title"] === "string" && issue["title"] !== "" ? issue["title"] : issue.id,
    priority: priorityOf(issue["priority"]),
    dependsOn: links.filter(({ type }) => ORDERING.has(type)).map(({ to }) => runId(to)),
    brief: briefOf(issue),
    standing: isConditional ? "held" : standing,
    word: isConditional ? `only if ${condition.to} fails` : word,
    parent: parent === null ? null : runId(parent),
  };
}

const ORDERING: ReadonlySet<string> = new Set(["blocks", "waits-for"]);

function linksOf(issue: JsonRecord): { readonly type: string; readonly to: string }[] {
  const list = Array.isArray(issue["dependencies"]) ? issue["dependencies"] : [];
  return list
    .filter(isRecord)
    .flatMap(({ type, depends_on_id: to }) =>
      typeof type === "string" && typeof to === "string" && to !== "" ? [{ type, to }] : [],
    );
}

function standingOf(issue: JsonRecord): { readonly standing: FoundTaskStatus; readonly word: string } {
  const status = beadsStatus(issue);
  if (status === "closed" || status === "tombstone") return { standing: "done", word: status };
  const type = typeof issue["issue_type"] === "string" ? issue["issue_type"] : "task";
  if (NO_WORK.has(type)) return { standing: "held", word: type };
  if (issue["is_template"] === true) return { standing: "held", word: "a template" };
  if (issue["pinned"] === true) return { standing: "held", word: "pinned" };
  return { standing: status === "open" || status === "in_progress" ? "open" : "held", word: status };
}

const NO_WORK: ReadonlySet<string> = new Set(["message", "molecule", "gate", "agent", "role", "convoy", "event"]);

/** 0 is the most urgent of five levels. */
function priorityOf(level: unknown): Priority {
  const names: readonly Priority[] = ["critical", "high", "medium", "low", "low"];
  return (typeof level === "number" ? names[level] : undefined) ?? "medium";
}

function briefOf(issue: JsonRecord): string {
  const part = (title: string, key: string): string[] => {
    const text = issue[key];
    if (typeof text !== "string" || text.trim() === "") return [];
    return [title === "" ? text : `${title}:\n${text}`];
  };
  return [
    ...part("", "description"),
    ...part("Design", "design"),
    ...part("Acceptance criteria", "acceptance_criteria"),
    ...part("Notes", "notes"),
  ].join("\n\n");
}

/** One line of a beads JSONL file. */
interface BeadsLine {
  readonly line: number;
  readonly start: number;
  readonly text: string;
  /** Null when the line is not a record with an id. */
  readonly issue: (JsonRecord & { readonly id: string }) | null;
}

/** All lines that are not empty, without records other than issues, such as memories and the file header. */
function beadsLines(text: string): BeadsLine[] {
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

function beadsStatus(issue: JsonRecord): string {
  return typeof issue["status"] === "string" && issue["status"] !== "" ? issue["status"] : "open";
}

const WORDS: Readonly<Record<Progress, string>> = {
  pending: "open",
  "in-progress": "in_progress",
  done: "closed",
  failed: "blocked",
  blocked: "blocked",
};

/**
 * Sets the status on the line of the issue. beads rejects a closed issue without `closed_at` and an open one with it,
 * and prefers the line with the later `updated_at`, so both fields are updated as well.
 */
export function writeBeads(text: string, id: string, progress: Progress, at: string): TaskFileChange {
  const [line, twin] = beadsLines(text).filter(({ issue }) => issue?.id === id);
  if (line === undefined) return vanished(id);
  if (twin !== undefined) return impossible(`has the issue ${id} twice now, in lines ${line.line} and ${twin.line}`);
  const word = WORDS[progress];
  const status = beadsStatus(line.issue ?? {});
  if (status === "tombstone") return impossible(`has the issue ${id} deleted`);
  if (status === word) return SAME;
  const places = new JsonPlaces(line.text);
  const edits = inOrder([
    ...setField(places, places.root, "status", word),
    ...setField(places, places.root, "updated_at", at),
  ]);
  const once = applyEdits(line.text, edits);
  return {
    kind: "changed",
    text: text.slice(0, line.start) + withClosing(once, word, at) + text.slice(line.start + line.text.length),
  };
}

/** Parses the line again, because the first edits may have added a field at the place where this one goes. */
function withClosing(line: string, word: string, at: string): string {
  const places = new JsonPlaces(line);
  const edits =
    word === "closed" ? setField(places, places.root, "closed_at", at) : removeField(places, places.root, "closed_at");
  return applyEdits(line, edits);
}
