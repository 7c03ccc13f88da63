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

export const TITLE = /^#[ \t]+Task[ \t]+([^\s:]+)[ \t]*:[ \t]*(.+)$/im;

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

export function statusCell(head: string): Cell | null {
  return findField(head, ["status"]);
}

/** The value of a row `| Priority | high |`, else of a bold line `**Priority:** high`; the first of its name counts. */
function findField(head: string, names: readonly string[]): Cell | null {
  for (const rows of [TABLE_ROW, BOLD_LINE])
    for (const row of head.matchAll(rows)) {
      const [whole, before = "", key = "", value = ""] = row;
      if (!names.includes(key.toLowerCase())) continue;
      const start = row.index + before.length;
      return whole === "" ? null : { start, end: start + value.length };
    }
  return null;
}

const TABLE_ROW = /^(\|[ \t]*\**([A-Za-z][A-Za-z ]{0,30}?)\**[ \t]*\|[ \t]*)([^|\r\n]*?)[ \t]*\|/gm;
const BOLD_LINE = /^((?:[-*][ \t]+)?\*\*([A-Za-z][A-Za-z ]{0,30}):?\*\*:?[ \t]*)([^\r\n]*?)[ \t]*$/gm;

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
