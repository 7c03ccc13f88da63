import { YAMLException } from "js-yaml";
import { type JsonPath, isRecord } from "../../shared/json-value.ts";
import type { SyntaxName } from "../dialect.ts";
import type { Limits } from "../limits.ts";
import type { RecordShape, Shape } from "../shape.ts";
import { countJsonKeys, hasManyBrackets, parseJson } from "./json.ts";
import { hasEscapedKey, readExactKeys } from "./json-places.ts";
import { jsonProblems, jsonTooDeepAt } from "./json-problems.ts";
import { mapJson } from "./json-source-map.ts";
import type { SourceMap, SyntaxProblem } from "./syntax.ts";
import { readKeptElement, readXmlDocument } from "./xml-document.ts";
import { xmlProblems } from "./xml-problems.ts";
import { mapXml } from "./xml-source-map.ts";
import { XmlRefusal, parseXml } from "./xml.ts";
import { yamlProblems } from "./yaml-problems.ts";
import { mapYaml } from "./yaml-source-map.ts";
import { type NumberSpelling, settleNumbers } from "./written-number.ts";
import { parseYaml } from "./yaml.ts";

/** A block as a document, before anything is known of its meaning. */
export interface ParsedBlock {
  readonly document: unknown;
  /** Whether a key stands twice in one record, given the keys that a walk of the document met. */
  hasDuplicates(keysMet: number): boolean;
  /** The numbers that do not print as they are written; null when there is none. */
  readonly spelling: NumberSpelling | null;
  /** Values that stay text because a number would lose digits. */
  readonly inexact: readonly JsonPath[];
  /** Documents of the same text that are not read, because they are not the handoff. */
  readonly unread: number;
  /** Fields of the shape that stand in those documents, and not in the one that is read. */
  readonly unreadFields: readonly string[];
  /** Where the text first goes deeper than the limit. */
  tooDeepAt(limits: Limits): number;
  /** The value of an unknown key as it would be read if the key were a field of this shape. */
  renamed(value: unknown, shape: Shape): unknown;
  /** Looks up places; made only when there is something to report. */
  map(): SourceMap;
}

/** How a block is written; a dialect says so of its own blocks. */
interface BlockSyntax {
  readonly syntax: SyntaxName;
  /** What an XML element, and a number of YAML, is read by. */
  readonly shape: RecordShape;
  /** The key by which the right one of several YAML documents is known. */
  readonly mark?: string;
}

/** What a parser threw, so that a second look need not begin by parsing again. */
export type ParseFailure = YAMLException | XmlRefusal;

/** The block's document, or null when it does not parse; `syntaxProblems` then says why. */
export function parseBlock(
  text: string,
  { syntax, shape, mark = "" }: BlockSyntax,
  limits: Limits,
  failed: (failure: ParseFailure) => void = ignore,
): ParsedBlock | null {
  switch (syntax) {
    case "json":
      return parseJsonBlock(text, limits);
    case "yaml":
      return parseYamlBlock(text, shape, mark, limits, failed);
    case "xml":
      return parseXmlBlock(text, shape, limits, failed);
  }
}

function ignore(): void {}

/** Everything that keeps a block from being parsed. */
export function syntaxProblems(
  text: string,
  { syntax }: BlockSyntax,
  limits: Limits,
  failure?: ParseFailure,
): SyntaxProblem[] {
  switch (syntax) {
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
  if (!hasEscapedKey(text) || jsonTooDeepAt(text, limits) !== null) return new JsonBlock(text, parsed.value);
  return new JsonBlock(text, readExactKeys(text));
}

const NONE: readonly never[] = [];

class JsonBlock implements ParsedBlock {
  readonly unread = 0;
  readonly unreadFields = NONE;
  readonly spelling = null;
  readonly inexact = NONE;
  readonly document: unknown;
  readonly #text: string;

  constructor(text: string, document: unknown) {
    this.#text = text;
    this.document = document;
  }

  hasDuplicates(keysMet: number): boolean {
    return countJsonKeys(this.#text) !== keysMet;
  }

  tooDeepAt(limits: Limits): number {
    return jsonTooDeepAt(this.#text, limits) ?? 0;
  }

  renamed(value: unknown): unknown {
    return value;
  }

  map(): SourceMap {
    return mapJson(this.#text);
  }
}

function parseYamlBlock(
  text: string,
  shape: RecordShape,
  mark: string,
  limits: Limits,
  failed: (failure: ParseFailure) => void,
): ParsedBlock | null {
  try {
    const { documents, hasDuplicates, hasWrittenNumbers, events } = parseYaml(text, limits);
    const chosen = Math.max(
      0,
      documents.findLastIndex((document) => isRecord(document) && mark in document),
    );
    const document = documents[chosen];
    const others = documents.filter((other, index) => index !== chosen && other !== null);
    return {
      ...(hasWrittenNumbers ? settleNumbers(document, shape) : { document, spelling: null, inexact: NONE }),
      unread: others.length,
      unreadFields: others.length === 0 ? NONE : fieldsOnlyIn(others, document, shape),
      hasDuplicates: () => hasDuplicates,
      tooDeepAt: () => 0,
      renamed: (value) => value,
      map: () => mapYaml(text, events(), chosen),
    };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    failed(error);
    return null;
  }
}

function fieldsOnlyIn(others: readonly unknown[], document: unknown, { fields }: RecordShape): string[] {
  const names = others.filter(isRecord).flatMap((other) => Object.keys(other));
  return names.filter((name) => Object.hasOwn(fields, name) && !(isRecord(document) && Object.hasOwn(document, name)));
}

function parseXmlBlock(
  text: string,
  shape: RecordShape,
  limits: Limits,
  failed: (failure: ParseFailure) => void,
): ParsedBlock | null {
  const renamed = (value: unknown, as: Shape): unknown => readKeptElement(value, as, limits);
  try {
    const root = parseXml(text, limits);
    const { value, repeated } = readXmlDocument(root, shape);
    return {
      document: value,
      spelling: null,
      inexact: NONE,
      unread: 0,
      unreadFields: NONE,
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
