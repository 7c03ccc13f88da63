import { dialectOf } from "../../src/protocol/format-file/described-dialect.ts";
import { type LearnedFormat, learnFormat } from "../../src/protocol/format-file/learning/learn-format.ts";
import {
  type SampleDocument,
  type SampleFile,
  sampleDocuments,
} from "../../src/protocol/format-file/learning/sample-documents.ts";
import { tryFormat } from "../../src/protocol/format-file/learning/try-format.ts";
import { XmlValues } from "../../src/protocol/format-file/learning/xml-values.ts";
import { childElements } from "../../src/protocol/syntax/xml.ts";
import { printYaml } from "../../src/protocol/syntax/yaml.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { type Mutant, familyPlaces, mutantsOf } from "./mutate-document.ts";

/** Files of one kind: their documents have one set of root keys. */
interface Family {
  readonly name: string;
  readonly files: readonly SampleFile[];
  readonly documents: readonly SampleDocument[];
}

export interface FamilyResult {
  readonly name: string;
  readonly files: number;
  /** Of the half that nothing was learned from. */
  readonly tried: number;
  readonly accepted: number;
  readonly mutants: Readonly<Record<Mutant["kind"], Tally>>;
  readonly questions: number;
  /** What went wrong, for a look by eye. */
  readonly notes: readonly string[];
}

export interface Tally {
  made: number;
  refused: number;
}

export const MIN_FILES = 6;

/** The families of a folder; documents that stand together in one YAML file are taken singly. */
export function familiesOf(name: string, files: readonly SampleFile[]): Family[] {
  const groups = new Map<string, { file: SampleFile; document: SampleDocument }[]>();
  for (const file of files)
    for (const document of sampleDocuments(file, 0).documents) {
      const key = `${document.syntax}:${rootKeys(document).toSorted().join(",")}`;
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      group.push({ file: singled(file, document), document });
    }
  return [...groups.values()]
    .filter((group) => group.length >= MIN_FILES)
    .map((group, index) => ({
      name: `${name}${index === 0 ? "" : ` ${index + 1}`}`,
      files: group.map(({ file }) => file),
      documents: group.map(({ document }) => document),
    }));
}

function rootKeys({ keys, root }: SampleDocument): readonly string[] {
  return root === null ? keys : [...keys, ...new Set(childElements(root).map(({ name }) => name))];
}

function singled(file: SampleFile, { beside, record, syntax }: SampleDocument): SampleFile {
  return beside === 0 || syntax !== "yaml" ? file : { path: file.path, text: printYaml(record) };
}

/** Learns from every other file, and tries what was learned on the rest and on faulty copies of it. */
export function tryFamily({ name, files, documents }: Family): FamilyResult {
  const learnedFrom = files.filter((_, index) => index % 2 === 0);
  const rest = files.filter((_, index) => index % 2 === 1);
  const { format } = learnFormat(learnedFrom);
  const mutants = { removed: tally(), retyped: tally(), reworded: tally() };
  const notes: string[] = [];
  const result = { name, files: files.length, tried: rest.length, mutants, notes };
  if (format === null || format.model === null)
    return { ...result, accepted: 0, questions: 0, notes: format?.problems ?? ["nothing was learned"] };
  const tried = tryFormat(format.model, rest);
  for (const { file, why } of tried) if (why !== null) notes.push(`not accepted: ${rest[file]?.path ?? ""}: ${why}`);
  countMutants(format, documents, rest, mutants, notes);
  const accepted = tried.filter(({ isAccepted }) => isAccepted).length;
  return { ...result, accepted, questions: format.questions.length };
}

function tally(): Tally {
  return { made: 0, refused: 0 };
}

function countMutants(
  { model }: LearnedFormat,
  documents: readonly SampleDocument[],
  rest: readonly SampleFile[],
  mutants: FamilyResult["mutants"],
  notes: string[],
): void {
  if (model === null) return;
  const records = recordsOf(documents);
  const places = familyPlaces(records);
  const dialect = dialectOf(model);
  const missed = new Map<string, number>();
  const isAccepted = (record: JsonRecord, path: string): boolean =>
    tryFormat(model, [{ path, text: dialect.print(record) }])[0]?.isAccepted === true;
  for (const [index, { path }] of rest.entries()) {
    const record = records[2 * index + 1] ?? {};
    if (!isAccepted(record, path)) continue;
    for (const mutant of mutantsOf(record, places, records.length)) {
      const of = mutants[mutant.kind];
      of.made++;
      if (!isAccepted(mutant.document, path)) of.refused++;
      else missed.set(`${mutant.kind} ${mutant.path}`, (missed.get(`${mutant.kind} ${mutant.path}`) ?? 0) + 1);
    }
  }
  for (const [what, times] of missed) notes.push(`accepted ${times} times: ${what}`);
}

function recordsOf(documents: readonly SampleDocument[]): JsonRecord[] {
  const xml = new XmlValues();
  for (const { root } of documents) if (root !== null) xml.see(root);
  return documents.map(({ record, root }) => (root === null ? (record ?? {}) : xml.record(root)));
}
