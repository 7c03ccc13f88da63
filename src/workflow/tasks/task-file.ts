import {
  type FoundTask,
  type FoundTaskStatus,
  priorityOf,
  runId,
  type Progress,
  SAME,
  type TaskFileChange,
  impossible,
} from "./found-task.ts";

/** Reads a task file of seed 003: title, metadata, description. Null when it has no title of a task. */
export function readTaskFile(text: string, name: string): FoundTask | null {
  const title = TITLE.exec(text);
  const id = title?.[1] ?? /(task-[\w.]+?)(?:\.md)?$/i.exec(name)?.[1];
  if (id === undefined) return null;
  const head = text.slice(0, headEnd(text));
  const status = statusCell(head);
  const word = status === null ? "" : head.slice(status.start, status.end);
  const priority = findField(head, ["priority"]);
  return {
    id: runId(id),
    sourceId: id,
    name: title?.[2]?.trim() ?? id,
    priority: priorityOf(priority === null ? undefined : head.slice(priority.start, priority.end)),
    dependsOn: idsIn(head),
    brief: head.trim(),
    standing: standingOf(word),
    word,
    parent: null,
  };
}

/** Allows a byte order mark, which some editors write. */
export const TITLE = /^\uFEFF?#[ \t]+Task[ \t]+([^\s:]+)[ \t]*:[ \t]*(.+)$/im;

/** The end of the description, before the sections that agents write. */
function headEnd(text: string): number {
  const end = text.search(/^##[ \t]+(?:Execution Log|Outcome|Handoff)\b/im);
  return end === -1 ? text.length : end;
}

const DONE: ReadonlySet<string> = new Set(["completed", "complete", "done", "skipped", "cancelled"]);

function standingOf(word: string): FoundTaskStatus {
  const plain = word.toLowerCase().replaceAll(/[`*_]/g, "");
  if (DONE.has(plain)) return "done";
  return plain === "blocked" ? "held" : "open";
}

interface StatusCell {
  readonly start: number;
  readonly end: number;
}

/** The status word without bold or code marks. */
function statusCell(head: string): StatusCell | null {
  const cell = findField(head, ["status"]);
  if (cell === null) return null;
  const [marks = ""] = /^[`*_]*/.exec(head.slice(cell.start, cell.end)) ?? [];
  const end = cell.end - marks.length;
  return end > cell.start + marks.length && head.slice(end, cell.end) === marks
    ? { start: cell.start + marks.length, end }
    : cell;
}

/** The value of a row `| Priority | high |`, or else of a bold line `**Priority:** high`. The first match is used. */
function findField(head: string, names: readonly string[]): StatusCell | null {
  let bold: StatusCell | null = null;
  let start = 0;
  for (const line of head.split("\n")) {
    const row = rowIn(line);
    if (row !== null && names.includes(row.key)) return trimmed(head, start + row.from, start + row.to);
    const [marked = "", key = ""] = BOLD_KEY.exec(line) ?? [];
    if (bold === null && names.includes(key.toLowerCase()))
      bold = trimmed(head, start + marked.length, start + line.length);
    start += line.length + 1;
  }
  return bold;
}

const BOLD_KEY = /^(?:[-*][ \t]+)?\*\*([A-Za-z][A-Za-z ]{0,30}):?\*\*:?/;

/** The first two cells of a row. */
function rowIn(line: string): { readonly key: string; readonly from: number; readonly to: number } | null {
  const second = line.startsWith("|") ? line.indexOf("|", 1) : -1;
  const third = second === -1 ? -1 : line.indexOf("|", second + 1);
  if (third === -1) return null;
  const key = line.slice(1, second).replaceAll("*", "").trim().toLowerCase();
  return { key, from: second + 1, to: third };
}

/** The range without surrounding spaces; for blank text, the position after the first space. */
function trimmed(text: string, from: number, to: number): StatusCell {
  const content = text.slice(from, to);
  const start = content.trim() === "" ? from + Math.min(1, content.length) : from + content.indexOf(content.trim());
  return { start, end: start + content.trim().length };
}

/** `task-001, task-002`, `none`, `-`. */
function idsIn(head: string): string[] {
  const cell = findField(head, ["depends on", "dependencies"]);
  if (cell === null) return [];
  return head
    .slice(cell.start, cell.end)
    .split(/[,;\s]+/)
    .map((id) => id.replaceAll(/[`*[\]]/g, ""))
    .filter((id) => /\d/.test(id))
    .map(runId);
}

const WORDS: Readonly<Record<Progress, string>> = {
  pending: "pending",
  "in-progress": "in_progress",
  done: "completed",
  failed: "failed",
  blocked: "blocked",
};

/** Replaces only the word in the Status row. */
export function writeTaskFile(text: string, id: string, name: string, progress: Progress): TaskFileChange {
  const found = readTaskFile(text, name);
  if (found?.sourceId !== id) return impossible(`is not the file of task ${id} any more`);
  const cell = statusCell(text.slice(0, headEnd(text)));
  if (cell === null) return impossible("has no Status row in its metadata");
  const word = WORDS[progress];
  if (text.slice(cell.start, cell.end).toLowerCase() === word) return SAME;
  // An empty cell already has a space before the word.
  const gap = cell.start === cell.end && text[cell.end] === "|" ? " " : "";
  return { kind: "changed", text: text.slice(0, cell.start) + word + gap + text.slice(cell.end) };
}
