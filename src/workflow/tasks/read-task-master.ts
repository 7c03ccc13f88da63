import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import { type FoundTask, type Standing, broken, priorityOf } from "./found-task.ts";
import { parseDocument } from "./parse-document.ts";

/**
 * Tasks of Task Master, `{ tag: { tasks } }` or the older `{ tasks }`. Its own commands turn ids into texts now and
 * then, so both are read. `15.3` is a subtask: it waits for what its task waits for, and a task with subtasks is the
 * sum of them. A wanted tag must be there; else the current one counts, then `master`, then the only one.
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
  /** What the operator asked for. */
  readonly wanted: string | null;
  /** What Task Master's own commands work on. */
  readonly current: string | null;
}

/** The tags of a document; the older shape has one, `master`. Null when it is no file of Task Master. */
export function tagsOf(document: unknown): string[] | null {
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
  const tags = tagsOf(document);
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

/** The tasks of a tag as they stand, of either shape. */
export function taskList(document: unknown, tag: string): readonly unknown[] {
  if (!isRecord(document)) return [];
  const tagged = Object.hasOwn(document, tag) ? document[tag] : undefined;
  const list = isRecord(tagged) ? tagged["tasks"] : tag === OLD_TAG ? document["tasks"] : [];
  return Array.isArray(list) ? list : [];
}

/** Its id as text; null when there is none. */
export function idOf(task: JsonRecord): string | null {
  const { id } = task;
  if (typeof id === "number" && Number.isFinite(id)) return String(id);
  return typeof id === "string" && /^[\w.-]{1,50}$/.test(id) ? id : null;
}

/** `3` and `"3"` in task 15 are both `15.3`, and so is `"15.3"`. */
export function subtaskId(parent: string, subtask: JsonRecord): string | null {
  const id = idOf(subtask);
  return id === null || id.startsWith(`${parent}.`) ? id : `${parent}.${id}`;
}

export function subtasksOf(task: JsonRecord): JsonRecord[] {
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
  const word = statusOf(task);
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

/** As seed 002 writes it: `task-12`, `task-15.3`. */
function runIdOf(id: string): string {
  return id.startsWith("task-") ? id : `task-${id}`;
}

export function statusOf(task: JsonRecord): string {
  return typeof task["status"] === "string" && task["status"] !== "" ? task["status"] : "pending";
}

/** `review`, `deferred` and `blocked` are for a person; its own `next` passes them over too. */
const STANDINGS: ReadonlyMap<string, Standing> = new Map<string, Standing>([
  ["pending", "open"],
  ["in-progress", "open"],
  ["done", "done"],
  ["completed", "done"],
  ["cancelled", "done"],
]);
