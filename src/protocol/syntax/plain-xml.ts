import { type JsonRecord, type JsonValue, shown } from "../../shared/json-value.ts";
import type { Limits } from "../limits.ts";
import type { RecordShape } from "../shape.ts";
import { numberAsWritten } from "./exact-number.ts";
import { type Plan, UNKNOWN_PLAN, childOf, planOf } from "./plain-xml-plan.ts";
import type { XmlElement } from "./xml.ts";
import { keepUnknown } from "./xml-document.ts";

export interface PlainXml {
  readonly root: string;
  /** With the root's name as `#root`. */
  readonly document: JsonRecord;
  /** From the root's opening tag to just after its closing one. */
  readonly start: number;
  readonly end: number;
}

/**
 * The short way for XML as agents write it: elements and attributes, those that the shape names each once, text,
 * CDATA and comments. It accepts or gives up (null), and gives up at the first thing it does not know by heart:
 * DOCTYPE, instructions, names beyond ASCII, attributes of plain values, line breaks in attributes. Such a text
 * is read by the real parser, which would have made the same document of everything that is accepted here; a
 * differential test holds it to that.
 */
export function readPlainXml(text: string, shape: RecordShape, limits: Limits): PlainXml | null {
  if (text.charCodeAt(0) !== LESS || (text === refused?.text && limits === refused.limits)) return null;
  const plain = UNUSUAL.test(text) || HALVES.test(text) ? null : scanDocument(text, shape, limits);
  if (plain === null) refused = { text, limits };
  return plain;
}

/** The last text that was given up: the full way, which comes next, asks about it again. */
let refused: { readonly text: string; readonly limits: Limits } | null = null;

function scanDocument(text: string, shape: RecordShape, limits: Limits): PlainXml | null {
  const start = DECLARATION.exec(text)?.[0].length ?? 0;
  const scan = new Scan(text, start, limits);
  const root = scan.name();
  const document = root === null ? null : scan.element(root, planOf(shape), 0);
  if (root === null || document === null || text.slice(scan.at).trim() !== "") return null;
  // Anywhere but at the end of a CDATA section it would be wrong, or at least strange.
  if (countOf(text, "]]>") !== scan.sections) return null;
  return { root, document: document as JsonRecord, start, end: scan.at };
}

const DECLARATION =
  /^<\?xml version=(?:"1\.0"|'1\.0')(?: encoding=(?:"(?:UTF|utf)-8"|'(?:UTF|utf)-8'))?(?: standalone="yes")? ?\?>\s*/;

/** What XML forbids. */
const UNUSUAL = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
/** One half of a character that comes in pairs. */
const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** One pass over a text, from tag to tag. Null means to give up. */
class Scan {
  at: number;
  /** CDATA sections that were read. */
  sections = 0;
  readonly #text: string;
  readonly #limits: Limits;
  readonly #hasEntities: boolean;
  readonly #hasTabs: boolean;
  readonly #hasReturns: boolean;
  #nodes = 0;
  /** Where the next tag begins; in a tag, just as far as its attributes may reach. */
  #nextTag = 0;
  #nextLine = -1;
  #isEmpty = false;

  constructor(text: string, from: number, limits: Limits) {
    this.at = from;
    this.#text = text;
    this.#limits = limits;
    this.#hasEntities = text.includes("&");
    this.#hasTabs = text.includes("\t");
    this.#hasReturns = text.includes("\r");
  }

  /** The name after the `<` where the scan stands. */
  name(): string | null {
    const start = this.at + 1;
    let end = start;
    if (this.#text.charCodeAt(this.at) !== LESS || !isNameStart(this.#text.charCodeAt(start))) return null;
    while (isNamePart(this.#text.charCodeAt(end))) end++;
    this.at = end;
    this.#nextTag = this.#text.indexOf("<", end);
    return this.#text.slice(start, end);
  }

  /** The value of an element, from after its name to after its closing tag. */
  element(name: string, plan: Plan, depth: number): JsonValue | null {
    if (depth >= this.#limits.depth || ++this.#nodes > this.#limits.nodes) return null;
    const record: JsonRecord = depth === 0 ? { "#root": name } : {};
    if (!this.#attributes(record, plan)) return null;
    if (plan.kind === "text") return this.#isEmpty ? "" : this.#lastText(name);
    if (plan.kind === "list") return this.#isEmpty ? [] : this.#items(name, plan, depth);
    const content = this.#isEmpty ? "" : this.#children(record, name, plan, depth);
    if (content === null) return null;
    if (plan.takesText) record["#text"] = content.trim();
    return record;
  }

  /** Reads to the end of the tag. */
  #attributes(record: JsonRecord, plan: Plan): boolean {
    const text = this.#text;
    for (;;) {
      const from = this.at;
      while (isSpace(text.charCodeAt(this.at))) this.at++;
      const code = text.charCodeAt(this.at);
      this.#isEmpty = code === SLASH;
      if (this.#isEmpty) this.at++;
      if (text.charCodeAt(this.at) === GREATER) {
        this.at++;
        return true;
      }
      if (this.#isEmpty || from === this.at || !this.#attribute(record, plan)) return false;
    }
  }

  #attribute(record: JsonRecord, plan: Plan): boolean {
    const text = this.#text;
    const equals = text.indexOf("=", this.at);
    const key = equals === -1 ? undefined : attributeKey(plan, text.slice(this.at, equals));
    if (key === undefined || record[key] !== undefined) return false;
    const quote = text.charCodeAt(equals + 1);
    if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return false;
    const start = equals + 2;
    const end = text.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", start);
    if (end === -1 || !this.#isPlainValue(start, end)) return false;
    const value = this.#decoded(start, end);
    if (value === null) return false;
    record[key] = value;
    this.at = end + 1;
    return true;
  }

  /** Without `<`, and without line breaks and tabs, which XML would turn into spaces. */
  #isPlainValue(start: number, end: number): boolean {
    if (this.#nextLine < start) this.#nextLine = indexOrEnd(this.#text, "\n", start);
    if (this.#nextLine < end || (this.#nextTag !== -1 && this.#nextTag < end)) return false;
    return (!this.#hasTabs && !this.#hasReturns) || !/[\t\r]/.test(this.#text.slice(start, end));
  }

  /** Reads the children of a record or map into it, and gives the text between them. */
  #children(record: JsonRecord, name: string, plan: Plan, depth: number): string | null {
    let content = "";
    for (;;) {
      const piece = plan.takesText ? this.#textBefore() : this.#spaceBefore();
      if (piece === null) return null;
      content += piece;
      if (this.#closes(name)) return content;
      const childName = this.name();
      if (childName === null) return null;
      const child = childOf(plan, childName);
      if (child === undefined) {
        const unknown = plan.kind === "record" ? this.#unknown(childName, depth + 1) : null;
        if (unknown === null) return null;
        keepUnknown(record, unknown);
        continue;
      }
      if (Object.hasOwn(record, child.key)) return null;
      const value = this.element(child.key, child.plan, depth + 1);
      if (value === null) return null;
      record[child.key] = plan.kind === "map" ? scalar(value) : value;
    }
  }

  /** An element that the shape does not name, as the parser gives it. */
  #unknown(name: string, depth: number): XmlElement | null {
    if (depth >= this.#limits.depth || ++this.#nodes > this.#limits.nodes) return null;
    const written: JsonRecord = {};
    if (!this.#attributes(written, UNKNOWN_PLAN)) return null;
    const attributes = Object.fromEntries(Object.entries(written).map(([key, value]) => [key.slice(1), shown(value)]));
    const children: (XmlElement | string)[] = [];
    let isOpen = !this.#isEmpty;
    while (isOpen) {
      const piece = this.#textBefore();
      if (piece === null) return null;
      if (piece !== "") children.push(piece);
      isOpen = !this.#closes(name);
      const childName = isOpen ? this.name() : null;
      const child = childName === null ? null : this.#unknown(childName, depth + 1);
      if (child !== null) children.push(child);
      else if (isOpen) return null;
    }
    return { name, attributes, children, hasElements: children.some((child) => typeof child !== "string") };
  }

  #items(name: string, plan: Plan, depth: number): JsonValue[] | null {
    const items: JsonValue[] = [];
    for (;;) {
      if (this.#spaceBefore() === null) return null;
      if (this.#closes(name)) return items;
      if (plan.item === null || this.name() !== plan.element) return null;
      const value = this.element(plan.element, plan.item, depth + 1);
      if (value === null) return null;
      items.push(value);
    }
  }

  /** The text of an element that holds nothing else. */
  #lastText(name: string): string | null {
    const piece = this.#textBefore();
    return piece !== null && this.#closes(name) ? piece.trim() : null;
  }

  /** Moves to the next tag and gives the text before it, with what stands in CDATA and without comments. */
  #textBefore(): string | null {
    let content = this.#piece();
    while (content !== null && this.#text.charCodeAt(this.at + 1) === BANG) {
      const section = this.#text.charCodeAt(this.at + 2) === OPEN_BRACKET ? this.#section() : this.#comment();
      const piece = section === null ? null : this.#piece();
      content = section === null || piece === null ? null : content + section + piece;
    }
    return content;
  }

  /** The same where no text is taken: there may be only space and comments. */
  #spaceBefore(): string | null {
    const text = this.#text;
    for (;;) {
      while (isSpace(text.charCodeAt(this.at))) this.at++;
      if (text.charCodeAt(this.at) !== LESS) return null;
      if (text.charCodeAt(this.at + 1) !== BANG) return "";
      if (this.#comment() === null) return null;
    }
  }

  /** The text from here to whatever begins next. */
  #piece(): string | null {
    const start = this.at;
    if (this.#nextTag < start) this.#nextTag = this.#text.indexOf("<", start);
    if (this.#nextTag === -1) return null;
    this.at = this.#nextTag;
    return this.#decoded(start, this.at);
  }

  /** Passes over a comment. */
  #comment(): "" | null {
    const inner = this.at + "<!--".length;
    const end = this.#text.indexOf("--", inner);
    if (!this.#text.startsWith("<!--", this.at) || end === -1 || !this.#text.startsWith("-->", end)) return null;
    this.at = end + "-->".length;
    return ++this.#nodes > this.#limits.nodes || hasDeclaration(this.#text.slice(inner, end)) ? null : "";
  }

  /** The content of a CDATA section. */
  #section(): string | null {
    const inner = this.at + "<![CDATA[".length;
    const end = this.#text.indexOf("]]>", inner);
    if (!this.#text.startsWith("<![CDATA[", this.at) || end === -1) return null;
    const content = this.#text.slice(inner, end);
    this.at = end + "]]>".length;
    this.sections++;
    // Of a long text the full way counts whatever looks like a tag.
    const isDoubtful = hasDeclaration(content) || (this.#text.length > this.#limits.nodes && content.includes("<"));
    return ++this.#nodes > this.#limits.nodes || isDoubtful ? null : this.#withLineFeeds(content);
  }

  #closes(name: string): boolean {
    const nameEnd = this.at + 2 + name.length;
    if (this.#text.charCodeAt(this.at + 1) !== SLASH || this.#text.charCodeAt(nameEnd) !== GREATER) return false;
    if (!this.#text.startsWith(name, this.at + 2)) return false;
    this.at = nameEnd + 1;
    return true;
  }

  #decoded(start: number, end: number): string | null {
    const raw = this.#withLineFeeds(this.#text.slice(start, end));
    return this.#hasEntities && raw.includes("&") ? decode(raw) : raw;
  }

  /** As XML ends lines. */
  #withLineFeeds(raw: string): string {
    return this.#hasReturns && raw.includes("\r") ? raw.replaceAll(/\r\n?/g, "\n") : raw;
  }
}

/** Whoever looks for a DOCTYPE would find it in comments and CDATA too. */
function hasDeclaration(content: string): boolean {
  return content.includes("<!");
}

/** Without its entities; null when one of them is not known or stands for a character that is not plain. */
function decode(raw: string): string | null {
  let isKnown = true;
  const decoded = raw.replaceAll(ENTITY, (written, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? "";
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    if (code >= 0x20 && code <= 0xd7ff) return String.fromCharCode(code);
    isKnown = false;
    return written;
  });
  return isKnown && !raw.replaceAll(ENTITY, "").includes("&") ? decoded : null;
}

const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function countOf(text: string, sign: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + sign.length)) count++;
  return count;
}

/** The key under which an attribute is kept; only records keep those that the shape does not name. */
function attributeKey(plan: Plan, name: string): string | undefined {
  const known = plan.attributes.get(name);
  return known === undefined && plan.kind === "record" && /^[A-Za-z][\w.-]*$/.test(name) ? `@${name}` : known;
}

function scalar(value: JsonValue): JsonValue {
  return typeof value === "string" ? (numberAsWritten(value) ?? value) : value;
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index === -1 ? text.length : index;
}

/** Names in ASCII; XML allows more. */
function isNameStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === UNDERSCORE;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 0x30 && code <= 0x39) || code === HYPHEN || code === FULL_STOP;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const BANG = 0x21;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const HYPHEN = 0x2d;
const FULL_STOP = 0x2e;
const SLASH = 0x2f;
const LESS = 0x3c;
const GREATER = 0x3e;
const OPEN_BRACKET = 0x5b;
const UNDERSCORE = 0x5f;
