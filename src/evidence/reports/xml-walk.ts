import { SaxesParser } from "saxes";
import { MOST_REPORT_LEVELS, ReportRefusal, quoted, refuse } from "./report.ts";

export type XmlAttributes = Readonly<Record<string, string>>;

/** What a reader of an XML report wants to hear, in the order of the text. */
export interface XmlListener {
  /** `parents` are the names of the open elements, the root first. */
  opened(name: string, attributes: XmlAttributes, parents: readonly string[]): void;
  closed(name: string, parents: readonly string[]): void;
  comment?(text: string, parents: readonly string[]): void;
}

/**
 * Goes once through a report. Nothing of it is kept, so that a large one costs no memory. Entities that the
 * text defines itself are refused with the DOCTYPE that would define them; `allowedDoctype` may name a
 * document type without any, as Cobertura reports have it. It is never fetched.
 */
export function walkXml(text: string, listener: XmlListener, allowedDoctype: string | null = null): void {
  const parser = new SaxesParser({ position: false, xmlns: false } as const);
  const parents: string[] = [];
  parser.on("error", (error) => refuse(`it is no whole XML document: ${error.message.replace(/^\d+:\d+: /, "")}`));
  parser.on("doctype", (doctype) => {
    if (!isPlainDoctype(doctype, allowedDoctype)) refuse("it has a DOCTYPE, which could define entities without end");
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (parents.length >= MOST_REPORT_LEVELS) refuse(`it is nested deeper than ${MOST_REPORT_LEVELS} levels`);
    listener.opened(name, attributes, parents);
    parents.push(name);
  });
  parser.on("closetag", ({ name }) => {
    parents.pop();
    listener.closed(name, parents);
  });
  if (listener.comment !== undefined) parser.on("comment", (comment) => listener.comment?.(comment, parents));
  parser.write(text).close();
}

function isPlainDoctype(doctype: string, allowed: string | null): boolean {
  return allowed !== null && !doctype.includes("[") && doctype.trim().split(/\s/, 1)[0] === allowed;
}

/** The name of the root element, which stands near the beginning. */
export function rootName(text: string): string {
  const parser = new SaxesParser({ position: false, xmlns: false } as const);
  let found: string | null = null;
  parser.on("error", (error) => refuse(`it is no whole XML document: ${error.message.replace(/^\d+:\d+: /, "")}`));
  parser.on("opentagstart", ({ name }) => {
    found = name;
    throw FOUND;
  });
  try {
    parser.write(text.slice(0, BEGINNING));
  } catch (error) {
    if (error !== FOUND) throw error;
  }
  return found ?? refuse("it is no whole XML document: it has no element");
}

const BEGINNING = 65_536;
const FOUND = new ReportRefusal("found");

/** The count that an attribute holds; null when the element has no such attribute. */
export function countAttribute(attributes: XmlAttributes, name: string): number | null {
  const value = attributes[name];
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  return refuse(`the attribute ${name} is ${quoted(value)}, which is no count`);
}
