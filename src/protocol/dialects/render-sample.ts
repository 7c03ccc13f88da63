import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { Dialect, Sample, Rule } from "../dialect.ts";

interface RenderedSample {
  readonly text: string;
  /** The file name that belongs to the sample, when it matters. */
  readonly path?: string;
}

/** A sample of a rule as a text that can be shown and read: whole, in the container it belongs into. */
export function renderSample(dialect: Dialect, sample: Sample): RenderedSample {
  const text = "text" in sample ? sample.text : print(dialect, changeExample(dialect.example, sample.set));
  return sample.path === undefined ? { text } : { text, path: sample.path };
}

function print(dialect: Dialect, document: JsonRecord): string {
  const block = dialect.print(document);
  return dialect.wrap?.(block, { dialect: dialect.name, outcome: "done" }) ?? block;
}

export function changeExample(
  example: JsonRecord,
  changes: Readonly<Record<string, JsonValue | undefined>>,
): JsonRecord {
  const document = copy(example) as JsonRecord;
  for (const [path, value] of Object.entries(changes)) setAt(document, path.split("."), value);
  return document;
}

function setAt(container: JsonRecord | JsonValue[], path: readonly string[], value: JsonValue | undefined): void {
  const [step = "", ...rest] = path;
  const record = container as JsonRecord;
  if (rest.length > 0) {
    const inner = record[step];
    if (isRecord(inner) || Array.isArray(inner)) setAt(inner, rest, value);
    else setAt((record[step] = {}), rest, value);
  } else if (value === undefined) delete record[step];
  else record[step] = copy(value);
}

/** A copy to change, without the keys whose value is undefined. */
function copy(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copy);
  if (!isRecord(value)) return value;
  const kept: JsonRecord = {};
  for (const [key, inner] of Object.entries(value)) if (inner !== undefined) kept[key] = copy(inner);
  return kept;
}

/** The part of a rule's sample that the rule is about: only the top-level fields its samples touch. */
export function renderSnippet(dialect: Dialect, rule: Rule, sample: Sample): string {
  if ("text" in sample) return sample.text;
  const touched = new Set(
    [rule.right, rule.wrong].flatMap((other) => (other !== undefined && "set" in other ? Object.keys(other.set) : [])),
  );
  const roots = new Set([...touched].map((path) => path.split(".")[0] ?? ""));
  const document = changeExample(dialect.example, sample.set);
  const shown = roots.size === 0 ? document : pick(document, roots, touched);
  const block = dialect.print(shown);
  return dialect.syntax === "json"
    ? block
    : (dialect.wrap?.(block, { dialect: dialect.name, outcome: "done" }) ?? block);
}

/** For formats with one record inside, its touched fields; for the others the touched top-level ones. */
function pick(document: JsonRecord, roots: ReadonlySet<string>, touched: ReadonlySet<string>): JsonRecord {
  const kept = Object.fromEntries(Object.entries(document).filter(([key]) => roots.has(key) || key === "#root"));
  const inner = kept["handoff"];
  const names = new Set(
    [...touched].flatMap((path) => (path.startsWith("handoff.") ? [path.split(".")[1] ?? ""] : [])),
  );
  if (!isRecord(inner) || names.size === 0 || touched.has("handoff")) return kept;
  return { ...kept, handoff: Object.fromEntries(Object.entries(inner).filter(([key]) => names.has(key))) };
}
