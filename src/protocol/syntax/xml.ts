import { SaxesParser } from "saxes";
import type { Limits } from "../limits.ts";

/** An element as parsed. Offsets are into the text; comments and processing instructions are left out. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: (XmlElement | string)[];
  readonly hasElements: boolean;
}

interface XmlAttribute {
  readonly name: string;
  readonly value: string;
}

interface OpenElement extends XmlElement {
  hasElements: boolean;
}

/** Why an XML text was refused, and where the parser stood. */
export class XmlRefusal extends Error {
  readonly code: "syntax-error" | "doctype-refused" | "too-deep" | "too-many-nodes";
  readonly offset: number;

  constructor(code: XmlRefusal["code"], message: string, offset: number) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}

/** The root element of a well-formed text; throws XmlRefusal on anything else. */
export function parseXml(text: string, limits: Limits): XmlElement {
  if (text.length > 3 * limits.nodes && hasTooManyPieces(text, limits)) refuseLarge(text, limits);
  const parser = new SaxesParser({ position: false, xmlns: false } as const);
  const open: OpenElement[] = [];
  let root: XmlElement | null = null;
  let nodes = 0;
  let attributes: XmlAttribute[] | null = null;
  const refuse = (code: XmlRefusal["code"], message: string): never => {
    throw new XmlRefusal(code, message, parser.position);
  };
  const addText = (content: string): void => {
    open[open.length - 1]?.children.push(content);
  };
  parser.on("error", (error) => refuse("syntax-error", error.message.replace(/^\d+:\d+: /, "")));
  parser.on("doctype", () =>
    refuse("doctype-refused", "A DOCTYPE is refused: it can define entities that expand without end."),
  );
  parser.on("attribute", (attribute) => {
    (attributes ??= []).push(attribute);
  });
  parser.on("opentag", (tag) => {
    if (open.length >= limits.depth) refuse("too-deep", `Elements are nested more than ${limits.depth} levels deep.`);
    if (++nodes > limits.nodes) throw tooManyElements(limits);
    const element: OpenElement = { name: tag.name, attributes: attributes ?? NONE, children: [], hasElements: false };
    attributes = null;
    const parent = open[open.length - 1];
    if (parent === undefined) root = element;
    else {
      parent.children.push(element);
      parent.hasElements = true;
    }
    open.push(element);
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => open.pop());
  parser.write(text).close();
  return root ?? refuse("syntax-error", "There is no element.");
}

/**
 * Whether a document has too many opening tags, or what looks like one, or too many of the characters at
 * which the parser divides a text: it is then not even parsed.
 */
function hasTooManyPieces(text: string, limits: Limits): boolean {
  // An opening tag takes two characters at least.
  if (text.length < 2.5 * limits.nodes) return false;
  return hasMoreTags(text, 1.25 * limits.nodes) || hasMoreBreaks(text, 3 * limits.nodes);
}

function hasMoreTags(text: string, allowed: number): boolean {
  let tags = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next !== SLASH && next !== LESS_THAN && ++tags > allowed) return true;
  }
  return false;
}

function hasMoreBreaks(text: string, allowed: number): boolean {
  let breaks = 0;
  for (const sign of "\n\r\t")
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) if (++breaks > allowed) return true;
  return false;
}

/** A text that is nested too deep is refused for that: most such texts show it at their very beginning. */
function refuseLarge(text: string, limits: Limits): never {
  try {
    if (text.length > BEGINNING) parseXml(text.slice(0, BEGINNING), limits);
  } catch (error) {
    if (error instanceof XmlRefusal && error.code === "too-deep") throw error;
  }
  throw tooManyElements(limits);
}

const BEGINNING = 20_000;

function tooManyElements(limits: Limits): XmlRefusal {
  return new XmlRefusal("too-many-nodes", `The document holds more than ${limits.nodes} elements.`, 0);
}

const SLASH = 47;
const LESS_THAN = 60;

const NONE: readonly XmlAttribute[] = [];

/** The text of an element without that of its children. Between these there is mostly space, which is not joined. */
export function elementText(element: XmlElement): string {
  const { children } = element;
  if (element.hasElements && children.every(isSpaceOrElement)) return "";
  let content = "";
  for (const child of children) if (typeof child === "string") content += child;
  return content.trim();
}

function isSpaceOrElement(child: XmlElement | string): boolean {
  return typeof child !== "string" || child.trim() === "";
}

export function childElements(element: XmlElement): XmlElement[] {
  return element.children.filter((child) => typeof child !== "string");
}

/** Element text: what XML 1.0 cannot hold is left out. */
export function escapeText(text: string): string {
  return withoutIllegal(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}

const ILLEGAL = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Leaves out the characters XML 1.0 cannot hold. */
export function withoutIllegal(text: string): string {
  return text.replaceAll(ILLEGAL, "");
}

/** JSON in which every character XML cannot hold is written as an escape. */
export function jsonForXml(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    ILLEGAL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A name XML allows, and that cannot be mistaken for a namespace. */
export function isXmlName(name: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(name);
}

/** Just after the tag, comment, CDATA section or instruction that begins here. */
export function markupEnd(text: string, start: number): number {
  if (text.startsWith("<!--", start)) return after(text, "-->", start + 4);
  if (text.startsWith("<![CDATA[", start)) return after(text, "]]>", start + 9);
  if (text.startsWith("<?", start)) return after(text, "?>", start + 2);
  let quote = 0;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) quote = 0;
    else if (quote === 0 && (code === DOUBLE_QUOTE || code === SINGLE_QUOTE)) quote = code;
    else if (quote === 0 && code === GREATER_THAN) return at + 1;
  }
  return text.length;
}

function after(text: string, sign: string, from: number): number {
  const found = text.indexOf(sign, from);
  return found === -1 ? text.length : found + sign.length;
}

/** The name of the element whose tag has it here. */
export function nameAt(text: string, start: number): string {
  let end = start;
  while (end < text.length && !ENDS_NAME.has(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const GREATER_THAN = 62;
/** Tab, line feed, carriage return, space, slash, greater-than. */
const ENDS_NAME = new Set([9, 10, 13, 32, 47, GREATER_THAN]);
