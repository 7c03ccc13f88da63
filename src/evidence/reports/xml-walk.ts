import { SaxesParser } from "saxes";
import { MAX_REPORT_LEVELS, ReportRefusal, quoted, refuseReport } from "./report.ts";

export type XmlAttributes = Readonly<Record<string, string>>;

/** Callbacks for a reader of an XML report, called in the order of the text. */
export interface XmlListener {
  /** `parents` are the names of the open elements, the root first. */
  opened(name: string, attributes: XmlAttributes, parents: readonly string[]): void;
  closed(name: string, parents: readonly string[]): void;
  comment?(text: string, parents: readonly string[]): void;
}

/**
 * Walks through a report once without keeping it, so that a large one needs little memory. A DOCTYPE is refused,
 * because it may define entities; `allowedDoctype` may name a document type without any, such as that of Cobertura
 * reports. It is never fetched.
 */
export function walkXml(text: string, listener: XmlListener, allowedDoctype: string | null = null): void {
  const parser = new SaxesParser({ position: false, xmlns: false } as const);
  const parents: string[] = [];
  parser.on("error", (error) =>
    refuseReport(`it is no whole XML document: ${error.message.replace(/^\d+:\d+: /, "")}`),
  );
  parser.on("doctype", (doctype) => {
    if (!isPlainDoctype(doctype, allowedDoctype))
      refuseReport("it has a DOCTYPE, which could define entities without end");
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (parents.length >= MAX_REPORT_LEVELS) refuseReport(`it is nested deeper than ${MAX_REPORT_LEVELS} levels`);
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

/** The name of the root element, which is near the beginning. */
export function rootName(text: string): string {
  const parser = new SaxesParser({ position: false, xmlns: false } as const);
  let found: string | null = null;
  parser.on("error", (error) =>
    refuseReport(`it is no whole XML document: ${error.message.replace(/^\d+:\d+: /, "")}`),
  );
  parser.on("opentagstart", ({ name }) => {
    found = name;
    throw FOUND;
  });
  try {
    parser.write(text.slice(0, BEGINNING));
  } catch (error) {
    if (error !== FOUND) throw error;
  }
  return found ?? refuseReport("it is no whole XML document: it has no element");
}

const BEGINNING = 65_536;
const FOUND = new ReportRefusal("found");

/** The count in an attribute; null when the element does not have it. */
export function countAttribute(attributes: XmlAttributes, name: string): number | null {
  const value = attributes[name];
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  return refuseReport(`the attribute ${name} is ${quoted(value)}, which is no count`);
}
