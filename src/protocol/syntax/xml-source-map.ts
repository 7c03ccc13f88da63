import { type JsonPath, shown } from "../../shared/json-value.ts";
import type { Repair } from "../finding.ts";
import { MOST_DUPLICATES, type SourceMap, type Span, type SpanEdit, type SyntaxProblem } from "./syntax.ts";
import { escapeText } from "./xml.ts";

interface PlacedElement {
  readonly name: string;
  readonly start: number;
  /** Just after the start tag. */
  readonly contentStart: number;
  /** Just before the end tag. */
  contentEnd: number;
  children: PlacedElement[];
  /** The first child of each name, made when it is first asked for. */
  firsts?: ReadonlyMap<string, PlacedElement>;
}

/** Places of the elements of a well-formed text. */
export function mapXml(text: string, repeated: readonly string[]): SourceMap {
  const root = placeElements(text);
  const whole = { start: 0, end: text.length };
  return {
    locate: (path, atKey) => (root === null ? whole : locate(text, root, path, atKey)),
    edit: (path, repair) => (root === null ? null : writeRepair(text, root, path, repair)),
    duplicates:
      root === null ? [] : [...new Set(repeated)].slice(0, MOST_DUPLICATES).map((name) => duplicate(root, name)),
  };
}

/** The text is known to be well-formed, so its tags can be told from each other by their first characters. */
function placeElements(text: string): PlacedElement | null {
  const open: PlacedElement[] = [];
  let root: PlacedElement | null = null;
  for (let at = text.indexOf("<"); at !== -1;) {
    const end = markupEnd(text, at);
    if (text[at + 1] === "/") {
      const element = open.pop();
      if (element !== undefined) element.contentEnd = at;
    } else if (text[at + 1] !== "!" && text[at + 1] !== "?") {
      const element = placeElement(text, at, end);
      const parent = open.at(-1);
      if (parent === undefined) root ??= element;
      else if (parent.children.length === 0) parent.children = [element];
      else parent.children.push(element);
      if (text[end - 2] !== "/") open.push(element);
    }
    at = text.indexOf("<", end);
  }
  return root;
}

function placeElement(text: string, start: number, contentStart: number): PlacedElement {
  let nameEnd = start + 1;
  while (nameEnd < contentStart && !ENDS_NAME.has(text.charCodeAt(nameEnd))) nameEnd++;
  return { name: text.slice(start + 1, nameEnd), start, contentStart, contentEnd: contentStart, children: NONE };
}

/** Just after the tag, comment, CDATA section or instruction that begins here. */
function markupEnd(text: string, start: number): number {
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

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const GREATER_THAN = 62;
/** Tab, line feed, carriage return, space, slash, greater-than. */
const ENDS_NAME = new Set([9, 10, 13, 32, 47, GREATER_THAN]);
const NONE: PlacedElement[] = [];

function childOf(element: PlacedElement, step: string | number): PlacedElement | undefined {
  if (typeof step === "number") return element.children[step];
  element.firsts ??= new Map(element.children.map((child) => [child.name, child] as const).reverse());
  return element.firsts.get(step);
}

function locate(text: string, root: PlacedElement, path: JsonPath, atKey: boolean): Span {
  let element = root;
  for (const step of path) {
    if (typeof step === "string" && step.includes("@")) return attributeSpan(text, element, step);
    if (step === "#text") return contentSpan(text, element);
    const next = childOf(element, step);
    if (next === undefined) return tagSpan(element);
    element = next;
  }
  return atKey || element.children.length > 0 || element === root ? tagSpan(element) : contentSpan(text, element);
}

function tagSpan(element: PlacedElement): Span {
  return { start: element.start, end: element.start + 1 + element.name.length };
}

function contentSpan(text: string, element: PlacedElement): Span {
  const content = text.slice(element.contentStart, element.contentEnd);
  if (content.trim() === "") return tagSpan(element);
  const start = element.contentStart + (content.length - content.trimStart().length);
  return { start, end: element.contentStart + content.trimEnd().length };
}

function attributeSpan(text: string, element: PlacedElement, step: string): Span {
  const name = step.slice(step.indexOf("@") + 1);
  const tag = text.slice(element.start, element.contentStart);
  const at = tag.search(new RegExp(`\\s${name.replaceAll(/[^\w-]/g, ".")}\\s*=`));
  if (at === -1) return tagSpan(element);
  const start = element.start + at + 1;
  return { start, end: start + name.length };
}

function writeRepair(text: string, root: PlacedElement, path: JsonPath, repair: Repair): readonly SpanEdit[] | null {
  let element: PlacedElement | undefined = root;
  for (const step of path) {
    if (typeof step === "string" && (step.includes("@") || step === "#text")) return null;
    element = element && childOf(element, step);
  }
  if (element === undefined || repair.kind === "quote") return null;
  if (repair.kind === "replace") return [{ ...contentSpan(text, element), text: escapeText(shown(repair.value)) }];
  return [insertion(text, element, repair)];
}

function insertion(text: string, element: PlacedElement, repair: Repair & { kind: "insert" }): SpanEdit {
  const first = element.children[0]?.start ?? 0;
  const lineStart = text.lastIndexOf("\n", first - 1);
  const before = text.slice(Math.max(0, lineStart), first);
  const indent = lineStart !== -1 && before.trim() === "" ? before : "";
  const at = element.contentStart;
  return { start: at, end: at, text: `${indent}<${repair.key}>${escapeText(shown(repair.value))}</${repair.key}>` };
}

function duplicate(root: PlacedElement, name: string): SyntaxProblem {
  const second = placesOf(root, name)[1] ?? root;
  const message = `The element \`${name}\` stands there twice.`;
  return {
    code: "duplicate-key",
    span: tagSpan(second),
    message,
    hint: "Keep one of them: which one counts must not be left to chance.",
  };
}

function placesOf(element: PlacedElement, name: string): PlacedElement[] {
  const here = element.children.filter((child) => child.name === name);
  return here.length > 1 ? here : element.children.flatMap((child) => placesOf(child, name));
}
