import { type JsonRecord, isRecord, type JsonPath } from "../../shared/json-value.ts";
import {
  type FoundTask,
  type FoundTaskStatus,
  broken,
  priorityOf,
  type Progress,
  SAME,
  type TaskFileChange,
  impossible,
  vanished,
} from "./found-task.ts";
import { type JsonPlace, JsonPlaces } from "../../protocol/syntax/json-places.ts";
import { type SpanEdit, applyEdits } from "../../protocol/syntax/syntax.ts";
import { inOrder, setField, parseDocument, withoutMark } from "./json-records.ts";

/**
 * Reads tasks of Task Master, `{ tag: { tasks } }` or the older `{ tasks }`. Task Master sometimes converts ids to
 * strings, so both forms are accepted. `15.3` is a subtask: it inherits the dependencies of its task, and a task with
 * subtasks is represented by them. A requested tag must exist; otherwise the current tag is used, then `master`, then
 * the only tag.
 */
export function readTaskMaster(text: string, path: string, wanted: TagChoice): { tag: string; tasks: FoundTask[] } {
  const document = parseDocument(text, path);
  const tag = chooseTag(document, path, wanted);
  const list = taskList(document, tag).map((item, index) => {
    if (isRecord(item) && idOf(item) !== null) return item;
    throw broken(path, `has no id in task ${index + 1} of the tag ${tag}.`, "Give it one, or remove the task.");
  });
  return { tag, tasks: list.flatMap((task) => readWithSubtasks(task, path)) };
}

export interface TagChoice {
  /** The tag that the operator requested. */
  readonly wanted: string | null;
  /** The tag that Task Master's own commands use. */
  readonly current: string | null;
}

/** The tags of a document; the older format has one, `master`. Null when it is not a Task Master file. */
function taskMasterTags(document: unknown): string[] | null {
  if (!isRecord(document)) return null;
  const tags = Object.keys(document).filter((key) => {
    const value = document[key];
    return isRecord(value) && Array.isArray(value["tasks"]);
  });
  if (tags.length > 0) return tags;
  return Array.isArray(document["tasks"]) ? [OLD_TAG] : null;
}

const OLD_TAG = "master";

function chooseTag(document: unknown, path: string, { wanted, current }: TagChoice): string {
  const tags = taskMasterTags(document);
  if (tags === null)
    throw broken(
      path,
      "is not a tasks.json of Task Master: it has neither tags with `tasks` nor a list `tasks`.",
      "Name .taskmaster/tasks/tasks.json.",
    );
  refuseBothShapes(document, tags, path);
  const only = tags.length === 1 ? (tags[0] ?? null) : null;
  const chosen = wanted ?? [current, OLD_TAG, only].find((tag) => tag !== null && tags.includes(tag)) ?? null;
  if (chosen !== null && tags.includes(chosen)) return chosen;
  const why = chosen === null ? "has several tags and none is the current one:" : `has no tag ${chosen}; its tags are`;
  throw broken(path, `${why} ${tags.join(", ")}.`, "Choose one with --tag.");
}

function refuseBothShapes(document: unknown, tags: readonly string[], path: string): void {
  if (!isRecord(document) || !Array.isArray(document["tasks"])) return;
  const isOld = tags.length === 1 && !isRecord(document[OLD_TAG]) && tags[0] === OLD_TAG;
  if (isOld) return;
  throw broken(
    path,
    `has a list \`tasks\` beside the tags ${tags.join(", ")}: it is not clear which one counts.`,
    "Move the tasks into one of the tags.",
  );
}

/** The tasks of a tag, in either format. */
function taskList(document: unknown, tag: string): readonly unknown[] {
  if (!isRecord(document)) return [];
  const tagged = Object.hasOwn(document, tag) ? document[tag] : undefined;
  const list = isRecord(tagged) ? tagged["tasks"] : tag === OLD_TAG ? document["tasks"] : [];
  return Array.isArray(list) ? list : [];
}

/** The id as a string; null when there is none. */
function idOf(task: JsonRecord): string | null {
  const { id } = task;
  if (typeof id === "number" && Number.isFinite(id)) return String(id);
  return typeof id === "string" && /^[\w.-]{1,50}$/.test(id) ? id : null;
}

/** In task 15, `3`, `"3"` and `"15.3"` all mean `15.3`. */
function subtaskId(parent: string, subtask: JsonRecord): string | null {
  const id = idOf(subtask);
  return id === null || id.startsWith(`${parent}.`) ? id : `${parent}.${id}`;
}

function subtasksOf(task: JsonRecord): JsonRecord[] {
  const { subtasks } = task;
  return Array.isArray(subtasks) ? subtasks.filter(isRecord) : [];
}

function readWithSubtasks(task: JsonRecord, path: string): FoundTask[] {
  const id = idOf(task) ?? "";
  const whole = readTask(task, id, null, needsOf(task));
  const subtasks = subtasksOf(task);
  const ids = subtasks.map((subtask) => subtaskId(id, subtask));
  if (ids.includes(null))
    throw broken(path, `has no id in subtask ${ids.indexOf(null) + 1} of task ${id}.`, "Give it one, or remove it.");
  const siblings = new Set(ids);
  const parts = subtasks.map((subtask, index) => {
    const needs = needsOf(subtask).map((need) => (siblings.has(`${id}.${need}`) ? `${id}.${need}` : need));
    const part = readTask(subtask, ids[index] ?? "", whole, needs);
    return { ...part, brief: [part.brief, `Part of ${id}, ${whole.name}:`, whole.brief].join("\n\n").trim() };
  });
  return [whole, ...parts];
}

function needsOf(task: JsonRecord): string[] {
  const { dependencies } = task;
  return (Array.isArray(dependencies) ? dependencies : []).flatMap((need) =>
    typeof need === "number" || typeof need === "string" ? [String(need)] : [],
  );
}

function readTask(task: JsonRecord, id: string, parent: FoundTask | null, needs: readonly string[]): FoundTask {
  const texts = [task["description"], task["details"], task["testStrategy"]];
  const word = taskMasterStatus(task);
  return {
    id: runIdOf(id),
    sourceId: id,
    name: typeof task["title"] === "string" && task["title"] !== "" ? task["title"] : runIdOf(id),
    priority: task["priority"] === undefined && parent !== null ? parent.priority : priorityOf(task["priority"]),
    dependsOn: needs.map(runIdOf),
    brief: texts.filter((text): text is string => typeof text === "string" && text !== "").join("\n\n"),
    standing: STANDINGS.get(word) ?? "held",
    word,
    parent: parent?.id ?? null,
  };
}

/** In the notation of seed 002: `task-12`, `task-15.3`. */
function runIdOf(id: string): string {
  return id.startsWith("task-") ? id : `task-${id}`;
}

function taskMasterStatus(task: JsonRecord): string {
  return typeof task["status"] === "string" && task["status"] !== "" ? task["status"] : "pending";
}

/** `review`, `deferred` and `blocked` wait for a person; Task Master's own `next` skips them as well. */
const STANDINGS: ReadonlyMap<string, FoundTaskStatus> = new Map<string, FoundTaskStatus>([
  ["pending", "open"],
  ["in-progress", "open"],
  ["done", "done"],
  ["completed", "done"],
  ["cancelled", "done"],
]);

const WORDS: Readonly<Record<Progress, string>> = {
  pending: "pending",
  "in-progress": "in-progress",
  done: "done",
  // Task Master has no word for a failure. A blocked task is not started again until a person has looked at it.
  failed: "blocked",
  blocked: "blocked",
};

/** Sets the status of a task in place. For a subtask it also sets the status of its task, as Task Master does. */
export function writeTaskMaster(text: string, id: string, tag: string, progress: Progress): TaskFileChange {
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
      subtasksOf(found.parent.task).map((part) => (part === found.task ? word : taskMasterStatus(part))),
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
  const isSame = taskMasterStatus(task) === word || (word === "done" && taskMasterStatus(task) === "completed");
  if (isSame) return [];
  let place: JsonPlace | undefined = places.root;
  for (const step of path) place = place && places.child(place, step);
  return place === undefined ? [] : setField(places, place, "status", word);
}

/** Status of a task from its subtasks; null leaves it unchanged. */
function wholeStatus(parts: readonly string[]): string | null {
  const isDone = (word: string): boolean => word === "done" || word === "completed";
  if (parts.every(isDone)) return "done";
  if (parts.some((word) => word === "in-progress" || isDone(word))) return "in-progress";
  return parts.every((word) => word === "pending") ? "pending" : null;
}
