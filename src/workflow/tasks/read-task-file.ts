import { type FoundTask, type Standing, priorityOf, runId } from "./found-task.ts";

/** A task file of seed 003: title, metadata, what is to be done. Null when it has no title of a task. */
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

/** Some editors begin a file with a byte order mark. */
export const TITLE = /^\uFEFF?#[ \t]+Task[ \t]+([^\s:]+)[ \t]*:[ \t]*(.+)$/im;

/** What agents write into the file comes after what they were told. */
export function headEnd(text: string): number {
  const end = text.search(/^##[ \t]+(?:Execution Log|Outcome|Handoff)\b/im);
  return end === -1 ? text.length : end;
}

const DONE: ReadonlySet<string> = new Set(["completed", "complete", "done", "skipped", "cancelled"]);

function standingOf(word: string): Standing {
  const plain = word.toLowerCase().replaceAll(/[`*_]/g, "");
  if (DONE.has(plain)) return "done";
  return plain === "blocked" ? "held" : "open";
}

export interface Cell {
  readonly start: number;
  readonly end: number;
}

/** The word itself, without the marks that make it bold or code. */
export function statusCell(head: string): Cell | null {
  const cell = findField(head, ["status"]);
  if (cell === null) return null;
  const [marks = ""] = /^[`*_]*/.exec(head.slice(cell.start, cell.end)) ?? [];
  const end = cell.end - marks.length;
  return end > cell.start + marks.length && head.slice(end, cell.end) === marks
    ? { start: cell.start + marks.length, end }
    : cell;
}

/** The value of a row `| Priority | high |`, else of a bold line `**Priority:** high`; the first of its name counts. */
function findField(head: string, names: readonly string[]): Cell | null {
  let bold: Cell | null = null;
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

/** Without the space around it; of nothing but space, the place after the first. */
function trimmed(text: string, from: number, to: number): Cell {
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
