import { type JsonRecord, type JsonValue, printPath } from "../../shared/json-value.ts";
import type { LineTable } from "../../shared/line-table.ts";
import { taskShape } from "../dialects/task-yaml/shape.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { clip } from "../shape-messages.ts";
import type { CollectedNotes } from "./collect-notes.ts";
import {
  type CompletedItem,
  type IncompleteItem,
  type ListField,
  type NoteItem,
  OUTCOME_WORDS,
  type StatedValue,
  completeItem,
  itemShape,
} from "./note-item.ts";
import type { Topic } from "./note-topics.ts";
import { type NoteSpan, joinedLines } from "./note-text.ts";

export interface TakenItem {
  /** The field of the document: `gotchas[0].issue`. */
  readonly field: string;
  readonly text: string;
  readonly line: number;
}

/** What the notes say plainly as a document, and everything that they leave open. */
export interface HandoffDraft {
  readonly document: JsonRecord;
  readonly taken: readonly TakenItem[];
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
  for (const { span, topics } of notes.unsettled) drafting.askWhich(span, topics);
  for (const { mention, message, isHint } of notes.files) drafting.ask(mention, message, FILE_HINT, isHint);
  return drafting.finish();
}

const OUTCOME_HINT = `Say one of ${OUTCOME_WORDS.join(", ")}.`;
const SETTLE = "Write the item into the list where it belongs.";
const FILE_HINT =
  "If the work created or changed it, add it to files_created or files_modified; if it was only read, leave it.";

const NOUNS: Readonly<Record<ListField, string>> = {
  files_created: "a created file",
  files_modified: "a changed file",
  patterns_discovered: "a pattern",
  gotchas: "a gotcha",
  dependencies_for_next: "a file to read",
  open_questions: "an open question",
  suggested_next_steps: "a next step",
  blockers: "a blocker",
};

const TOPIC_NOUNS: Readonly<Record<Topic, string>> = {
  files: NOUNS.files_modified,
  reading: NOUNS.dependencies_for_next,
  gotcha: NOUNS.gotchas,
  pattern: NOUNS.patterns_discovered,
  question: NOUNS.open_questions,
  step: NOUNS.suggested_next_steps,
  blocker: NOUNS.blockers,
};

class Drafting {
  readonly #text: string;
  readonly #table: LineTable;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #lists = new Map<ListField, JsonRecord[]>();
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
      const value = key === "outcome" ? this.#outcome?.word : this.#lists.get(key as ListField);
      if (value !== undefined) document[key] = value;
    }
    return {
      document,
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
    const [unknown] = heard.filter(({ outcome }) => outcome === null);
    for (const statement of heard) {
      const { outcome, span } = statement;
      // Parts of the work have a status of their own: to ask about the first one is enough.
      const isHint = (first !== undefined && !statement.isUnfinished) || statement !== unknown;
      if (outcome === null) this.ask(span, "This is no outcome that the format knows.", OUTCOME_HINT, isHint);
      else if (disagree)
        this.ask(span, `The notes state more than one outcome; here it is ${outcome}.`, OUTCOME_HINT, false);
    }
    if (first === undefined || first.outcome === null || disagree) return;
    this.#outcome = { word: first.outcome, span: first.span };
    this.#sources.push(first.span);
    this.#take("outcome", { value: first.outcome, span: first.span }, first.span);
  }

  /** Of several statements about one thing the first complete one is taken. */
  addItem(said: readonly NoteItem[]): void {
    const [only] = said;
    if (only?.isHint === true && only.list !== "suggested_next_steps") {
      // A word such as "patterns" stands in many sentences: it does not say that this is one.
      this.ask(only.span, `"${clip(this.#said(only.span))}" may be ${NOUNS[only.list]}.`, SETTLE, true);
      return;
    }
    const judged = said.map((item) => ({ item, result: completeItem(item, this.#outcome?.word) }));
    for (const { item, result } of judged) {
      if (!("record" in result)) continue;
      this.#keep(item, result);
      return;
    }
    const [first] = judged;
    if (first !== undefined && "missing" in first.result) this.#askFor(first.item, first.result);
  }

  askWhich(span: NoteSpan, topics: readonly Topic[]): void {
    const said = clip(this.#said(span));
    this.ask(span, `"${said}" may be ${topics.map((topic) => TOPIC_NOUNS[topic]).join(" or ")}.`, SETTLE, false);
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

  #keep(item: NoteItem, { record, implied }: CompletedItem): void {
    const list = this.#lists.get(item.list) ?? [];
    const index = list.push(record) - 1;
    this.#lists.set(item.list, list);
    const origins = this.#origins.get(item.list) ?? [];
    origins.push(item.span);
    this.#origins.set(item.list, origins);
    this.#sources.push(...item.sources);
    for (const key of Object.keys(record)) {
      const stated = item.values.get(key);
      if (stated !== undefined) this.#take(printPath([item.list, index, key]), stated, item.span);
    }
    if (implied !== null) this.#tellImplied(item, index, implied);
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

  #tellImplied(item: NoteItem, index: number, implied: { key: string; value: JsonValue; why: string }): void {
    const { key, value, why } = implied;
    const field = itemShape(item.list).fields[key];
    this.#diagnostics.push({
      code: "defaulted",
      rule: field?.rule ?? null,
      severity: "info",
      message: `\`${printPath([item.list, index, key])}\` was set to ${JSON.stringify(value)}: ${why}.`,
      range: this.#table.range(item.span.start, item.span.end),
      hint: field?.about ?? null,
      fix: null,
    });
  }

  #askFor(item: NoteItem, { missing, problems }: IncompleteItem): void {
    const said = clip(this.#said(item.span));
    const reads = `"${said}" ${item.isHint ? "may be" : "reads like"} ${NOUNS[item.list]}`;
    if (missing.length === 0) {
      this.ask(item.span, `${reads}, but ${problems.join(" ")}`, SETTLE, item.isHint);
      return;
    }
    const keys = missing.map(([key]) => `\`${key}\``).join(", ");
    const about = missing.map(([key, field]) => `${key}: ${field.about}`).join(" ");
    this.ask(item.span, `${reads}, but the notes do not state its ${keys}.`, `Needed: ${about}`, item.isHint);
  }
}
