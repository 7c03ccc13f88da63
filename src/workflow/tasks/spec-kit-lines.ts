/** A line of a Spec Kit tasks.md that is a task: `- [ ] T001 [P] [US1] Description`. */
export interface TaskLine {
  readonly id: string;
  readonly isDone: boolean;
  readonly isParallel: boolean;
  readonly text: string;
  /** Indented lines below it. */
  readonly notes: readonly string[];
  /** Line number from 1, and where the mark between the brackets stands. */
  readonly line: number;
  readonly markAt: number;
  /** Titles of the second and of a deeper level above it. */
  readonly phase: string;
  readonly section: string;
}

const TASK = /^( {0,3}[-*+][ \t]+\[)([ xX])\][ \t]+\**(T\d{1,6}[A-Za-z]?)\**:?(?=\s|$)[ \t]*(.*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The tasks of the text in order. What stands in code or in comments is an example. */
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
  /** The fence that is open; empty outside of code. */
  fence: string;
  isComment: boolean;
  phase: string;
  section: string;
}

/** Whether the line is text; on the way, what is open and which titles stand above is kept up. */
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

/** A comment that begins behind a text leaves that text what it is. */
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
