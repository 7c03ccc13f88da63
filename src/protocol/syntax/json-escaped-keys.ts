import { type Node, parseTree } from "jsonc-parser";
import { type JsonRecord, type JsonValue, setOwnValue } from "../../shared/json-value.ts";
import { isEscaped, isKeyEnd } from "./json.ts";

/**
 * V8 13 (Node 24) can misread a key that is written with escapes: where an earlier record of the same form
 * had a key with a backslash in it, `"\u0073\u0074..."` is taken for that other key. A field could be
 * hidden from us that every other reader sees, or written twice unnoticed. Such keys are rare, so a text
 * that has one is read a second way.
 */
export function hasEscapedKey(text: string): boolean {
  for (let slash = text.indexOf("\\"); slash !== -1;) {
    let end = text.indexOf('"', slash + 2);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) return false;
    if (isKeyEnd(text, end)) return true;
    slash = text.indexOf("\\", end + 1);
  }
  return false;
}

/** The value of a text that JSON.parse accepts and that is not nested deeply. */
export function readExactKeys(text: string): JsonValue {
  const root = parseTree(text);
  return root === undefined ? null : valueOf(root);
}

function valueOf(node: Node): JsonValue {
  if (node.type === "array") return (node.children ?? []).map(valueOf);
  if (node.type !== "object") return node.value as JsonValue;
  const record: JsonRecord = {};
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (key !== undefined && value !== undefined) setOwnValue(record, String(key.value), valueOf(value));
  }
  return record;
}
