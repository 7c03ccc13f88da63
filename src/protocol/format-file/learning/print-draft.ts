import type { JsonValue } from "../../../shared/json-value.ts";
import { printable } from "../../../shared/printable.ts";
import { redactor } from "../../../shared/redact.ts";
import { OUTCOMES } from "../../handoff-words.ts";
import { type DraftField, type DraftWord, type FormatDraft, OPEN_ANSWER } from "./draft.ts";

/** The draft as a format file with comments. What documents say stands in it only as quoted values and in comments. */
export function printDraft(draft: FormatDraft): string {
  const { stands } = draft;
  const lines = [
    ...draft.notes.map((note) => comment(note, 0)),
    ...(draft.questions.texts.length === 0 ? [] : ["#", comment(`Questions; outcomes are ${OUTCOMES.join(", ")}:`, 0)]),
    ...draft.questions.texts.map((text, index) => comment(`${index + 1}. ${text}`, 0)),
    "format: 1",
    `name: ${scalar(draft.name)}`,
    `syntax: ${draft.syntax}`,
    "stands:",
    ...draft.standsNotes.map((note) => comment(note, 2)),
    ...(stands.files.length === 0 ? [] : [`  file: ${flow([...stands.files])}`]),
    ...(stands.keys.length === 0 ? [] : [`  keys: ${flow([...stands.keys])}`]),
    ...(stands.heading === null ? [] : [`  heading: ${scalar(stands.heading)}`]),
    ...(stands.element === null ? [] : [`  element: ${scalar(stands.element)}`]),
    ...(draft.when === null ? [] : [comment(WHEN, 0), `when: ${scalar(draft.when)}`]),
    ...(draft.asksOutcome ? [`outcome: ${scalar(OPEN_ANSWER)}`] : []),
    "fields:",
    ...draft.fields.flatMap((field) => printNamed(field, 2)),
  ];
  return `${lines.join("\n")}\n`;
}

const WHEN = "a format that comes along fits some of the documents too: this decides";

function printNamed(field: DraftField, indent: number): string[] {
  const space = " ".repeat(indent);
  const body = printBody(field, indent + 2);
  const notes = field.notes.length === 0 ? [] : [comment(field.notes.join("; "), indent)];
  return [...notes, `${space}${scalar(field.name)}:${body.length === 0 ? " text" : ""}`, ...body];
}

function printBody(field: DraftField, indent: number): string[] {
  const space = " ".repeat(indent);
  const keys = Object.entries(plainKeys(field)).flatMap(([key, value]) =>
    value === null || value === undefined || value === false ? [] : [`${space}${key}: ${flow(value)}`],
  );
  return [...keys, ...printWords(field.words, indent), ...printInner(field, indent)];
}

/** The keys of a field that have a plain value, in the order of the file; what is absent, null or false is left out. */
function plainKeys(field: DraftField): Readonly<Record<string, JsonValue | undefined>> {
  const isImplied = field.type === "record" || field.type === "list" || field.type === "text";
  return {
    type: isImplied ? null : field.type,
    required: field.required,
    required_when: field.requiredWhen,
    is: field.is,
    about: field.about,
    format: field.format,
    nullable: field.nullable,
    empty: field.type === "text" && field.mayBeEmpty && field.words === null,
    element: field.element,
    default: field.default,
    example: field.example,
  };
}

function printWords(words: readonly DraftWord[] | null, indent: number): string[] {
  const space = " ".repeat(indent);
  if (words === null) return [];
  if (words.every(({ means }) => means === null)) return [`${space}words: ${flow(words.map(({ word }) => word))}`];
  const printed = words.map(({ word, means, note }) => {
    const behind = note === null ? "" : ` ${comment(note, 0)}`;
    return `${space}  ${scalar(word)}: ${scalar(means ?? word)}${behind}`;
  });
  return [`${space}words:`, ...printed];
}

function printInner({ type, item, fields }: DraftField, indent: number): string[] {
  const space = " ".repeat(indent);
  if (type === "record") return [`${space}fields:`, ...fields.flatMap((field) => printNamed(field, indent + 2))];
  if (type !== "list" || item === null) return [];
  const body = printBody(item, indent + 2);
  return body.length === 0 ? [`${space}item: text`] : [`${space}item:`, ...body];
}

function flow(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  return typeof value === "string" ? scalar(value) : JSON.stringify(value);
}

/** Plain where YAML reads the same text back, and quoted otherwise. */
function scalar(text: string): string {
  const isPlain = /^[A-Za-z][A-Za-z0-9_]*(?:[ ./-][A-Za-z0-9_]+)*\.?$/.test(text) && !RESERVED.test(text);
  return isPlain ? text : JSON.stringify(text).replaceAll(HIDDEN, escapeUnit);
}

const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufeff\ufffe\uffff]/gu;

function escapeUnit(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}

const MAX_COMMENT = 300;
const redact = redactor([]);

/** One line, without signs that a terminal obeys and without secrets. */
function comment(text: string, indent: number): string {
  const line = printable(redact(text).replaceAll(/[\s\p{Cc}]+/gu, " "));
  return `${" ".repeat(indent)}# ${line.length <= MAX_COMMENT ? line : `${line.slice(0, MAX_COMMENT - 3)}...`}`;
}
