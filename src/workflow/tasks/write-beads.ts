import { JsonPlaces } from "../../protocol/syntax/json-places.ts";
import { applyEdits } from "../../protocol/syntax/syntax.ts";
import { beadsLines, statusOf } from "./beads-lines.ts";
import { inOrder, removeField, setField } from "./edit-record.ts";
import { type Progress, SAME, type Written, impossible, vanished } from "./found-task.ts";

const WORDS: Readonly<Record<Progress, string>> = {
  pending: "open",
  "in-progress": "in_progress",
  done: "closed",
  failed: "blocked",
  blocked: "blocked",
};

/**
 * The status, on the issue's own line. beads refuses a closed issue without `closed_at` and an open one with it, and
 * takes the line with the later `updated_at` when two differ: these two go along.
 */
export function writeBeads(text: string, id: string, progress: Progress, at: string): Written {
  const [line, twin] = beadsLines(text).filter(({ issue }) => issue?.id === id);
  if (line === undefined) return vanished(id);
  if (twin !== undefined) return impossible(`has the issue ${id} twice now, in lines ${line.line} and ${twin.line}`);
  const word = WORDS[progress];
  const status = statusOf(line.issue ?? {});
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

/** A second look, because a field may have come in where this one would. */
function withClosing(line: string, word: string, at: string): string {
  const places = new JsonPlaces(line);
  const edits =
    word === "closed" ? setField(places, places.root, "closed_at", at) : removeField(places, places.root, "closed_at");
  return applyEdits(line, edits);
}
