import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import type { Limits } from "../limits.ts";
import type { RecordShape, Shape } from "../shape.ts";
import { numberAsWritten } from "./exact-number.ts";

export interface PlainXml {
  readonly root: string;
  /** With the root's name as `#root`. */
  readonly document: JsonRecord;
  /** From the root's opening tag to just after its closing one. */
  readonly start: number;
  readonly end: number;
}

/**
 * The short way for XML as agents write it: the elements and attributes that the shape names, each once, text,
 * and comments between elements. It accepts or gives up (null), and gives up at the first thing it does not
 * know by heart: CDATA, DOCTYPE, numeric entities, carriage returns, characters beyond the basic plane. Such a
 * text is read by the real parser, which would have made the same document of everything that is accepted here;
 * a differential test holds it to that.
 */
export function readPlainXml(text: string, shape: RecordShape, limits: Limits): PlainXml | null {
  if (text.charCodeAt(0) !== LESS || (text === refused?.text && limits === refused.limits)) return null;
  const plain = text.includes("]]>") || UNUSUAL.test(text) ? null : scanDocument(text, shape, limits);
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
  return { root, document: document as JsonRecord, start, end: scan.at };
}

const DECLARATION = /^<\?xml version="1\.0"(?: encoding="(?:UTF|utf)-8")? ?\?>\s*/;

/** What XML forbids, and what it changes in reading. */
const UNUSUAL = /[^\t\n\x20-\ud7ff\ue000-\ufffd]/;

/** One pass over a text, from tag to tag. Null means to give up. */
class Scan {
  at: number;
  readonly #text: string;
  readonly #limits: Limits;
  readonly #hasEntities: boolean;
  readonly #hasTabs: boolean;
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
    const key = equals === -1 ? undefined : plan.attributes.get(text.slice(this.at, equals));
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
    return !this.#hasTabs || !this.#text.slice(start, end).includes("\t");
  }

  /** Reads the children of a record or map into it, and gives the text between them. */
  #children(record: JsonRecord, name: string, plan: Plan, depth: number): string | null {
    let content = "";
    for (;;) {
      const piece = this.#textBefore(plan.takesText);
      if (piece === null) return null;
      content += piece;
      if (this.#closes(name)) return content;
      const childName = this.name();
      const child = childName === null ? undefined : childOf(plan, childName);
      if (child === undefined || Object.hasOwn(record, child.key)) return null;
      const value = this.element(child.key, child.plan, depth + 1);
      if (value === null) return null;
      record[child.key] = plan.kind === "map" ? scalar(value) : value;
    }
  }

  #items(name: string, plan: Plan, depth: number): JsonValue[] | null {
    const items: JsonValue[] = [];
    for (;;) {
      if (this.#textBefore(false) === null) return null;
      if (this.#closes(name)) return items;
      if (plan.item === null || this.name() !== plan.element) return null;
      const value = this.element(plan.element, plan.item, depth + 1);
      if (value === null) return null;
      items.push(value);
    }
  }

  /** The text of an element that holds nothing else. */
  #lastText(name: string): string | null {
    const piece = this.#textBefore(true);
    return piece !== null && this.#closes(name) ? piece.trim() : null;
  }

  /** Moves to the next tag; where no text is taken there may be only space. */
  #textBefore(takesText: boolean): string | null {
    const start = this.at;
    if (this.#nextTag < start) this.#nextTag = this.#text.indexOf("<", start);
    if (this.#nextTag === -1) return null;
    this.at = this.#nextTag;
    if (takesText) return this.#decoded(start, this.at);
    let at = start;
    for (;;) {
      while (isSpace(this.#text.charCodeAt(at))) at++;
      if (this.#text.charCodeAt(at) !== LESS) return null;
      this.at = at;
      if (this.#text.charCodeAt(at + 1) !== BANG) return "";
      at = this.#afterComment();
      if (at === -1) return null;
    }
  }

  /** Just after a comment that begins where the scan stands; -1 to give up. */
  #afterComment(): number {
    const inner = this.at + "<!--".length;
    const end = this.#text.indexOf("--", inner);
    if (!this.#text.startsWith("<!--", this.at) || end === -1 || !this.#text.startsWith("-->", end)) return -1;
    // In a comment too, whoever looks for a DOCTYPE would find it.
    return this.#text.slice(inner, end).includes("<!") ? -1 : end + "-->".length;
  }

  #closes(name: string): boolean {
    const nameEnd = this.at + 2 + name.length;
    if (this.#text.charCodeAt(this.at + 1) !== SLASH || this.#text.charCodeAt(nameEnd) !== GREATER) return false;
    if (!this.#text.startsWith(name, this.at + 2)) return false;
    this.at = nameEnd + 1;
    return true;
  }

  #decoded(start: number, end: number): string | null {
    const raw = this.#text.slice(start, end);
    if (!this.#hasEntities || !raw.includes("&")) return raw;
    const decoded = raw.replaceAll(ENTITY, (_, entity: string) => ENTITIES[entity] ?? "");
    return raw.replaceAll(ENTITY, "").includes("&") ? null : decoded;
  }
}

const ENTITY = /&(amp|lt|gt|quot|apos);/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** How the elements of a shape are read, worked out once for each shape. */
interface Plan {
  readonly kind: "record" | "list" | "map" | "text";
  /** Whether the text of the element is part of its value. */
  readonly takesText: boolean;
  /** Keys of the attributes, by name. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, Child>;
  /** Name of the items' elements. */
  readonly element: string;
  readonly item: Plan | null;
}

interface Child {
  readonly key: string;
  readonly plan: Plan;
}

const NOTHING = new Map<string, never>();
const TEXT_PLAN: Plan = {
  kind: "text",
  takesText: true,
  attributes: NOTHING,
  fields: NOTHING,
  element: "",
  item: null,
};

const plans = new WeakMap<Shape, Plan>();

function planOf(shape: Shape): Plan {
  let plan = plans.get(shape);
  if (plan === undefined) {
    plan = makePlan(shape);
    plans.set(shape, plan);
  }
  return plan;
}

function makePlan(shape: Shape): Plan {
  switch (shape.kind) {
    case "record":
      return planRecord(shape);
    case "list":
      return { ...TEXT_PLAN, kind: "list", takesText: false, element: shape.element ?? "", item: planOf(shape.item) };
    case "map":
      return { ...TEXT_PLAN, kind: "map", takesText: false };
    default:
      return TEXT_PLAN;
  }
}

function planRecord({ fields }: RecordShape): Plan {
  const keys = Object.keys(fields);
  return {
    ...TEXT_PLAN,
    kind: "record",
    takesText: "#text" in fields,
    attributes: new Map(keys.filter((key) => key.startsWith("@")).map((key) => [key.slice(1), key])),
    fields: new Map(Object.entries(fields).map(([key, field]) => [key, { key, plan: planOf(field.shape) }])),
  };
}

function childOf(plan: Plan, name: string): Child | undefined {
  if (plan.kind !== "map") return plan.fields.get(name);
  return name === "__proto__" ? undefined : { key: name, plan: TEXT_PLAN };
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
  return code === 0x20 || code === 0x0a || code === 0x09;
}

const BANG = 0x21;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const HYPHEN = 0x2d;
const FULL_STOP = 0x2e;
const SLASH = 0x2f;
const LESS = 0x3c;
const GREATER = 0x3e;
const UNDERSCORE = 0x5f;
