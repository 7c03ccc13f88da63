import { type Node, parseTree } from "jsonc-parser";
import type { JsonPath } from "../../shared/json-value.ts";
import type { Repair } from "../finding.ts";
import { MOST_DUPLICATES, type SourceMap, type Span, type SpanEdit, type SyntaxProblem } from "./syntax.ts";

/** Places of the values of a text that JSON.parse accepts. */
export function mapJson(text: string): SourceMap {
  const root = parseTree(text);
  const whole = { start: 0, end: text.trimEnd().length };
  const records = new RecordIndex();
  return {
    locate: (path, atKey) => (root === undefined ? whole : locate(root, path, atKey, records)),
    edit: (path, repair) => (root === undefined ? null : writeRepair(text, root, path, repair, records)),
    duplicates: root === undefined ? [] : findDuplicates(root),
  };
}

/** Fields of records by name: many findings in one large record must not each look through all of it. */
class RecordIndex {
  readonly #fields = new Map<Node, Map<string, Node>>();

  child(node: Node, step: string | number): Node | undefined {
    if (typeof step === "number") return node.type === "array" ? node.children?.[step] : undefined;
    return node.type === "object" ? this.#fieldsOf(node).get(step) : undefined;
  }

  #fieldsOf(record: Node): Map<string, Node> {
    let fields = this.#fields.get(record);
    if (fields === undefined) {
      fields = new Map();
      for (const { children: [key, value] = [] } of record.children ?? [])
        if (key !== undefined && value !== undefined) fields.set(String(key.value), value);
      this.#fields.set(record, fields);
    }
    return fields;
  }
}

/** The value at the path, or the nearest one around it that is there. */
function locate(root: Node, path: JsonPath, atKey: boolean, records: RecordIndex): Span {
  let node = root;
  let exact = true;
  for (const step of path) {
    const next = records.child(node, step);
    exact = next !== undefined;
    if (next === undefined) break;
    node = next;
  }
  const keyNode = node.parent?.type === "property" ? node.parent.children?.[0] : undefined;
  if (keyNode !== undefined && ((atKey && exact) || isLarge(node))) return spanOf(keyNode);
  return node === root ? { start: node.offset, end: node.offset + 1 } : spanOf(node);
}

/** A whole record or list would underline half the file: its key, or its opening bracket, says enough. */
function isLarge(node: Node): boolean {
  return node.type === "object" || node.type === "array";
}

function spanOf(node: Node): Span {
  return isLarge(node)
    ? { start: node.offset, end: node.offset + 1 }
    : { start: node.offset, end: node.offset + node.length };
}

function writeRepair(
  text: string,
  root: Node,
  path: JsonPath,
  repair: Repair,
  records: RecordIndex,
): readonly SpanEdit[] | null {
  let node: Node | undefined = root;
  for (const step of path) node = node && records.child(node, step);
  if (node === undefined) return null;
  const span = { start: node.offset, end: node.offset + node.length };
  switch (repair.kind) {
    case "replace":
      return [{ ...span, text: JSON.stringify(repair.value) }];
    case "quote":
      return [{ ...span, text: JSON.stringify(text.slice(span.start, span.end)) }];
    case "insert":
      return node.type === "object" ? [insertion(text, node, repair)] : null;
  }
}

function insertion(text: string, node: Node, repair: Repair & { kind: "insert" }): SpanEdit {
  const written = `${JSON.stringify(repair.key)}: ${JSON.stringify(repair.value)}`;
  const last = node.children?.at(-1);
  if (last === undefined) return { start: node.offset + 1, end: node.offset + 1, text: written };
  const lineStart = text.lastIndexOf("\n", last.offset) + 1;
  const indent = text.slice(lineStart, last.offset);
  const separator = lineStart > node.offset && indent.trim() === "" ? `\n${indent}` : " ";
  const at = last.offset + last.length;
  return { start: at, end: at, text: `,${separator}${written}` };
}

function findDuplicates(root: Node): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined && problems.length < MOST_DUPLICATES; node = waiting.pop()) {
    if (node.type === "object") findDuplicatesOf(node, problems);
    for (const child of node.children ?? []) if (child.children !== undefined) waiting.push(child);
  }
  return problems.slice(0, MOST_DUPLICATES);
}

function findDuplicatesOf(object: Node, problems: SyntaxProblem[]): void {
  const seen = new Set<string>();
  for (const property of object.children ?? []) {
    const key = property.children?.[0];
    if (key === undefined) continue;
    const name = String(key.value);
    if (seen.has(name)) {
      problems.push({
        code: "duplicate-key",
        span: spanOf(key),
        message: `The field \`${name}\` is written twice in the same record.`,
        hint: "Keep one of them: which one counts must not be left to chance.",
      });
    }
    seen.add(name);
  }
}
