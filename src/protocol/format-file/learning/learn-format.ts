import { type JsonRecord, isRecord } from "../../../shared/json-value.ts";
import { count } from "../../../shared/count.ts";
import { Problems } from "../../file-problems.ts";
import { parseYaml } from "../../syntax/yaml.ts";
import { describeFormat } from "../describe-format.ts";
import { FORMAT_LIMITS } from "../field-keys.ts";
import type { FormatModel } from "../format-model.ts";
import { type DraftField, DraftQuestions, type FormatDraft } from "./draft.ts";
import { guessPlace } from "./guess-place.ts";
import { inferConditions } from "./infer-conditions.ts";
import { MAX_DRAFT_FIELDS, inferFields } from "./infer-fields.ts";
import { findOutcomeField } from "./infer-outcome.ts";
import { dropPlace, inferPlaces } from "./infer-places.ts";
import { baseName, inferDecision, inferName, inferStanding } from "./infer-standing.ts";
import { printDraft } from "./print-draft.ts";
import { withProvisionalAnswers } from "./provisional-answers.ts";
import { type SampleDocument, type SampleFile, sampleDocuments } from "./sample-documents.ts";
import { type SampleFamily, sampleFamilies } from "./sample-family.ts";
import { DocumentWalk, type SeenValues } from "./seen-values.ts";
import { XmlValues } from "./xml-values.ts";

/** A format file that was drafted from handoffs. */
export interface LearnedFormat {
  readonly name: string;
  /** The format file. */
  readonly text: string;
  /** What only a person can answer. */
  readonly questions: readonly string[];
  /** The format with some answer to each question, to try it with; null when the file has other errors. */
  readonly model: FormatModel | null;
  /** Why there is no model. */
  readonly problems: readonly string[];
  /** Positions of the files that it was learned from. */
  readonly learned: readonly number[];
}

export interface LearnedSamples {
  readonly format: LearnedFormat | null;
  /** Files that nothing was learned from, and why. */
  readonly others: readonly { readonly file: number; readonly why: string }[];
}

/** So many documents are compared. */
const MAX_DOCUMENTS = 5000;

/** Drafts the file that describes the format of most of these files. Nothing in them runs, and none is obeyed. */
export function learnFormat(files: readonly SampleFile[], options: { readonly name?: string } = {}): LearnedSamples {
  const readings = files.map(sampleDocuments);
  const [family, ...rest] = sampleFamilies(readings.flatMap(({ documents }) => documents).slice(0, MAX_DOCUMENTS));
  const learned = family?.documents.map(({ file }) => file) ?? [];
  const others = readings.flatMap(({ refused }, file) => {
    if (learned.includes(file)) return [];
    return [{ file, why: refused ?? "It is of another kind: its root has other keys." }];
  });
  if (family === undefined) return { format: null, others };
  return { format: draftFormat(family, rest, files, learned, options.name), others };
}

function draftFormat(
  family: SampleFamily,
  rest: readonly SampleFamily[],
  files: readonly SampleFile[],
  learned: readonly number[],
  name: string | undefined,
): LearnedFormat {
  const { documents } = family;
  const syntax = documents[0]?.syntax ?? "json";
  const xml = new XmlValues();
  for (const { root } of documents) if (root !== null) xml.see(root);
  const records = documents.map(({ record, root }) => (root === null ? (record ?? {}) : xml.record(root)));
  const walk = new DocumentWalk();
  for (const [index, record] of records.entries()) walk.add(record, index);
  const questions = new DraftQuestions();
  const outcome = findOutcomeField(walk.root);
  if (outcome?.question !== undefined) questions.ask(outcome.question);
  const leftOut: string[] = [];
  const elementAt = (path: string): string | null => xml.elementAt(`.${path}`);
  const total = documents.length;
  const agents = agentsIn(walk.root);
  const budget = { left: MAX_DRAFT_FIELDS };
  const known = { syntax, total, outcome, questions, agents, elementAt, leftOut, budget };
  const fields = inferFields(walk.root, "", known);
  inferPlaces(fields);
  inferConditions(fields, records);
  const asksOutcome = !hasOutcome(fields);
  if (asksOutcome)
    questions.ask(
      "No field says how the work ended. Which outcome does every such handoff mean, or which field says it?",
    );
  const { stands, notes: standsNotes } = inferStanding(syntax, documents, files, walk.root, fields);
  const notes = headNotes(family, rest, files, { leftOut, isBounded: walk.isBounded });
  const when = inferDecision(documents, walk.root, fields);
  const named = { name: name ?? inferName(stands), syntax, stands, standsNotes, when };
  const draft = { ...named, fields, asksOutcome, questions, notes };
  return settleDraft(draft, learned);
}

/** Names that stand in fields for agents. */
function agentsIn(root: SeenValues): ReadonlySet<string> {
  const fields = [...root.fields].filter(([name]) => ["from", "to"].includes(guessPlace(name)?.place ?? ""));
  return new Set(fields.flatMap(([, seen]) => [...(seen.words?.keys() ?? [])]));
}

function hasOutcome(fields: readonly DraftField[]): boolean {
  return fields.some(({ is, fields: inner }) => is === "outcome" || hasOutcome(inner));
}

/** Takes away what the reader of format files refuses of the guesses, and prints the rest. */
function settleDraft(draft: FormatDraft, learned: readonly number[]): LearnedFormat {
  for (;;) {
    const text = printDraft(draft);
    const problems = new Problems();
    const model = describeFormat(withProvisionalAnswers(recordOf(text)), problems);
    const errors = problems.findings.filter(({ severity }) => severity === "error");
    const refused = errors.filter(({ path }) => path.at(-1) === "is");
    if (refused.filter(({ path }) => dropPlace(draft.fields, path)).length > 0) continue;
    return {
      name: draft.name,
      text,
      questions: draft.questions.texts,
      model: errors.length === 0 ? model : null,
      problems: errors.map(({ path, message }) => `${path.join(".")}: ${message}`),
      learned,
    };
  }
}

function recordOf(text: string): JsonRecord {
  const [document] = parseYaml(text, { ...FORMAT_LIMITS, bytes: Infinity }).documents;
  return isRecord(document) ? document : {};
}

const MAX_LISTED = 12;
const MAX_KINDS = 3;

function headNotes(
  { documents, files }: SampleFamily,
  rest: readonly SampleFamily[],
  samples: readonly SampleFile[],
  { leftOut, isBounded }: { readonly leftOut: readonly string[]; readonly isBounded: boolean },
): string[] {
  const notes = [
    `A draft, learned from ${count(files, "file")} such as ${baseName(samples[documents[0]?.file ?? 0]?.path ?? "")}.`,
    "Read it, answer its questions, which are marked with a question mark in quotes, and prove it with `baton format check`.",
  ];
  if (documents.length < 6)
    notes.push("That is little: six files or more show what is always there and which words there are.");
  notes.push(...knownNotes(documents));
  const beside = documents.filter((document) => document.beside > 0).length;
  if (beside > 0)
    notes.push(`${count(beside, "file")} hold several YAML documents: this describes the one that most of them share.`);
  for (const other of rest.slice(0, MAX_KINDS))
    notes.push(
      `Not described: another kind of document in ${count(other.files, "file")}, with ${listed(other.documents[0]?.keys ?? [])}.`,
    );
  if (leftOut.length > 0)
    notes.push(`Keys of one file, or no names of fields, are left out; they are kept as they are: ${listed(leftOut)}`);
  if (isBounded) notes.push("There was too much to look at: some inner fields are left out.");
  return notes;
}

function knownNotes(documents: readonly SampleDocument[]): string[] {
  const known = documents.filter(({ knownAs }) => knownAs !== null);
  const [first] = known;
  if (first === undefined) return [];
  return [
    `${known.length} of ${documents.length} documents are recognised as ${first.knownAs ?? ""}, which comes along.`,
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map((name) => `\`${name.slice(0, 60)}\``);
  return `${shown.join(", ")}${names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ""}`;
}
