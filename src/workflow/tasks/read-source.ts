import { type FoundFile, broken } from "./found-task.ts";
import { readBeads } from "./read-beads.ts";
import { readSpecKit } from "./read-spec-kit.ts";
import { TITLE, readTaskFile } from "./read-task-file.ts";
import { type TagChoice, readTaskMaster } from "./read-task-master.ts";
import { taskLines } from "./spec-kit-lines.ts";

/** The tasks of a file of any of the four formats, told apart by name and content; null when it holds none. */
export function readSource(text: string, path: string, tags: TagChoice): FoundFile | null {
  if (/\.json$/i.test(path)) {
    const { tag, tasks } = readTaskMaster(text, path, tags);
    return { format: "task-master", path, tag, tasks };
  }
  if (/\.jsonl$/i.test(path)) return { format: "beads", path, tag: null, tasks: readBeads(text, path) };
  if (/\.(?:md|markdown|txt)$/i.test(path)) return readMarkdown(text, path);
  throw broken(
    path,
    "is of no kind that tasks are read from.",
    "Name Markdown task files, a Spec Kit tasks.md, a Task Master tasks.json or a beads issues.jsonl.",
  );
}

function readMarkdown(text: string, path: string): FoundFile | null {
  const name = path.split("/").at(-1) ?? path;
  const hasTitle = TITLE.test(text);
  const isList = taskLines(text).length > 0;
  if (hasTitle && isList)
    throw broken(
      path,
      "is both a task file (# Task ID: Name) and a Spec Kit list (- [ ] T001 ...).",
      "Take one of them out: which one counts must not be left to chance.",
    );
  if (isList) return { format: "spec-kit", path, tag: null, tasks: readSpecKit(text, path) };
  const task = readTaskFile(text, name);
  return task === null ? null : { format: "task-file", path, tag: null, tasks: [task] };
}
