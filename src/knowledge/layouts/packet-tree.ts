import type { SectionTitle } from "../packet.ts";
import { isRecord, type JsonRecord, type JsonValue } from "../../shared/json-value.ts";
import type { InertLine, PacketPage, PagePart } from "./page.ts";

/** The field names of a layout made of records. A dot separates nested names: `context.assumptions`. */
export interface TreeNames {
  readonly issues: string;
  readonly fields: string;
  readonly tasks: string;
  readonly project: string;
  readonly leftOut: string;
  section(title: SectionTitle, line: InertLine): string;
  /** The fields of a task beside its sections. */
  task(from: NonNullable<PagePart["from"]>): JsonRecord;
  item(title: SectionTitle, line: InertLine): JsonRecord;
}

/** A page as nested records. Items are the records with a `source`. */
export function treeOf({ parts, leftOut }: PacketPage, names: TreeNames): JsonRecord {
  const tree: JsonRecord = {};
  const tasks: JsonValue[] = [];
  for (const part of parts) {
    if (part.about === "task" && part.from !== null) tasks.push({ ...names.task(part.from), ...sections(part, names) });
    else if (part.about === "issues" || part.about === "fields") tree[names[part.about]] = items(part, names);
    else tree[names.project] = sections(part, names);
    if (tasks.length === 1) tree[names.tasks] = tasks;
  }
  if (leftOut.length > 0) tree[names.leftOut] = [...leftOut];
  return tree;
}

function items(part: PagePart, names: TreeNames): JsonValue[] {
  return part.sections.flatMap(({ title, lines }) => lines.map((line) => names.item(title, line)));
}

function sections(part: PagePart, names: TreeNames): JsonRecord {
  const tree: JsonRecord = {};
  for (const { title, lines } of part.sections)
    for (const line of lines) put(tree, names.section(title, line).split("."), names.item(title, line));
  return tree;
}

function put(tree: JsonRecord, [name = "", ...inner]: readonly string[], item: JsonRecord): void {
  if (inner.length === 0) tree[name] = [...((tree[name] as JsonValue[] | undefined) ?? []), item];
  else {
    const within = (tree[name] as JsonRecord | undefined) ?? {};
    tree[name] = within;
    put(within, inner, item);
  }
}

/** The field names for the text and the detail of a line. */
const ITEM_NAMES: Readonly<Record<SectionTitle, readonly [text: string, detail: string]>> = {
  "Issues to Fix": ["description", "remediation"],
  "Fields of the Run": ["name", "value"],
  "Blocking Questions": ["question", "recommendation"],
  "Answered Questions": ["question", "answer"],
  "Files to Review": ["file", "reason"],
  "Patterns to Follow": ["pattern", "detail"],
  Warnings: ["issue", "mitigation"],
  Decisions: ["decision", "detail"],
  Limitations: ["limitation", "detail"],
  Assumptions: ["assumption", "detail"],
  Delivered: ["summary", "detail"],
  Context: ["note", "detail"],
  "Files Changed": ["path", "purpose"],
  "Test Requirements": ["requirement", "kind"],
  "Reported Figures": ["name", "value"],
  "Next Steps": ["step", "detail"],
};

export function itemOf(title: SectionTitle, { text, detail, place, severity, source }: InertLine): JsonRecord {
  const [textName, detailName] = ITEM_NAMES[title];
  const severityName = title === "Next Steps" ? "priority" : "severity";
  return itemWith({ [textName]: text, [detailName]: detail, location: place, [severityName]: severity }, source);
}

/** Leaves out empty values. The source comes last. */
export function itemWith(values: Readonly<Record<string, string | number>>, source: string): JsonRecord {
  return { ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")), source };
}

/** Items are printed on one line. */
function isItem(value: JsonRecord): boolean {
  return "source" in value;
}

/** JSON with each item on one line. */
export function packetAsJson(value: JsonValue | undefined, margin = ""): string {
  const inner = `${margin}  `;
  if (Array.isArray(value)) return `[\n${value.map((one) => inner + packetAsJson(one, inner)).join(",\n")}\n${margin}]`;
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  if (isItem(value)) return printItem(value, JSON.stringify);
  const rows = Object.entries(value).map(
    ([name, one]) => `${inner}${JSON.stringify(name)}: ${packetAsJson(one, inner)}`,
  );
  return `{\n${rows.join(",\n")}\n${margin}}`;
}

/** YAML with each item on one line in JSON, which is valid YAML. */
export function packetAsYaml(tree: JsonRecord): string {
  return yamlLines(tree).join("\n");
}

function yamlLines(value: JsonValue | undefined): string[] {
  if (Array.isArray(value))
    return value.flatMap((one) => yamlLines(one).map((line, at) => `${at === 0 ? "- " : "  "}${line}`));
  if (!isRecord(value)) return [JSON.stringify(value ?? null)];
  if (isItem(value)) return [printItem(value, plainName)];
  return Object.entries(value).flatMap(([name, one]) => {
    const lines = yamlLines(one);
    return isRecord(one) || Array.isArray(one)
      ? [`${name}:`, ...lines.map((line) => `  ${line}`)]
      : [`${name}: ${lines.join("")}`];
  });
}

/** Our field names need no quotes in YAML. */
export function plainName(name: string): string {
  return name;
}

export function printItem(item: JsonRecord, name: (name: string) => string): string {
  const fields = Object.entries(item).map(([key, value]) => `${name(key)}: ${JSON.stringify(value ?? null)}`);
  return `{ ${fields.join(", ")} }`;
}
