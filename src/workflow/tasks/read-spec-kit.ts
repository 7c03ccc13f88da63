import { type FoundTask, MOST_TASKS, broken } from "./found-task.ts";
import { type TaskLine, taskLines } from "./spec-kit-lines.ts";

/**
 * Tasks of a Spec Kit tasks.md. Tasks of a phase go in order; neighbours that are both marked `[P]` below one title go
 * together. Phases go in order too, but user stories wait only for what stands before the first of them, as Spec Kit
 * has it, and what comes after the stories waits for all of them.
 */
export function readSpecKit(text: string, path: string): FoundTask[] {
  const lines = taskLines(text);
  if (lines.length > MOST_TASKS) throw broken(path, `has ${lines.length} tasks.`, `Up to ${MOST_TASKS} are read.`);
  refuseTwins(lines, path);
  const known = new Set(lines.map(({ id }) => id));
  const needs = orderOf(lines);
  return lines.map((line) => ({
    id: line.id,
    sourceId: line.id,
    name: line.text === "" ? line.id : cutName(line.text),
    priority: "medium",
    dependsOn: [...new Set([...(needs.get(line.id) ?? []), ...namedNeeds(line, known)])],
    brief: [line.text, ...line.notes, ...placeOf(line)].join("\n"),
    standing: line.isDone ? "done" : "open",
    word: line.isDone ? "[X]" : "[ ]",
    parent: null,
  }));
}

function refuseTwins(lines: readonly TaskLine[], path: string): void {
  const first = new Map<string, number>();
  for (const { id, line } of lines) {
    const other = first.get(id);
    if (other !== undefined)
      throw broken(
        path,
        `has the task ${id} twice, in lines ${other} and ${line}.`,
        "Give one of them another number.",
      );
    first.set(id, line);
  }
}

function cutName(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function placeOf({ phase, section }: TaskLine): string[] {
  return [phase, section].some((title) => title !== "")
    ? ["", `Stands in tasks.md under: ${[phase, section].filter((title) => title !== "").join(", ")}`]
    : [];
}

/** `(depends on T012, T013)`, as far as there are such tasks. */
function namedNeeds({ id, text }: TaskLine, known: ReadonlySet<string>): string[] {
  const named = [...text.matchAll(/\bdepends on\b([^).;]*)/gi)].flatMap(
    ([, list = ""]) => list.match(/\bT\d{1,6}[A-Za-z]?\b/g) ?? [],
  );
  return named.filter((need) => need !== id && known.has(need));
}

/** What each task waits for: the last ones before it, which wait for those before them. */
function orderOf(lines: readonly TaskLine[]): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, readonly string[]>();
  /** Whom a story waits for, and where each story so far ends. */
  let shared: readonly string[] = [];
  let stories: (readonly string[])[] = [];
  for (const phase of phasesOf(lines)) {
    const isStory = /\buser stor(?:y|ies)\b/i.test(phase[0]?.phase ?? "");
    let before = isStory || stories.length === 0 ? shared : stories.flat();
    for (const group of groupsOf(phase)) {
      for (const { id } of group) needs.set(id, before);
      before = group.map(({ id }) => id);
    }
    if (isStory) stories.push(before);
    else {
      shared = before;
      stories = [];
    }
  }
  return needs;
}

function phasesOf(lines: readonly TaskLine[]): TaskLine[][] {
  return chunks(lines, (line, last) => line.phase === last.phase);
}

function groupsOf(phase: readonly TaskLine[]): TaskLine[][] {
  return chunks(phase, (line, last) => line.isParallel && last.isParallel && line.section === last.section);
}

function chunks(lines: readonly TaskLine[], belongs: (line: TaskLine, last: TaskLine) => boolean): TaskLine[][] {
  const found: TaskLine[][] = [];
  for (const line of lines) {
    const chunk = found.at(-1);
    const last = chunk?.at(-1);
    if (chunk !== undefined && last !== undefined && belongs(line, last)) chunk.push(line);
    else found.push([line]);
  }
  return found;
}
