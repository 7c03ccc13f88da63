import { type JsonPath, type JsonRecord, type JsonValue, isRecord, ownValue, printPath } from "../shared/json-value.ts";
import type { Finding } from "./finding.ts";
import type { TextFormat } from "./format.ts";
import type { RecordShape, Shape } from "./shape.ts";

/** Compares agent names across formats: `@test-agent`, `TestAgent` and `test_agent` are the same. */
export function sameAgent(left: string, right: string): boolean {
  return left === right || plain(left) === plain(right);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/**
 * The findings of a document that was written in a run. There an agent is called as the workflow calls it, with the mark
 * of the format, and whatever the format says of names; another spelling of the same name is a warning.
 */
export function withAgentNames(
  findings: readonly Finding[],
  document: JsonRecord,
  shape: RecordShape,
  agents: readonly string[],
): readonly Finding[] {
  let judged = findings;
  for (const { path, rule, mark } of nameFieldsOf(shape)) {
    const written = valueAt(document, path);
    if (typeof written !== "string") continue;
    const called = agents.find((name) => written === mark + name);
    const meant = called ?? onlyOne(agents.filter((name) => sameAgent(name, written)));
    if (meant === null) continue;
    judged = judged.filter((finding) => finding.code !== "bad-format" || printPath(finding.path) !== printPath(path));
    if (called === undefined) judged = [...judged, otherSpelling(path, rule, written, mark + meant)];
  }
  return judged;
}

function onlyOne(names: readonly string[]): string | null {
  return names.length === 1 ? (names[0] ?? null) : null;
}

function otherSpelling(path: JsonPath, rule: string, written: string, called: string): Finding {
  return {
    code: "nonstandard-value",
    rule,
    severity: "warning",
    path,
    message: `\`${printPath(path)}\` says "${written.slice(0, 80)}"; the workflow calls this agent "${called}".`,
    hint: `Write ${called}.`,
    repair: { kind: "replace", title: `Write ${called}`, value: called },
  };
}

interface NameField {
  readonly path: JsonPath;
  readonly rule: string;
  /** What the format puts before a name: `@` or nothing. */
  readonly mark: string;
}

const fieldsByShape = new WeakMap<RecordShape, readonly NameField[]>();

function nameFieldsOf(shape: RecordShape): readonly NameField[] {
  let fields = fieldsByShape.get(shape);
  if (fields === undefined) fieldsByShape.set(shape, (fields = [...nameFieldsIn(shape, [])]));
  return fields;
}

function* nameFieldsIn(shape: RecordShape, path: JsonPath): Iterable<NameField> {
  for (const [key, { shape: outer, rule }] of Object.entries(shape.fields)) {
    const inner = outer.kind === "nullable" ? outer.of : outer;
    if (inner.kind === "record") yield* nameFieldsIn(inner, [...path, key]);
    const mark = formatOf(inner)?.agentMark;
    if (mark !== undefined) yield { path: [...path, key], rule, mark };
  }
}

function formatOf(shape: Shape): TextFormat | undefined {
  return shape.kind === "text" ? shape.format : undefined;
}

function valueAt(document: JsonRecord, path: JsonPath): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of path) value = isRecord(value) ? ownValue(value, String(step)) : undefined;
  return value;
}
