import { type JsonRecord, type JsonValue, isRecord } from "../../../shared/json-value.ts";
import { calendarDate, timestamp, webAddress } from "../../format.ts";
import { isForbidden } from "../../limits.ts";
import { numberAsWritten } from "../../syntax/syntax.ts";
import { isUnfilledText, listsChoices } from "../../unfilled-template.ts";

export type SeenKind = "text" | "number" | "boolean" | "list" | "record" | "null";

/** Forms of texts that can be asked for, and those that are numbers and truth values where XML has only texts. */
type SeenForm = "timestamp" | "date" | "web-address" | "number" | "integer" | "truth" | "unfilled";

function formsOf(text: string): SeenForm[] {
  if (text.length > MAX_FORMED) return [];
  const forms: SeenForm[] = [];
  if (timestamp.accepts(text)) forms.push("timestamp");
  if (calendarDate.accepts(text)) forms.push("date");
  if (webAddress.accepts(text)) forms.push("web-address");
  const value = numberAsWritten(text);
  if (value !== null) forms.push("number");
  if (value !== null && Number.isInteger(value)) forms.push("integer");
  if (text === "true" || text === "false") forms.push("truth");
  if (isUnfilledText(text) || listsChoices(text)) forms.push("unfilled");
  return forms;
}

const MAX_FORMED = 300;

/** Places of a document deeper than this are not looked at. */
const MAX_LEVELS = 6;
/** So many places are kept in all, and so many words of one place. */
const MAX_PLACES = 4000;
const MAX_SEEN_WORDS = 60;
const MAX_WORD = 60;
const MAX_SAMPLES = 5;

/**
 * What was seen at one place of all documents. Evidence is counted in documents: ten entries of one list are written by
 * one author at one time, and show less than ten documents do.
 */
export class SeenValues {
  /** Documents that have a value here, and all values. */
  documents = 0;
  values = 0;
  /** Kinds of values, each with the number of values. */
  readonly kinds = new Map<SeenKind, number>();
  /** Short texts, each with the number of documents that have it. Null when there were too many, or a long one. */
  words: Map<string, number> | null = new Map();
  hasEmptyText = false;
  /** Texts that are not empty, and how many of them have each form. */
  texts = 0;
  readonly forms = new Map<SeenForm, number>();
  hasFraction = false;
  /** Documents that have a record here. */
  recordDocuments = 0;
  readonly fields = new Map<string, SeenValues>();
  /** The entries of lists. */
  item: SeenValues | null = null;
  /** A few texts, for an example. */
  readonly samples: string[] = [];
  readonly #last = { value: -1, record: -1 };
  readonly #lastOfWord = new Map<string, number>();

  count(kind: SeenKind, document: number): void {
    this.values++;
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    if (this.#last.value !== document) this.documents++;
    this.#last.value = document;
    if (kind !== "record") return;
    if (this.#last.record !== document) this.recordDocuments++;
    this.#last.record = document;
  }

  countText(text: string, document: number): void {
    if (text.trim() === "") {
      this.hasEmptyText = true;
      return;
    }
    this.texts++;
    for (const form of formsOf(text)) this.forms.set(form, (this.forms.get(form) ?? 0) + 1);
    if (this.samples.length < MAX_SAMPLES) this.samples.push(text.slice(0, 500));
    if (this.words === null) return;
    if (text.length > MAX_WORD || (this.words.size === MAX_SEEN_WORDS && !this.words.has(text))) {
      this.words = null;
      return;
    }
    if (this.#lastOfWord.get(text) === document) return;
    this.#lastOfWord.set(text, document);
    this.words.set(text, (this.words.get(text) ?? 0) + 1);
  }

  /** Whether all texts have a form. */
  areAll(form: SeenForm): boolean {
    return this.texts > 0 && this.forms.get(form) === this.texts;
  }

  /** The kinds that were seen, other than null. */
  kindsSeen(): Exclude<SeenKind, "null">[] {
    return [...this.kinds.keys()].filter((kind) => kind !== "null");
  }

  get isEverNull(): boolean {
    return this.kinds.has("null");
  }
}

/** Looks at the values of documents, within bounds. */
export class DocumentWalk {
  readonly root = new SeenValues();
  /** Something was left out because there was too much of it. */
  isBounded = false;
  #places = 1;

  add(record: JsonRecord, document: number): void {
    this.#see(this.root, record, document, 0);
  }

  #see(seen: SeenValues, value: JsonValue, document: number, level: number): void {
    seen.count(kindOf(value), document);
    if (typeof value === "string") seen.countText(value, document);
    else if (typeof value === "number" && !Number.isInteger(value)) seen.hasFraction = true;
    if (typeof value !== "object" || value === null || level >= MAX_LEVELS) return;
    if (!Array.isArray(value)) this.#seeRecord(seen, value, document, level);
    else
      for (const entry of value) {
        const item = (seen.item ??= this.#place());
        if (item !== null) this.#see(item, entry, document, level + 1);
      }
  }

  #seeRecord(seen: SeenValues, record: JsonRecord, document: number, level: number): void {
    for (const [key, value] of Object.entries(record)) {
      if (value === undefined || isForbidden(key)) continue;
      const inner = seen.fields.get(key) ?? this.#place();
      if (inner === null) continue;
      seen.fields.set(key, inner);
      this.#see(inner, value, document, level + 1);
    }
  }

  #place(): SeenValues | null {
    this.isBounded ||= this.#places >= MAX_PLACES;
    return this.#places++ < MAX_PLACES ? new SeenValues() : null;
  }
}

function kindOf(value: JsonValue): SeenKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (isRecord(value)) return "record";
  return typeof value === "string" ? "text" : typeof value === "number" ? "number" : "boolean";
}
