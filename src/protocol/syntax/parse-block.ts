import { YAMLException } from "js-yaml";
import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import type { SyntaxName } from "../dialect.ts";
import type { Limits } from "../limits.ts";
import type { RecordShape, Shape } from "../shape.ts";
import { countJsonKeys, hasManyBrackets, parseJson } from "./json.ts";
import { hasEscapedKey, readExactKeys } from "./json-escaped-keys.ts";
import { jsonProblems, jsonTooDeepAt } from "./json-problems.ts";
import { mapJson } from "./json-source-map.ts";
import { readPlainXml } from "./plain-xml.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import type { SourceMap, SyntaxProblem } from "./syntax.ts";
import { readKeptElement, readXmlDocument } from "./xml-document.ts";
import { xmlProblems } from "./xml-problems.ts";
import { mapXml } from "./xml-source-map.ts";
import { XmlRefusal, parseXml } from "./xml.ts";
import { yamlProblems } from "./yaml-problems.ts";
import { mapYaml } from "./yaml-source-map.ts";
import { hasTooManyItems } from "./yaml-items.ts";
import { yamlDocuments, yamlEvents } from "./yaml.ts";

/** A block as a document, before anything is known of its meaning. */
export interface ParsedBlock {
  readonly document: unknown;
  /** Whether a key stands twice in one record, given the keys that a walk of the document met. */
  hasDuplicates(keysMet: number): boolean;
  /** Documents of the same text that are not read, because they are not the handoff. */
  readonly unread?: number;
  /** Where the text first goes deeper than the limit. */
  tooDeepAt(limits: Limits): number;
  /** The value of an unknown key as it would be read if the key were a field of this shape. */
  renamed(value: unknown, shape: Shape): unknown;
  /** Looks up places; made only when there is something to report. */
  map(): SourceMap;
}

export interface BlockSyntax {
  readonly name: SyntaxName;
  /** What an XML element is read by. */
  readonly shape: RecordShape;
  /** The key by which the right one of several YAML documents is known. */
  readonly mark: string;
}

/** What a parser threw, so that a second look need not begin by parsing again. */
export type ParseFailure = YAMLException | XmlRefusal;

/** The block's document, or null when it does not parse; `syntaxProblems` then says why. */
export function parseBlock(
  text: string,
  syntax: BlockSyntax,
  limits: Limits,
  failed: (failure: ParseFailure) => void = () => undefined,
): ParsedBlock | null {
  switch (syntax.name) {
    case "json":
      return parseJsonBlock(text, limits);
    case "yaml":
      return parseYamlBlock(text, syntax.mark, limits, failed);
    case "xml":
      return parseXmlBlock(text, syntax.shape, limits, failed);
  }
}

export function syntaxProblems(
  text: string,
  syntax: BlockSyntax,
  limits: Limits,
  failure?: ParseFailure,
): SyntaxProblem[] {
  switch (syntax.name) {
    case "json":
      return jsonProblems(text, limits);
    case "yaml":
      return yamlProblems(text, limits, failure instanceof YAMLException ? failure : undefined);
    case "xml":
      return xmlProblems(text, limits, failure instanceof XmlRefusal ? failure : undefined);
  }
}

function parseJsonBlock(text: string, limits: Limits): ParsedBlock | null {
  if (hasManyBrackets(text, limits) && jsonTooDeepAt(text, limits) !== null) return null;
  const parsed = parseJson(text);
  if (parsed === null) return null;
  const document = hasEscapedKey(text) && jsonTooDeepAt(text, limits) === null ? readExactKeys(text) : parsed.value;
  return {
    document,
    hasDuplicates: (keysMet) => countJsonKeys(text) !== keysMet,
    tooDeepAt: (allowed) => jsonTooDeepAt(text, allowed) ?? 0,
    renamed: asItIs,
    map: () => mapJson(text),
  };
}

function parseYamlBlock(
  text: string,
  mark: string,
  limits: Limits,
  failed: (failure: ParseFailure) => void,
): ParsedBlock | null {
  if (hasTooManyItems(text, limits)) return null;
  const plain = readPlainYaml(text, limits);
  if (plain !== null) {
    const map = (): SourceMap => mapYaml(text, yamlEvents(text, limits), 0);
    return { document: plain, hasDuplicates: () => false, tooDeepAt: () => 0, renamed: asItIs, map };
  }
  try {
    const events = yamlEvents(text, limits);
    const { documents, duplicates } = constructDocuments(text, events);
    const chosen = Math.max(
      0,
      documents.findLastIndex((document) => isRecord(document) && mark in document),
    );
    return {
      document: documents[chosen],
      unread: documents.filter((document, index) => index !== chosen && document !== null).length,
      hasDuplicates: () => duplicates,
      tooDeepAt: () => 0,
      renamed: asItIs,
      map: () => mapYaml(text, events, chosen),
    };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    failed(error);
    return null;
  }
}

function asItIs(value: unknown): unknown {
  return value;
}

/** A key written twice is no reason to stop: the rest can be judged in the same breath. */
function constructDocuments(
  text: string,
  events: ReturnType<typeof yamlEvents>,
): { documents: unknown[]; duplicates: boolean } {
  try {
    return { documents: yamlDocuments(text, events), duplicates: false };
  } catch (error) {
    if (!(error instanceof YAMLException) || error.reason !== "duplicated mapping key") throw error;
    return { documents: yamlDocuments(text, events, true), duplicates: true };
  }
}

function parseXmlBlock(
  text: string,
  shape: RecordShape,
  limits: Limits,
  failed: (failure: ParseFailure) => void,
): ParsedBlock | null {
  const renamed = (value: unknown, as: Shape): unknown => readKeptElement(value, as, limits);
  const plain = readPlainXml(text, shape, limits);
  if (plain !== null) {
    const map = (): SourceMap => mapXml(text, []);
    return { document: plain.document, hasDuplicates: () => false, tooDeepAt: () => 0, renamed, map };
  }
  try {
    const root = parseXml(text, limits);
    const { value, repeated } = readXmlDocument(root, shape);
    const document: JsonRecord = { "#root": root.name, ...value };
    return {
      document,
      hasDuplicates: () => repeated.length > 0,
      tooDeepAt: () => 0,
      renamed,
      map: () => mapXml(text, repeated),
    };
  } catch (error) {
    if (!(error instanceof XmlRefusal)) throw error;
    failed(error);
    return null;
  }
}
