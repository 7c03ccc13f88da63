import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import { checkShape } from "../check-shape.ts";
import { taskYaml } from "../dialects/task-yaml/dialect.ts";
import { type TaskDocument, taskShape } from "../dialects/task-yaml/shape.ts";
import { DocumentCheck } from "../document-check.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Field, RecordShape } from "../shape.ts";
import { type NoteSpan, joinedLines } from "./note-text.ts";

/** The lists of a task handoff. */
export type ListField = Exclude<keyof TaskDocument, "outcome">;

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

/** A statement of the note that would be one item of a list of the handoff. */
export interface NoteItem {
  readonly list: ListField;
  /** The statement. */
  readonly span: NoteSpan;
  /** Everything that the item was made of. */
  readonly sources: NoteSpan[];
  readonly values: Map<string, StatedValue>;
  /** Only a word hints at it: it is mentioned, without a warning. */
  readonly isHint: boolean;
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
const IMPLIED: Partial<Record<ListField, { key: string; value: JsonValue; why: string }>> = {
  files_created: { key: "lines", value: "all", why: "the note says that the file is new, so all of it is" },
  patterns_discovered: { key: "applies_to", value: [], why: "the note states no tags" },
  suggested_next_steps: { key: "depends_on", value: [], why: "the note states nothing that it depends on" },
};

export interface CompletedItem {
  readonly record: JsonRecord;
  readonly implied: { readonly key: string; readonly value: JsonValue; readonly why: string } | null;
}

export interface IncompleteItem {
  /** Fields that the format demands and the note does not state. */
  readonly missing: readonly (readonly [string, Field])[];
  /** What is wrong with the values that it does state. */
  readonly problems: readonly string[];
}

/** The item as the format wants it, judged by the reader's own shape; or what it lacks. */
export function completeItem(item: NoteItem, outcome: string | undefined): CompletedItem | IncompleteItem {
  const shape = itemShape(item.list);
  const implied = IMPLIED[item.list];
  const use = implied !== undefined && !item.values.has(implied.key) ? implied : null;
  const record: JsonRecord = {};
  for (const key of Object.keys(shape.fields)) {
    const value = item.values.get(key)?.value ?? (use?.key === key ? use.value : undefined);
    if (value !== undefined) record[key] = value;
  }
  const missing = Object.entries(shape.fields).filter(
    ([key, field]) => record[key] === undefined && isDemanded(item, key, field, outcome),
  );
  const problems = missing.length > 0 ? [] : problemsOf(record, shape);
  return missing.length > 0 || problems.length > 0 ? { missing, problems } : { record, implied: use };
}

/** What the shape leaves to the rules: a deleted file needs no lines (R04); the outcome decides on blockers (R15, R16). */
function isDemanded(item: NoteItem, key: string, field: Field, outcome: string | undefined): boolean {
  if (item.list === "files_modified" && key === "lines") return item.values.get("change_type")?.value !== "delete";
  if (item.list === "blockers" && key === "suggested_resolution") return outcome === "failed";
  if (item.list === "blockers" && key === "blocking_tasks") return outcome === "blocked";
  return field.required && field.missing === undefined;
}

function problemsOf(record: JsonRecord, shape: RecordShape): string[] {
  const check = new DocumentCheck(DEFAULT_LIMITS);
  checkShape(record, shape, check, taskYaml.rootRule);
  return check.findings
    .filter((finding) => finding.code !== "defaulted" && finding.severity !== "warning")
    .map((finding) => finding.message);
}
