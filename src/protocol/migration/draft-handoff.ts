import { type JsonRecord, type JsonValue, printPath } from "../../shared/json-value.ts";
import type { LineTable } from "../../shared/line-table.ts";
import { CARRIED } from "../carried-place.ts";
import { taskShape } from "../dialects/task-yaml/shape.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { GAP } from "../unfilled-template.ts";
import type { CollectedNotes } from "./collect-notes.ts";
import {
  CARRIED_LISTS,
  type CarriedList,
  type ListField,
  type NoteItem,
  OUTCOME_WORDS,
  type StatedValue,
  completeItem,
  isCarriedList,
  itemShape,
} from "./note-item.ts";
import { type NoteSpan, joinedLines } from "./note-text.ts";

export interface TakenItem {
  /** The field of the document: `gotchas[0].issue`. */
  readonly field: string;
  readonly text: string;
  readonly line: number;
}

/** A field that the format demands and the notes do not state: it is marked in the section. */
export interface MigrationGap {
  /** `gotchas[0].mitigation` */
  readonly field: string;
  /** What belongs there. */
  readonly about: string;
  /** The line of the statement that lacks it. */
  readonly line: number;
}

/** What the notes say plainly as a document, and everything that they leave open. */
export interface HandoffDraft {
  readonly document: JsonRecord;
  readonly taken: readonly TakenItem[];
  readonly gaps: readonly MigrationGap[];
  readonly diagnostics: readonly Diagnostic[];
  /** Where the outcome is stated. */
  readonly outcome: NoteSpan | null;
  /** The statements behind the items of each list, in order. */
  readonly origins: ReadonlyMap<string, readonly NoteSpan[]>;
  /** Everything that the document was made of. */
  readonly sources: readonly NoteSpan[];
}

export function draftHandoff(text: string, notes: CollectedNotes, table: LineTable): HandoffDraft {
  const drafting = new Drafting(text, table);
  drafting.chooseOutcome(notes);
  for (const said of notes.items) drafting.addItem(said);
  for (const { mention, message, isHint } of notes.files) drafting.ask(mention, message, FILE_HINT, isHint);
  return drafting.finish();
}

const OUTCOME_HINT = `Say one of ${OUTCOME_WORDS.join(", ")}.`;
const FILE_HINT =
  "If the work created or changed it, add it to files_created or files_modified; if it was only read, leave it.";

class Drafting {
  readonly #text: string;
  readonly #table: LineTable;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #lists = new Map<ListField, JsonRecord[]>();
  readonly #carried = new Map<CarriedList, string[]>();
  readonly #gaps: MigrationGap[] = [];
  readonly #origins = new Map<string, NoteSpan[]>();
  readonly #sources: NoteSpan[] = [];
  readonly #taken: TakenItem[] = [];
  #outcome: { word: string; span: NoteSpan } | null = null;
  #lastSaid = { start: 0, end: 0, words: "" };

  constructor(text: string, table: LineTable) {
    this.#text = text;
    this.#table = table;
  }

  finish(): HandoffDraft {
    const document: JsonRecord = {};
    for (const key of Object.keys(taskShape.fields)) {
      const value = key === "outcome" ? (this.#outcome?.word ?? GAP) : this.#lists.get(key as ListField);
      if (value !== undefined) document[key] = value;
    }
    if (this.#outcome === null)
      this.#gaps.unshift({ field: "outcome", about: taskShape.fields["outcome"]?.about ?? "", line: 1 });
    if (this.#carried.size > 0) document[CARRIED] = this.#carriedParts();
    return {
      document,
      gaps: this.#gaps,
      taken: this.#taken,
      diagnostics: this.#diagnostics,
      outcome: this.#outcome?.span ?? null,
      origins: this.#origins,
      sources: this.#sources,
    };
  }

  /** What the notes say wins over what stands around them; two different words are no answer. */
  chooseOutcome({ outcomes }: CollectedNotes): void {
    const own = outcomes.filter((statement) => !statement.isBackground);
    const heard = own.length > 0 ? own : outcomes.filter((statement) => statement.outcome !== null);
    const [first] = heard.filter((statement) => statement.outcome !== null);
    const disagree = heard.some(
      ({ outcome, isUnfinished }) => isUnfinished || (outcome !== null && outcome !== first?.outcome),
    );
    const [unknown] = heard.filter(({ outcome, span }) => outcome === null && this.#isShortWord(span));
    if (disagree) this.#askWhichOutcome(heard);
    else if (unknown !== undefined)
      // Parts of the work have a status of their own: to ask about the first one is enough.
      this.ask(unknown.span, "This is no outcome that the format knows.", OUTCOME_HINT, first !== undefined);
    if (first === undefined || first.outcome === null || disagree) return;
    this.#outcome = { word: first.outcome, span: first.span };
    this.#sources.push(first.span);
    this.#take("outcome", { value: first.outcome, span: first.span }, first.span);
  }

  /** `Status: ready` is meant as an outcome; a date or a whole story is not. */
  #isShortWord({ start, end }: NoteSpan): boolean {
    return end - start <= MAX_WORD && !/\d/.test(this.#text.slice(start, end));
  }

  #askWhichOutcome(heard: CollectedNotes["outcomes"]): void {
    const stated = heard.map(({ outcome, span }) => {
      const words = outcome ?? joinedLines(this.#text.slice(span.start, Math.min(span.end, span.start + 40)));
      return `${words} (line ${this.#table.position(span.start).line})`;
    });
    const all = stated.slice(0, MAX_STATED).join(", ") + (stated.length > MAX_STATED ? ", ..." : "");
    const span = heard[0]?.span ?? { start: 0, end: 0 };
    this.ask(span, `The notes state more than one outcome: ${all}.`, OUTCOME_HINT, false);
  }

  /** What several statements say of one thing is put together; where two say the same, the first counts. */
  addItem(said: readonly NoteItem[]): void {
    const [first, ...others] = said;
    if (first === undefined) return;
    for (const { values, sources } of others) {
      for (const [key, value] of values) if (!first.values.has(key)) first.values.set(key, value);
      first.sources.push(...sources);
    }
    this.#sources.push(...first.sources);
    if (isCarriedList(first.list)) this.#carry(first, first.list);
    else this.#keep(first, first.list);
  }

  #carry(item: NoteItem, list: CarriedList): void {
    const stated = item.values.get("text");
    if (typeof stated?.value !== "string") return;
    const texts = this.#carried.get(list) ?? [];
    const index = texts.push(stated.value) - 1;
    this.#carried.set(list, texts);
    const place = list === "summary" ? "" : `[${index}]`;
    this.#take(`${CARRIED}.${CARRIED_LISTS[list]}${place}`, stated, item.span);
  }

  /** As parts of the canonical handoff, so that reading the section restores them. */
  #carriedParts(): JsonRecord {
    const parts: JsonRecord = {};
    const data: JsonRecord = {};
    for (const list of Object.keys(CARRIED_LISTS) as CarriedList[]) {
      const texts = this.#carried.get(list);
      if (texts === undefined) continue;
      const place = CARRIED_LISTS[list];
      if (list === "summary") parts[place] = texts.join(" ");
      else if (place.startsWith(DATA)) data[place.slice(DATA.length)] = texts;
      else parts[place] = texts;
    }
    return Object.keys(data).length === 0 ? parts : { ...parts, "context.data": data };
  }

  ask(span: NoteSpan, message: string, hint: string, isHint: boolean): void {
    this.#diagnostics.push({
      code: "ambiguous-note",
      rule: null,
      severity: isHint ? "info" : "warning",
      message,
      range: this.#table.range(span.start, span.end),
      hint,
      fix: null,
    });
  }

  #keep(item: NoteItem, name: ListField): void {
    const { record, implied, gaps } = completeItem(item, name, this.#outcome?.word);
    const list = this.#lists.get(name) ?? [];
    const index = list.push(record) - 1;
    this.#lists.set(name, list);
    const origins = this.#origins.get(name) ?? [];
    origins.push(item.span);
    this.#origins.set(name, origins);
    for (const key of Object.keys(record)) {
      const stated = item.values.get(key);
      if (stated !== undefined) this.#take(printPath([name, index, key]), stated, item.span);
    }
    const { line } = this.#table.position(item.span.start);
    for (const [key, { about }] of gaps) this.#gaps.push({ field: printPath([name, index, key]), about, line });
    if (implied !== null) this.#tellImplied(item, name, index, implied);
  }

  /** In the words of the notes: a word of the format that they do not use is replaced by what stands for it. */
  #take(field: string, { value, span }: StatedValue, statement: NoteSpan): void {
    const said = this.#said(statement).toLowerCase();
    const isSaid = typeof value === "string" && (field.endsWith(".lines") || said.includes(value.toLowerCase()));
    const { line } = this.#table.position(span.start);
    this.#taken.push({ field, text: isSaid ? value : this.#said(span), line });
  }

  /** One statement may name thousands of files, and is asked for with each of them. */
  #said({ start, end }: NoteSpan): string {
    if (start !== this.#lastSaid.start || end !== this.#lastSaid.end)
      this.#lastSaid = { start, end, words: joinedLines(this.#text.slice(start, end)) };
    return this.#lastSaid.words;
  }

  #tellImplied(
    item: NoteItem,
    list: ListField,
    index: number,
    { key, value, why }: { key: string; value: JsonValue; why: string },
  ): void {
    const field = itemShape(list).fields[key];
    this.#diagnostics.push({
      code: "defaulted",
      rule: field?.rule ?? null,
      severity: "info",
      message: `\`${printPath([list, index, key])}\` was set to ${JSON.stringify(value)}: ${why}.`,
      range: this.#table.range(item.span.start, item.span.end),
      hint: field?.about ?? null,
      fix: null,
    });
  }
}

const MAX_WORD = 40;
const MAX_STATED = 5;
const DATA = "context.data.";
