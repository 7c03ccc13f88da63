import type { Priority, TaskDefinition } from "../definition.ts";

export interface FoundTask {
  readonly task: TaskDefinition;
  readonly isDone: boolean;
}

/** A task file of seed 003: title, metadata, what is to be done. Null when it has no title of a task. */
export function readTaskFile(text: string, name: string): FoundTask | null {
  const title = /^#\s+Task\s+([^\s:]+)\s*:\s*(.+)$/im.exec(text);
  const id = title?.[1] ?? /(task-[\w.]+)/i.exec(name)?.[1];
  if (id === undefined) return null;
  const metadata = readMetadata(text);
  const end = text.search(/^##\s+(?:Execution Log|Outcome|Handoff)\b/im);
  const brief = (end === -1 ? text : text.slice(0, end)).trim();
  return {
    task: {
      id,
      name: title?.[2]?.trim() ?? id,
      priority: priorityOf(metadata.get("priority")),
      dependsOn: idsIn(metadata.get("depends on") ?? metadata.get("dependencies") ?? ""),
      start: null,
      brief,
    },
    isDone: DONE.has((metadata.get("status") ?? "").toLowerCase()),
  };
}

const DONE: ReadonlySet<string> = new Set(["completed", "complete", "done", "skipped", "cancelled"]);

/** Rows of a table or bold lines: `| Priority | high |`, `**Priority:** high`. */
function readMetadata(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, key = "", value = ""] of text.matchAll(
    /^\|\s*\**([A-Za-z][A-Za-z ]{1,30}?)\**\s*\|\s*([^|\n]*?)\s*\|/gm,
  ))
    if (!found.has(key.toLowerCase())) found.set(key.toLowerCase(), value);
  for (const [, key = "", value = ""] of text.matchAll(/^[-*]?\s*\*\*([A-Za-z][A-Za-z ]{1,30}):?\*\*:?\s*(.*)$/gm))
    if (!found.has(key.toLowerCase())) found.set(key.toLowerCase(), value.trim());
  return found;
}

export function priorityOf(word: unknown): Priority {
  const priorities: readonly Priority[] = ["critical", "high", "medium", "low"];
  return priorities.find((priority) => priority === String(word).toLowerCase()) ?? "medium";
}

/** `task-001, task-002`, `none`, `-`. */
function idsIn(text: string): string[] {
  return text
    .split(/[,;\s]+/)
    .map((id) => id.replaceAll(/[`*[\]]/g, ""))
    .filter((id) => /\d/.test(id));
}
