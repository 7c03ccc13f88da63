import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import { type TaskDocument, taskShape } from "../dialects/task-yaml/shape.ts";
import type { Field, RecordShape } from "../shape.ts";
import { GAP } from "../unfilled-template.ts";
import { type NoteSpan, joinedLines } from "./note-text.ts";

/** The lists of a task handoff. */
export type ListField = Exclude<keyof TaskDocument, "outcome">;

/** What notes state and a task handoff has no list for, with its place among the carried parts. */
export const CARRIED_LISTS = {
  summary: "summary",
  decisions: "context.decisions",
  limitations: "context.limitations",
  assumptions: "context.assumptions",
  completed: "context.data.completed",
  tests: "context.data.tests",
} as const;

export type CarriedList = keyof typeof CARRIED_LISTS;
export type NoteList = ListField | CarriedList;

export function isCarriedList(list: NoteList): list is CarriedList {
  return Object.hasOwn(CARRIED_LISTS, list);
}

/** The words of the format for how work ended. */
export const OUTCOME_WORDS: readonly string[] = wordsOf("outcome");

function wordsOf(key: string): readonly string[] {
  const shape = taskShape.fields[key]?.shape;
  return shape?.kind === "text" ? (shape.oneOf ?? []) : [];
}

/** A value that the note states, and where. */
export interface StatedValue {
  readonly value: JsonValue;
  readonly span: NoteSpan;
}

/** A statement of the note that is one item of a list of the handoff. */
export interface NoteItem {
  readonly list: NoteList;
  /** The statement. */
  readonly span: NoteSpan;
  /** Everything that the item was made of. */
  readonly sources: NoteSpan[];
  readonly values: Map<string, StatedValue>;
}

export function statedText(text: string, span: NoteSpan): { readonly value: string; readonly span: NoteSpan } {
  return { value: joinedLines(text.slice(span.start, span.end)), span };
}

export function itemShape(list: ListField): RecordShape {
  const shape = taskShape.fields[list]?.shape;
  if (shape?.kind === "list" && shape.item.kind === "record") return shape.item;
  throw new TypeError(`${list} is no list of records`);
}

/** Values that follow from what is stated; each use is reported. */
const IMPLIED: Partial<Record<NoteList, { key: string; value: JsonValue; why: string }>> = {
  files_created: { key: "lines", value: "all", why: "the note says that the file is new, so all of it is" },
  patterns_discovered: { key: "applies_to", value: [], why: "the note states no tags" },
  suggested_next_steps: { key: "depends_on", value: [], why: "the note states nothing that it depends on" },
};

interface CompletedItem {
  readonly record: JsonRecord;
  readonly implied: { readonly key: string; readonly value: JsonValue; readonly why: string } | null;
  /** Fields that the format demands and the note does not state: they hold the mark of a gap. */
  readonly gaps: readonly (readonly [string, Field])[];
}

/** The item as the format wants it, with a gap wherever the note does not state what the format demands. */
export function completeItem(item: NoteItem, list: ListField, outcome: string | undefined): CompletedItem {
  const shape = itemShape(list);
  const implied = IMPLIED[list];
  const use = implied !== undefined && !item.values.has(implied.key) ? implied : null;
  const record: JsonRecord = {};
  const gaps: (readonly [string, Field])[] = [];
  for (const [key, field] of Object.entries(shape.fields)) {
    const value = item.values.get(key)?.value ?? (use?.key === key ? use.value : undefined);
    if (value !== undefined) record[key] = value;
    else if (isDemanded(item, key, field, outcome)) {
      record[key] = GAP;
      gaps.push([key, field]);
    }
  }
  return { record, implied: use, gaps };
}

/** What the shape leaves to the rules: a deleted file needs no lines (R04); the outcome decides on blockers (R15, R16). */
function isDemanded(item: NoteItem, key: string, field: Field, outcome: string | undefined): boolean {
  if (item.list === "files_modified" && key === "lines") return item.values.get("change_type")?.value !== "delete";
  if (item.list === "blockers" && key === "suggested_resolution") return outcome === "failed";
  if (item.list === "blockers" && key === "blocking_tasks") return outcome === "blocked";
  return field.required && field.missing === undefined;
}
