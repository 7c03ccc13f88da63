import { type Node, findNodeAtLocation, parseTree } from "jsonc-parser";
import type { JsonPath } from "../../shared/json-value.ts";
import type { Repair } from "../finding.ts";
import { MOST_DUPLICATES, type SourceMap, type Span, type SpanEdit, type SyntaxProblem } from "./syntax.ts";

/** Places of the values of a text that JSON.parse accepts. */
export function mapJson(text: string): SourceMap {
  const root = parseTree(text);
  const whole = { start: 0, end: text.trimEnd().length };
  return {
    locate: (path, atKey) => (root === undefined ? whole : locate(root, path, atKey, whole)),
    edit: (path, repair) => (root === undefined ? null : writeRepair(text, root, path, repair)),
    duplicates: root === undefined ? [] : findDuplicates(root),
  };
}

function locate(root: Node, path: JsonPath, atKey: boolean, whole: Span): Span {
  for (let length = path.length; length >= 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node === undefined) continue;
    const keyNode = node.parent?.type === "property" ? node.parent.children?.[0] : undefined;
    const exact = length === path.length;
    if (keyNode !== undefined && ((atKey && exact) || isLarge(node))) return spanOf(keyNode);
    if (length === 0) return { start: node.offset, end: node.offset + 1 };
    return spanOf(node);
  }
  return whole;
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

function writeRepair(text: string, root: Node, path: JsonPath, repair: Repair): readonly SpanEdit[] | null {
  const node = findNodeAtLocation(root, [...path]);
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
