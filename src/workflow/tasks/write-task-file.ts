import { type Progress, SAME, type Written, impossible } from "./found-task.ts";
import { headEnd, readTaskFile, statusCell } from "./read-task-file.ts";

const WORDS: Readonly<Record<Progress, string>> = {
  pending: "pending",
  "in-progress": "in_progress",
  done: "completed",
  failed: "failed",
  blocked: "blocked",
};

/** The word in the Status row and nothing else. */
export function writeTaskFile(text: string, id: string, name: string, progress: Progress): Written {
  const found = readTaskFile(text, name);
  if (found?.sourceId !== id) return impossible(`is not the file of task ${id} any more`);
  const cell = statusCell(text.slice(0, headEnd(text)));
  if (cell === null) return impossible("has no Status row in its metadata");
  const word = WORDS[progress];
  if (text.slice(cell.start, cell.end).toLowerCase() === word) return SAME;
  // In an empty cell the space before the word is there already.
  const gap = cell.start === cell.end && text[cell.end] === "|" ? " " : "";
  return { kind: "changed", text: text.slice(0, cell.start) + word + gap + text.slice(cell.end) };
}
