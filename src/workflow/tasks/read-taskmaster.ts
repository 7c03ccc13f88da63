import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import { type FoundTask, priorityOf } from "./read-task-file.ts";

/**
 * Tasks of a Task Master file, `{ tag: { tasks } }` or the older `{ tasks }`. Its own commands turn ids
 * into texts now and then, so both are read; `12.3` is a subtask.
 */
export function readTaskmaster(document: unknown, tag: string): FoundTask[] {
  if (!isRecord(document)) return [];
  const tagged = document[tag];
  const list = isRecord(tagged) ? tagged["tasks"] : document["tasks"];
  return Array.isArray(list) ? list.filter(isRecord).map((task) => readTask(task)) : [];
}

const DONE: ReadonlySet<unknown> = new Set(["done", "completed", "cancelled", "deferred"]);

function readTask(task: JsonRecord): FoundTask {
  const texts = [task["description"], task["details"], task["testStrategy"]];
  const needs = Array.isArray(task["dependencies"]) ? task["dependencies"] : [];
  return {
    task: {
      id: taskId(task["id"]),
      name: typeof task["title"] === "string" ? task["title"] : taskId(task["id"]),
      priority: priorityOf(task["priority"]),
      dependsOn: needs.map(taskId),
      start: null,
      brief: texts.filter((text): text is string => typeof text === "string" && text !== "").join("\n\n"),
    },
    isDone: DONE.has(task["status"]),
  };
}

function taskId(id: unknown): string {
  return `task-${typeof id === "string" || typeof id === "number" ? id : "unknown"}`;
}
