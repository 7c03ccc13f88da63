import { type JsonRecord, isRecord } from "../../../shared/json-value.ts";
import { MAX_MARKS } from "../../block.ts";
import type { SyntaxName } from "../../dialect.ts";
import { isBuiltin } from "../../dialects/registry.ts";
import type { BuiltinDialect } from "../../handoff-words.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import { recogniseFileName, recognise } from "../../recognise.ts";
import { refuseText } from "../../refuse-text.ts";
import { jsonTooDeepAt } from "../../syntax/json-problems.ts";
import { parseJson } from "../../syntax/json.ts";
import { scanMarkdown } from "../../syntax/markdown-blocks.ts";
import type { MarkdownOutline } from "../../syntax/markdown-outline.ts";
import { settleNumbers } from "../../syntax/written-number.ts";
import { type XmlElement, XmlRefusal, parseXml } from "../../syntax/xml.ts";
import { parseYaml } from "../../syntax/yaml.ts";
import { YAMLException } from "js-yaml";

/** A text that a format is learned from. */
export interface SampleFile {
  readonly path: string;
  readonly text: string;
}

/** A document of a sample, which may be a handoff of the format. */
export interface SampleDocument {
  /** Position of its file in the list. */
  readonly file: number;
  readonly syntax: SyntaxName;
  /** Null for XML, where lists are known only when all documents have been seen. */
  readonly record: JsonRecord | null;
  readonly root: XmlElement | null;
  /** Keys at the root; of XML the name of the root element. */
  readonly keys: readonly string[];
  readonly isWholeFile: boolean;
  /** The heading of its section. */
  readonly heading: string | null;
  /** How many YAML documents stand beside it in the same text. */
  readonly beside: number;
  /** The format that comes along and that it is recognised as. */
  readonly knownAs: BuiltinDialect | null;
}

interface SampleReading {
  readonly documents: readonly SampleDocument[];
  /** Why the file has none. */
  readonly refused: string | null;
}

/** Every record that stands in a file where a handoff may stand: the whole file, a fenced block, or an element. */
export function sampleDocuments({ path, text }: SampleFile, file: number): SampleReading {
  const refusal = refuseText(text, DEFAULT_LIMITS);
  if (refusal !== null) return { documents: [], refused: refusal.diagnostics[0]?.message ?? "It cannot be read." };
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    const documents = parsePieces(piecesOf(path, body), file);
    return { documents, refused: documents.length === 0 ? "It holds no record of JSON, YAML or XML." : null };
  } catch (error) {
    if (error instanceof Unreadable) return { documents: [], refused: error.message };
    throw error;
  }
}

/** A stretch of text that may be a document. */
interface Piece {
  readonly text: string;
  readonly syntax: SyntaxName;
  readonly path: string | null;
  readonly heading: string | null;
}

class Unreadable extends Error {}

function piecesOf(path: string, text: string): Piece[] {
  const first = /\S/.exec(text)?.[0];
  const whole = (syntax: SyntaxName): Piece[] => [{ text, syntax, path, heading: null }];
  if (/\.json$/i.test(path) || first === "{") return whole("json");
  if (/\.xml$/i.test(path)) return whole("xml");
  if (/\.ya?ml$/i.test(path)) return whole("yaml");
  const outline = scanMarkdown(text, MAX_MARKS);
  if (!outline.whole) throw new Unreadable("It has too many headings, fences and separators.");
  return [...fencedPieces(text, outline), ...sectionPieces(text, outline), ...elementPieces(text, outline)];
}

/** YAML without a fence below a heading: the section begins with a key, and holds nothing else. */
function sectionPieces(text: string, { headings, fences }: MarkdownOutline): Piece[] {
  return headings.slice(0, MAX_PIECES).flatMap(({ text: heading, end }, index): Piece[] => {
    const next = headings[index + 1]?.start ?? text.length;
    const content = text.slice(end, next);
    const isFenced = fences.some(({ start }) => start >= end && start < next);
    return isFenced || !BARE_YAML.test(content) ? [] : [{ text: content, syntax: "yaml", path: null, heading }];
  });
}

/** Two keys or more, each at the start of a line; prose has one at most. */
const BARE_YAML =
  /^\s*[\p{L}_][\p{L}\p{N}_-]{0,63}:(?:[ \t][^\n]*)?\n(?:[^\n]*\n)*?[\p{L}_][\p{L}\p{N}_-]{0,63}:(?:\s|$)/u;

const LANGUAGES: Readonly<Record<string, SyntaxName>> = { json: "json", yaml: "yaml", yml: "yaml", xml: "xml" };
const MAX_PIECES = 50;

function fencedPieces(text: string, outline: MarkdownOutline): Piece[] {
  return outline.fences.slice(0, MAX_PIECES).flatMap(({ info, start, contentStart, contentEnd }): Piece[] => {
    const syntax = LANGUAGES[info.split(/\s/)[0]?.toLowerCase() ?? ""];
    if (syntax === undefined) return [];
    const heading = outline.headings.findLast((candidate) => candidate.end <= start)?.text ?? null;
    return [{ text: text.slice(contentStart, contentEnd), syntax, path: null, heading }];
  });
}

const OPENING = /^<([A-Za-z_][\w-]{0,63})[\s>]/gm;

/** Elements that begin a line outside of fences and are closed. */
function elementPieces(text: string, outline: MarkdownOutline): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let tried = 0;
  for (const match of text.matchAll(OPENING)) {
    const { index } = match;
    if (index < from) continue;
    if (++tried > MAX_PIECES) break;
    if (outline.fences.some(({ start, end }) => start <= index && index < end)) continue;
    const closing = `</${match[1] ?? ""}>`;
    const end = text.indexOf(closing, index);
    if (end === -1) continue;
    from = end + closing.length;
    pieces.push({ text: text.slice(index, from), syntax: "xml", path: null, heading: null });
  }
  return pieces;
}

function parsePieces(pieces: readonly Piece[], file: number): SampleDocument[] {
  return pieces.flatMap((piece): SampleDocument[] => {
    try {
      return parsePiece(piece, file);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      // One block that cannot be parsed is no reason to leave the others out; a whole file is.
      if (piece.path === null) return [];
      throw error;
    }
  });
}

function parsePiece({ text, syntax, path, heading }: Piece, file: number): SampleDocument[] {
  const recognised = recogniseFileName(path ?? undefined) ?? recognise(text, syntax);
  const knownAs = recognised !== null && isBuiltin(recognised) ? recognised : null;
  const common = { file, syntax, isWholeFile: path !== null, heading, knownAs };
  if (syntax === "xml") {
    const root = xmlRoot(text);
    return [{ ...common, record: null, root, keys: [root.name], beside: 0 }];
  }
  const values = syntax === "json" ? [jsonValue(text)] : yamlValues(text);
  const records = values.filter(isRecord);
  return records.map((record) => ({
    ...common,
    record,
    root: null,
    keys: Object.keys(record),
    beside: records.length - 1,
  }));
}

function jsonValue(text: string): unknown {
  if (jsonTooDeepAt(text, DEFAULT_LIMITS) !== null) throw new Unreadable("It is nested too deep.");
  const parsed = parseJson(text);
  if (parsed === null) throw new Unreadable("It is not valid JSON.");
  return parsed.value;
}

function yamlValues(text: string): unknown[] {
  try {
    const { documents, hasDuplicates } = parseYaml(text, DEFAULT_LIMITS);
    if (hasDuplicates) throw new Unreadable("A key is written twice in it.");
    return documents.map((document) => settleNumbers(document, { kind: "anything" }).document);
  } catch (error) {
    if (error instanceof YAMLException) throw new Unreadable("It is not valid YAML, or has anchors and aliases.");
    throw error;
  }
}

function xmlRoot(text: string): XmlElement {
  try {
    return parseXml(text.trim(), DEFAULT_LIMITS);
  } catch (error) {
    if (error instanceof XmlRefusal) throw new Unreadable("It is not well-formed XML, or too large.");
    throw error;
  }
}
