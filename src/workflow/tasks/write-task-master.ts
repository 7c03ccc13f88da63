import { type JsonPlace, JsonPlaces } from "../../protocol/syntax/json-places.ts";
import { type SpanEdit, applyEdits } from "../../protocol/syntax/syntax.ts";
import { type JsonPath, type JsonRecord, isRecord } from "../../shared/json-value.ts";
import { inOrder, setField } from "./edit-record.ts";
import { type Progress, SAME, type Written, impossible, vanished } from "./found-task.ts";
import { withoutMark } from "./parse-document.ts";
import { idOf, statusOf, subtaskId, subtasksOf, taskList } from "./read-task-master.ts";

const WORDS: Readonly<Record<Progress, string>> = {
  pending: "pending",
  "in-progress": "in-progress",
  done: "done",
  // It has no word for a failure; a blocked task is not taken up again until somebody has looked at it.
  failed: "blocked",
  blocked: "blocked",
};

/** The status of one task, in its place; of a subtask also that of its task, as Task Master itself would set it. */
export function writeTaskMaster(text: string, id: string, tag: string, progress: Progress): Written {
  const plain = withoutMark(text);
  const document = parsed(plain);
  const found = findTask(document, tag, id);
  if (document === undefined) return impossible("is not JSON any more");
  if (found === null) return vanished(id);
  const places = new JsonPlaces(plain);
  const word = WORDS[progress];
  const edits = statusEdits(places, found.path, found.task, word);
  if (found.parent !== null) {
    const whole = wholeStatus(
      subtasksOf(found.parent.task).map((part) => (part === found.task ? word : statusOf(part))),
    );
    if (whole !== null) edits.push(...statusEdits(places, found.parent.path, found.parent.task, whole));
  }
  if (edits.length === 0) return SAME;
  const mark = text.slice(0, text.length - plain.length);
  return { kind: "changed", text: mark + applyEdits(plain, inOrder(edits)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Place {
  readonly task: JsonRecord;
  readonly path: JsonPath;
}

function findTask(document: unknown, tag: string, id: string): (Place & { readonly parent: Place | null }) | null {
  const isTagged = isRecord(document) && Object.hasOwn(document, tag) && isRecord(document[tag]);
  const above = isTagged ? [tag, "tasks"] : ["tasks"];
  for (const [index, task] of taskList(document, tag).entries()) {
    if (!isRecord(task)) continue;
    const place = { task, path: [...above, index] };
    const taskId = idOf(task) ?? "";
    if (taskId === id) return { ...place, parent: null };
    const part = findSubtask(place, taskId, id);
    if (part !== null) return { ...part, parent: place };
  }
  return null;
}

function findSubtask({ task, path }: Place, parent: string, id: string): Place | null {
  const list = Array.isArray(task["subtasks"]) ? task["subtasks"] : [];
  const index = list.findIndex((part) => isRecord(part) && subtaskId(parent, part) === id);
  const part = list[index];
  return isRecord(part) ? { task: part, path: [...path, "subtasks", index] } : null;
}

function statusEdits(places: JsonPlaces, path: JsonPath, task: JsonRecord, word: string): SpanEdit[] {
  const isSame = statusOf(task) === word || (word === "done" && statusOf(task) === "completed");
  if (isSame) return [];
  let place: JsonPlace | undefined = places.root;
  for (const step of path) place = place && places.child(place, step);
  return place === undefined ? [] : setField(places, place, "status", word);
}

/** Null leaves the task as it is. */
function wholeStatus(parts: readonly string[]): string | null {
  const isDone = (word: string): boolean => word === "done" || word === "completed";
  if (parts.every(isDone)) return "done";
  if (parts.some((word) => word === "in-progress" || isDone(word))) return "in-progress";
  return parts.every((word) => word === "pending") ? "pending" : null;
}
