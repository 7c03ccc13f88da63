import { type JsonRecord, type JsonValue, isRecord, shown, ownValue, setOwnValue } from "../../shared/json-value.ts";
import type { Limits } from "../limits.ts";
import type { Field, ListShape, RecordShape, Shape } from "../shape.ts";
import {
  type XmlElement,
  XmlRefusal,
  childElements,
  elementText,
  escapeAttribute,
  escapeText,
  isXmlName,
  parseXml,
} from "./xml.ts";
import { numberAsWritten } from "./syntax.ts";

/**
 * An XML element read as a plain document by its shape: child elements become fields, attributes
 * `@name`, text beside attributes `#text`. What the shape does not name is kept as printed XML
 * under `#xml`, so that it comes back unchanged.
 */
interface XmlDocument {
  readonly value: JsonRecord;
  /** Fields whose element stands there twice. */
  readonly repeated: readonly string[];
}

/** The document of an element, with the element's own name as `#root`. */
export function readXmlDocument(root: XmlElement, shape: RecordShape): XmlDocument {
  const repeated: string[] = [];
  return { value: readInto({ "#root": root.name }, root, shape, repeated), repeated };
}

function readRecord(element: XmlElement, shape: RecordShape, repeated: string[]): JsonRecord {
  return readInto({}, element, shape, repeated);
}

function readInto(record: JsonRecord, element: XmlElement, shape: RecordShape, repeated: string[]): JsonRecord {
  const { keys, fields, isTextRequired } = planOf(shape);
  for (const { name, value } of element.attributes) record[keys.get(name) ?? `@${name}`] = value;
  for (const child of element.children) {
    if (typeof child === "string") continue;
    const field = fields.get(child.name);
    if (field === undefined) keepUnknown(record, child);
    else {
      if (record[child.name] !== undefined) repeated.push(child.name);
      record[child.name] = readValue(child, field.shape, repeated);
      if (field.shape.kind !== "record") keepAttributes(record, child, child.name);
      if (field.shape.kind === "list" && field.shape.item.kind === "text") keepItemAttributes(record, child);
    }
  }
  const text = elementText(element);
  if (text !== "" || isTextRequired) record["#text"] = text;
  return record;
}

/** The fields of a shape by the name of their element, and the keys of its attributes by theirs. */
interface ElementPlan {
  readonly fields: ReadonlyMap<string, Field>;
  readonly keys: ReadonlyMap<string, string>;
  /** An optional text that is empty is left out: XML does not tell the two apart. */
  readonly isTextRequired: boolean;
}

const plans = new WeakMap<RecordShape, ElementPlan>();

function planOf(shape: RecordShape): ElementPlan {
  let plan = plans.get(shape);
  if (plan === undefined) {
    const attributes = Object.keys(shape.fields).filter((key) => key.startsWith("@"));
    plan = {
      fields: new Map(Object.entries(shape.fields)),
      keys: new Map(attributes.map((key) => [key.slice(1), key])),
      isTextRequired: shape.fields["#text"]?.required === true,
    };
    plans.set(shape, plan);
  }
  return plan;
}

/** Printed as it stands; several of one name are kept one after the other. */
function keepUnknown(record: JsonRecord, child: XmlElement): void {
  const before = ownValue(record, child.name);
  const kept = isRecord(before) && typeof before["#xml"] === "string" ? before["#xml"] : "";
  setOwnValue(record, child.name, { "#xml": kept + printElement(child) });
}

/** A kept element as it would be read by a shape; undefined when there are several, or something would be lost. */
export function readKeptElement(kept: unknown, shape: Shape, limits: Limits): unknown {
  const printed = isRecord(kept) ? kept["#xml"] : undefined;
  if (typeof printed !== "string") return kept;
  try {
    const element = parseXml(printed, limits);
    const repeated: string[] = [];
    const value = readValue(element, shape, repeated);
    return repeated.length > 0 ? undefined : value;
  } catch (error) {
    if (!(error instanceof XmlRefusal)) throw error;
    return undefined;
  }
}

/** Attributes of an element that is a plain value, or an item that is: `from@role`, `requirements.0@id`. */
function keepAttributes(record: JsonRecord, { attributes }: XmlElement, place: string): void {
  for (const { name, value } of attributes) record[`${place}@${name}`] = value;
}

function keepItemAttributes(record: JsonRecord, list: XmlElement): void {
  for (const [index, item] of childElements(list).entries())
    if (item.attributes.length > 0) keepAttributes(record, item, `${list.name}.${index}`);
}

function readValue(element: XmlElement, shape: Shape, repeated: string[]): JsonValue {
  switch (shape.kind) {
    case "record":
      return readRecord(element, shape, repeated);
    case "list":
      return readList(element, shape, repeated);
    case "map":
      return elementText(element) === "" ? readMap(element, repeated) : readPlain(element);
    case "text":
    case "number":
    case "boolean":
    case "literal":
    case "nullable":
    case "union":
    case "anything":
      return readPlain(element);
  }
}

function readList(element: XmlElement, shape: ListShape, repeated: string[]): JsonValue {
  if (elementText(element) !== "") return readPlain(element);
  return childElements(element).map((child) => readItem(child, shape.element, shape.item, repeated));
}

/** Also for text where elements belong: it becomes a value of the wrong type, and is reported. */
function readPlain(element: XmlElement): JsonValue {
  return element.hasElements ? { "#xml": printElement(element) } : elementText(element);
}

function readItem(child: XmlElement, expected: string | undefined, item: Shape, repeated: string[]): JsonValue {
  return child.name === expected ? readValue(child, item, repeated) : { "#xml": printElement(child) };
}

function readMap(element: XmlElement, repeated: string[]): JsonRecord {
  const map: JsonRecord = {};
  for (const child of childElements(element)) {
    if (Object.hasOwn(map, child.name)) repeated.push(child.name);
    const isPlain = !child.hasElements && child.attributes.length === 0;
    setOwnValue(map, child.name, isPlain ? scalar(elementText(child)) : { "#xml": printElement(child) });
  }
  return map;
}

function scalar(text: string): JsonValue {
  return numberAsWritten(text) ?? text;
}

function printElement(element: XmlElement): string {
  const attributes = element.attributes.map(({ name, value }) => ` ${name}="${escapeAttribute(value)}"`);
  const content = element.children
    .map((child) => (typeof child === "string" ? escapeText(child) : printElement(child)))
    .join("");
  const opening = `<${element.name}${attributes.join("")}`;
  return content === "" ? `${opening}/>` : `${opening}>${content}</${element.name}>`;
}

export function printXmlDocument(name: string, document: JsonRecord, shape: RecordShape): string {
  return `${printRecord(name, document, shape, "")}\n`;
}

function printRecord(name: string, record: JsonRecord, shape: RecordShape | null, indent: string): string {
  const attributes: string[] = [];
  const lines: string[] = [];
  for (const [key, value] of Object.entries(record)) {
    if (value === undefined || key === "#text" || key.indexOf("@") > 0) continue;
    if (key.startsWith("@")) attributes.push(` ${key.slice(1)}="${escapeAttribute(shown(value))}"`);
    else lines.push(printField(key, value, shape?.fields[key]?.shape ?? null, `${indent}  `, { record, place: key }));
  }
  const text = typeof record["#text"] === "string" ? escapeText(record["#text"]) : "";
  const opening = `${indent}<${name}${attributes.join("")}`;
  if (lines.length === 0) return text === "" ? `${opening}/>` : `${opening}>${text}</${name}>`;
  return `${opening}>${text}\n${lines.join("\n")}\n${indent}</${name}>`;
}

/** Where the attributes of a plain value are kept. */
interface Owner {
  readonly record: JsonRecord;
  readonly place: string;
}

function attributesOf({ record, place }: Owner): string {
  const prefix = `${place}@`;
  return Object.entries(record)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => ` ${name.slice(prefix.length)}="${escapeAttribute(shown(value))}"`)
    .join("");
}

function printField(key: string, value: JsonValue, shape: Shape | null, indent: string, owner: Owner): string {
  if (isRecord(value)) {
    if (typeof value["#xml"] === "string") return indent + value["#xml"];
    return printRecord(key, value, shape?.kind === "record" ? shape : null, indent);
  }
  if (Array.isArray(value)) return printList(key, value, shape, indent, owner);
  const text = escapeText(shown(value));
  const opening = `${indent}<${key}${attributesOf(owner)}`;
  return text === "" ? `${opening}/>` : `${opening}>${text}</${key}>`;
}

function printList(
  key: string,
  items: readonly JsonValue[],
  shape: Shape | null,
  indent: string,
  owner: Owner,
): string {
  const element = (shape?.kind === "list" ? shape.element : undefined) ?? "item";
  const item = shape?.kind === "list" ? shape.item : null;
  const opening = `${indent}<${key}${attributesOf(owner)}`;
  if (items.length === 0) return `${opening}/>`;
  const lines = items.map((value, index) =>
    printField(element, value, item, `${indent}  `, { ...owner, place: `${owner.place}.${index}` }),
  );
  return `${opening}>\n${lines.join("\n")}\n${indent}</${key}>`;
}

/** Whether a map can stand as plain elements and be read back the same. */
export function fitsXmlMap(map: JsonRecord): boolean {
  return Object.entries(map).every(([key, value]) => isXmlName(key) && fitsElement(value));
}

function fitsElement(value: JsonValue | undefined): boolean {
  if (isRecord(value)) return typeof value["#xml"] === "string";
  return typeof value === "number" || (typeof value === "string" && scalar(value.trim()) === value);
}

export interface PrintedXml extends JsonRecord {
  readonly "#xml": string;
}

/** XML that does not have its shape is kept as it was printed. */
export function isPrintedXml(value: unknown): value is PrintedXml {
  return isRecord(value) && typeof value["#xml"] === "string";
}
