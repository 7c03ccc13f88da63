import {
  type FoundTask,
  MAX_TASKS,
  broken,
  type Progress,
  SAME,
  type TaskFileChange,
  impossible,
  vanished,
} from "./found-task.ts";

/**
 * Reads the tasks of a Spec Kit tasks.md. Tasks of a phase run in order; adjacent tasks under one heading that are both
 * marked `[P]` run in parallel. Phases run in order as well, but as Spec Kit defines it, user stories wait only for the
 * phases before the first story, and the phases after the stories wait for all of them.
 */
export function readSpecKit(text: string, path: string): FoundTask[] {
  const lines = taskLines(text);
  if (lines.length > MAX_TASKS) throw broken(path, `has ${lines.length} tasks.`, `Up to ${MAX_TASKS} are read.`);
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

/** `(depends on T012, T013)`; ids without a task are ignored. */
function namedNeeds({ id, text }: TaskLine, known: ReadonlySet<string>): string[] {
  const named = [...text.matchAll(/\bdepends on\b([^).;]*)/gi)].flatMap(
    ([, list = ""]) => list.match(/\bT\d{1,6}[A-Za-z]?\b/g) ?? [],
  );
  return named.filter((need) => need !== id && known.has(need));
}

/** The direct predecessors of each task. */
function orderOf(lines: readonly TaskLine[]): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, readonly string[]>();
  /** The tasks that a story waits for, and the last tasks of each story so far. */
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

/** A task line of a Spec Kit tasks.md: `- [ ] T001 [P] [US1] Description`. */
interface TaskLine {
  readonly id: string;
  readonly isDone: boolean;
  readonly isParallel: boolean;
  readonly text: string;
  /** Indented lines below the task. */
  readonly notes: readonly string[];
  /** Line number from 1, and the offset of the mark between the brackets. */
  readonly line: number;
  readonly markAt: number;
  /** The heading of level 2 and the deeper heading above the task. */
  readonly phase: string;
  readonly section: string;
}

const TASK = /^( {0,3}[-*+][ \t]+\[)([ xX])\][ \t]+\**(T\d{1,6}[A-Za-z]?)\**:?(?=\s|$)[ \t]*(.*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The tasks of the text in order. Lines in code blocks and comments are ignored. */
export function taskLines(text: string): TaskLine[] {
  const found: (TaskLine & { notes: string[] })[] = [];
  const reading = { fence: "", isComment: false, phase: "", section: "" };
  let at = 0;
  for (const [index, ended] of text.split("\n").entries()) {
    const line = ended.replace(/\r$/, "");
    const task = isPlain(line, reading) ? TASK.exec(line) : null;
    if (task === null) addNote(found.at(-1), line);
    else {
      const [, before = "", mark = "", id = "", rest = ""] = task;
      const markers = /^(?:\[[^\]]*\][ \t]*)*/.exec(rest)?.[0] ?? "";
      found.push({
        id,
        isDone: mark !== " ",
        isParallel: /\[P\]/i.test(markers),
        text: rest.slice(markers.length).trim() || rest.trim(),
        notes: [],
        line: index + 1,
        markAt: at + before.length,
        phase: reading.phase,
        section: reading.section,
      });
    }
    at += ended.length + 1;
  }
  return found;
}

interface Reading {
  /** The open code fence; empty outside of code blocks. */
  fence: string;
  isComment: boolean;
  phase: string;
  section: string;
}

/** Whether the line is outside of code and comments. Keeps track of fences, comments and headings. */
function isPlain(line: string, reading: Reading): boolean {
  if (isCode(line, reading) || isComment(line, reading)) return false;
  const heading = HEADING.exec(line);
  if (heading !== null) enterSection(reading, heading[1] ?? "", (heading[2] ?? "").trimEnd());
  return true;
}

function isCode(line: string, reading: Reading): boolean {
  if (reading.isComment) return false;
  const fence = FENCE.exec(line)?.[1] ?? "";
  if (reading.fence === "") reading.fence = fence;
  else if (fence.startsWith(reading.fence) && line.trim() === fence) reading.fence = "";
  else return true;
  return fence !== "";
}

/** A line counts as a comment only if the comment began on an earlier line. */
function isComment(line: string, reading: Reading): boolean {
  const wasComment = reading.isComment;
  const [opened, closed] = [line.lastIndexOf("<!--"), line.lastIndexOf("-->")];
  if (opened !== closed) reading.isComment = opened > closed;
  return wasComment;
}

function enterSection(reading: Reading, marks: string, title: string): void {
  if (marks.length <= 2) reading.phase = title;
  reading.section = marks.length <= 2 ? "" : title;
}

function addNote(task: { readonly notes: string[] } | undefined, line: string): void {
  if (task !== undefined && /^\s{2,}\S/.test(line)) task.notes.push(line.trim());
}

/** Sets the mark between the brackets. A checkbox distinguishes only done and not done. */
export function writeSpecKit(text: string, id: string, progress: Progress): TaskFileChange {
  const [line, twin] = taskLines(text).filter((task) => task.id === id);
  if (line === undefined) return vanished(id);
  if (twin !== undefined) return impossible(`has the task ${id} twice now, in lines ${line.line} and ${twin.line}`);
  if (line.isDone === (progress === "done")) return SAME;
  const mark = progress === "done" ? "X" : " ";
  return { kind: "changed", text: text.slice(0, line.markAt) + mark + text.slice(line.markAt + 1) };
}
