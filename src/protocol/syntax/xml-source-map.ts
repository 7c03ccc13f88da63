import { type JsonPath, shown } from "../../shared/json-value.ts";
import type { Repair } from "../finding.ts";
import { MAX_DUPLICATES, type SourceMap, type Span, type SpanEdit, type SyntaxProblem } from "./syntax.ts";
import { escapeAttribute, escapeText, markupEnd, nameAt } from "./xml.ts";

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
      root === null ? [] : [...new Set(repeated)].slice(0, MAX_DUPLICATES).map((name) => duplicate(root, name)),
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
  return { name: nameAt(text, start + 1), start, contentStart, contentEnd: contentStart, children: NONE };
}

const NONE: PlacedElement[] = [];

function childOf(element: PlacedElement, step: string | number): PlacedElement | undefined {
  if (typeof step === "number") return element.children[step];
  element.firsts ??= new Map(element.children.map((child) => [child.name, child] as const).reverse());
  return element.firsts.get(step);
}

function locate(text: string, root: PlacedElement, path: JsonPath, atKey: boolean): Span {
  let element = root;
  for (const step of path) {
    if (typeof step === "string" && step.includes("@")) return attributeSpan(text, element, step, atKey);
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

const ATTRIBUTES = /\s([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** What stands between the quotes, or the name; the tag where there is no such attribute. */
function attributeSpan(text: string, element: PlacedElement, step: string, atKey: boolean): Span {
  const wanted = step.slice(step.indexOf("@") + 1);
  for (const found of text.slice(element.start, element.contentStart).matchAll(ATTRIBUTES)) {
    const [whole, name = "", quoted, apostrophed] = found;
    if (name !== wanted) continue;
    const start = element.start + found.index;
    const value = quoted ?? apostrophed ?? "";
    if (atKey || value === "") return { start: start + 1, end: start + 1 + name.length };
    const end = start + whole.length - 1;
    return { start: end - value.length, end };
  }
  return tagSpan(element);
}

function writeRepair(text: string, root: PlacedElement, path: JsonPath, repair: Repair): readonly SpanEdit[] | null {
  if (repair.kind === "rename") return renaming(text, root, path, repair.key);
  if (repair.kind === "replace" && isAttributeName(path.at(-1)))
    return [{ ...locate(text, root, path, false), text: escapeAttribute(shown(repair.value)) }];
  let element: PlacedElement | undefined = root;
  for (const step of path) {
    if (typeof step === "string" && (step.includes("@") || step === "#text")) return null;
    element = element && childOf(element, step);
  }
  if (element === undefined) return null;
  if (repair.kind === "replace") return [{ ...contentSpan(text, element), text: escapeText(shown(repair.value)) }];
  return repair.kind === "insert" ? [insertion(text, element, repair)] : null;
}

function isAttributeName(step: string | number | undefined): boolean {
  return typeof step === "string" && step.startsWith("@");
}

function renaming(text: string, root: PlacedElement, path: JsonPath, key: string): readonly SpanEdit[] | null {
  const last = path.at(-1);
  let element: PlacedElement | undefined = root;
  for (const step of path.slice(0, -1)) element = element && childOf(element, step);
  if (element === undefined || typeof last !== "string") return null;
  if (!last.startsWith("@")) return renamedTags(text, childOf(element, last), key);
  const span = attributeSpan(text, element, last, true);
  return span.start === element.start ? null : [{ ...span, text: key.slice(1) }];
}

function renamedTags(text: string, element: PlacedElement | undefined, name: string): readonly SpanEdit[] | null {
  if (element === undefined) return null;
  const opening = spanOfName(element, element.start + 1, name);
  const isClosedAtOnce = text[element.contentStart - 2] === "/" && element.contentEnd === element.contentStart;
  return isClosedAtOnce ? [opening] : [opening, spanOfName(element, element.contentEnd + 2, name)];
}

function spanOfName({ name }: PlacedElement, start: number, text: string): SpanEdit {
  return { start, end: start + name.length, text };
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
