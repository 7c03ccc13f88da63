import { type JsonRecord, isRecord } from "../shared/json-value.ts";
import { findCarried } from "./carried-parts.ts";
import type { Dialect, Origin, SyntaxName } from "./dialect.ts";
import { DIALECTS, dialectsIn } from "./dialects/registry.ts";
import { ROOT_KEYS } from "./dialects/root-keys.ts";
import { isHandoffElement } from "./find-elements.ts";
import { Survey, fitsShape } from "./fits-shape.ts";
import type { DialectName } from "./handoff.ts";
import { keepsRules } from "./keeps-rules.ts";
import type { Limits } from "./limits.ts";
import type { ReadOptions, Reading } from "./reading.ts";
import { isJsonName, isManifestName, isYamlFile, recognise, recogniseFileName } from "./recognise.ts";
import { LOST, isTooLarge } from "./refuse-text.ts";
import { countJsonKeys, handOver, hasManyBrackets, parseJson } from "./syntax/json.ts";
import { hasEscapedKey } from "./syntax/json-escaped-keys.ts";
import { readPlainXml } from "./syntax/plain-xml.ts";
import { readPlainYaml } from "./syntax/plain-yaml.ts";
import type { Span } from "./syntax/syntax.ts";
import { hasTooManyItems } from "./syntax/yaml-items.ts";

/**
 * The short way for the file that is one handoff and has nothing wrong with it, as nearly all have. It
 * accepts, or gives up and leaves the text to the full way, which alone can say what is wrong. So it knows
 * nothing of places and messages; and it must never accept what the full way would remark on.
 */
export function readFlawlessFile(text: string, options: ReadOptions, limits: Limits): Reading | null {
  const first = text.charCodeAt(0);
  if (first !== OPEN_BRACE && first !== LESS && !(first > SPACE && isYamlFile(text, 0, options))) return null;
  if (isTooLarge(text, limits) || text.includes(LOST)) return null;
  if (options.path !== undefined && isManifestName(options.path)) return null;
  if (first === OPEN_BRACE) return readFlawlessJson(text, options, limits);
  return first === LESS ? readFlawlessXml(text, options, limits) : readFlawlessYaml(text, options, limits);
}

const SPACE = 0x20;
const OPEN_BRACE = 0x7b;
const LESS = 0x3c;

function readFlawlessJson(text: string, options: ReadOptions, limits: Limits): Reading | null {
  const document = hasManyBrackets(text, limits) ? null : parseJson(text)?.value;
  if (!isRecord(document)) return null;
  const given = options.dialect ?? (options.path === undefined ? null : recogniseFileName(options.path));
  // What the text does not hold, no value of it holds; and only an escape makes a control character.
  const survey = new Survey(limits, !text.includes("|") && !text.includes("\\"));
  const dialect = fittingDialect(text, document, "json", given, survey);
  const isSound = dialect !== null && countJsonKeys(text) === survey.keys && !hasEscapedKey(text);
  const reading = isSound ? accept(document, dialect, survey, { start: 0, end: text.length }, options) : null;
  return reading ?? handOver(text, document);
}

function readFlawlessYaml(text: string, options: ReadOptions, limits: Limits): Reading | null {
  if (isJsonName(options.path ?? "") || hasTooManyItems(text, limits)) return null;
  const document = readPlainYaml(text, limits);
  if (document === null) return null;
  const survey = new Survey(limits);
  const dialect = fittingDialect(text, document, "yaml", options.dialect ?? null, survey);
  return dialect === null ? null : accept(document, dialect, survey, { start: 0, end: text.length }, options);
}

/** The dialect of a document, when it has the shape of it. */
function fittingDialect(
  text: string,
  document: JsonRecord,
  syntax: SyntaxName,
  given: DialectName | null,
  survey: Survey,
): Dialect | null {
  const name = given ?? dialectByRootKey(document, syntax) ?? recognise(text, syntax);
  const dialect = name === null ? null : DIALECTS[name];
  if (dialect?.syntax !== syntax || !fitsShape(document, dialect.shape, survey)) return null;
  // A key that the dialect does not have could be one that names another.
  return given !== null || survey.unknown === 0 || recognise(text, syntax) === name ? dialect : null;
}

function dialectByRootKey(document: JsonRecord, syntax: SyntaxName): DialectName | null {
  const byKey = BY_ROOT_KEY[syntax];
  for (const key in document) {
    const name = byKey.get(key);
    if (name !== undefined) return name;
  }
  return null;
}

const BY_ROOT_KEY = { json: rootKeysOf("json"), yaml: rootKeysOf("yaml"), xml: rootKeysOf("xml") };

function rootKeysOf(syntax: SyntaxName): ReadonlyMap<string, DialectName> {
  return new Map(dialectsIn(syntax).flatMap((name) => ROOT_KEYS[name].map((key) => [key, name] as const)));
}

function readFlawlessXml(text: string, options: ReadOptions, limits: Limits): Reading | null {
  const dialect = DIALECTS["issue-xml"];
  if (options.dialect !== undefined && options.dialect !== dialect.name) return null;
  const plain = readPlainXml(text, dialect.shape, limits);
  if (plain === null || !isHandoffElement(plain.root) || isJsonName(options.path ?? "")) return null;
  const { document } = plain;
  const survey = new Survey(limits);
  if (!fitsShape(document, dialect.shape, survey)) return null;
  return accept(document, dialect, survey, plain, options);
}

/** The reading, when the rules are silent too and nothing is carried. */
function accept(
  document: JsonRecord,
  dialect: Dialect,
  survey: Survey,
  { start, end }: Span,
  options: ReadOptions,
): Reading | null {
  const origin: Origin = options.path === undefined ? NO_ORIGIN : { path: options.path };
  if (!keepsRules(document, dialect, origin) || findCarried(document, dialect) !== undefined) return null;
  const handoff = dialect.lift(document, origin, survey.unknown === 0);
  const { name } = dialect;
  return { dialect: name, valid: true, handoffs: [{ dialect: name, start, end, handoff }], diagnostics: [] };
}

const NO_ORIGIN: Origin = {};
