import { SaxesParser } from "saxes";
import type { Limits } from "../limits.ts";

/** An element as parsed. Offsets are into the text; comments and processing instructions are left out. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
  readonly hasElements: boolean;
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
  parser.on("opentag", (tag) => {
    if (open.length >= limits.depth) refuse("too-deep", `Elements are nested more than ${limits.depth} levels deep.`);
    if (++nodes > limits.nodes) throw tooManyElements(limits);
    const element: OpenElement = { name: tag.name, attributes: kept(tag.attributes), children: [], hasElements: false };
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
  let tags = 0;
  let breaks = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === RETURN || code === LINE_FEED || code === TAB) breaks++;
    else if (code === LESS_THAN) {
      const next = text.charCodeAt(at + 1);
      if (next !== SLASH && next !== LESS_THAN) tags++;
    }
  }
  return tags > 1.25 * limits.nodes || breaks > 3 * limits.nodes;
}

/** A text that is nested too deep is told so: most such texts show it at their very beginning. */
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

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SLASH = 47;
const LESS_THAN = 60;

/** The parser's record for no attributes is large, and most elements have none. */
function kept(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const _name in attributes) return attributes;
  return NO_ATTRIBUTES;
}

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

export function elementText(element: XmlElement): string {
  let content = "";
  for (const child of element.children) if (typeof child === "string") content += child;
  return content.trim();
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
