import type { NoteBlock } from "./note-blocks.ts";
import { type NoteSpan, cellsOf, dividedBy, joinedLines } from "./note-text.ts";
import { type SentenceTopic, type Topic, titleTopics } from "./note-titles.ts";
import { outcomeWord } from "./stated-outcome.ts";
import { type OpenItem, makeItem, setStatedField } from "./topic-items.ts";

/** The item that a row of a table is; null when the table is about something else. */
export function rowItem(text: string, row: NoteBlock): OpenItem | null {
  const topic = rowTopic(row, stateIn(text, row));
  const cells = cellsOf(text, row);
  const [first] = cells;
  if (topic === null || first === undefined || cells.length < 2) return null;
  // Where only the statement itself is kept, it is the whole row.
  const end = WHOLE_ROWS.has(topic) ? cells.at(-1)?.end : first.end;
  const made = makeItem(text, { start: first.start, end: end ?? first.end }, null, topic);
  if (made === null) return null;
  made.item.sources.push(row);
  for (const [index, cell] of columnCells(text, row).entries())
    if (index > 0 && cell.start < cell.end) setStatedField(text, row.columns[index] ?? "", cell, made);
  return made;
}

const WHOLE_ROWS: ReadonlySet<SentenceTopic> = new Set<SentenceTopic>([
  "done",
  "decision",
  "test",
  "limitation",
  "assumption",
]);

/** The cells of a row by their columns, empty ones too. */
function columnCells(text: string, { start, end }: NoteSpan): NoteSpan[] {
  const from = text[start] === "|" ? start + 1 : start;
  return dividedBy(text, { start: from, end: text[end - 1] === "|" ? end - 1 : end }, "|");
}

/** What a row says in the column for the state of things. */
function stateIn(text: string, row: NoteBlock): SentenceTopic | null {
  const index = row.columns.findIndex((title) => /^(?:status|state|done)$/.test(title));
  const cell = index === -1 ? undefined : columnCells(text, row)[index];
  return cell === undefined ? null : stateTopic(joinedLines(text.slice(cell.start, cell.end)));
}

function stateTopic(state: string): SentenceTopic | null {
  if (outcomeWord(state) === "completed" || /^\W*[\u2705\u2714\u2611\u2713]/u.test(state)) return "done";
  if (outcomeWord(state) === "blocked") return "blocker";
  return /^\W*(?:to ?do|pending|open|not started|not done|in progress|wip|ongoing|remaining|partial)\b/i.test(state)
    ? "step"
    : null;
}

/** What a row is about: the heading of its table, the title of a column, or the state that it gives. */
function rowTopic({ columns, context }: NoteBlock, state: SentenceTopic | null): SentenceTopic | null {
  const [announced] = context.topics.filter((topic) => topic !== "files");
  const topic = announced ?? columnTopic(columns);
  if (topic === undefined || NO_ROWS.has(topic)) return state;
  const isWork = topic === "done" || topic === "step";
  return isWork && state !== null ? state : asSentence(topic);
}

const NO_ROWS: ReadonlySet<Topic> = new Set<Topic>(["files", "reading", "outcome", "summary"]);

function asSentence(topic: Topic): SentenceTopic | null {
  return topic === "files" || topic === "reading" || topic === "outcome" ? null : topic;
}

function columnTopic(columns: readonly string[]): Topic | undefined {
  for (const title of columns) {
    const [topic] = title === "" || isFieldTitle(title) ? [] : titleTopics(title);
    if (topic !== undefined) return topic;
  }
  return undefined;
}

function isFieldTitle(title: string): boolean {
  return /^(?:status|state|result|mitigation|severity|priority|impact|reason|notes?|owner|date)$/.test(title);
}
