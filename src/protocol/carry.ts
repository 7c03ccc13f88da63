import { type JsonRecord, type JsonValue, isRecord, sameJson } from "../shared/json-value.ts";
import { checkShape } from "./check-shape.ts";
import type { Dialect } from "./dialect.ts";
import { DocumentCheck } from "./document-check.ts";
import { type Handoff, handoffParts, handoffShape, withParts } from "./handoff.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { parseBlock } from "./syntax/parse-block.ts";
import { jsonForXml } from "./syntax/xml.ts";

/**
 * Content that a dialect has no field for travels in its free space under this key, as parts of the
 * canonical handoff. It is read back only where it agrees with the dialect's own fields: those are
 * what everybody else reads, so they always win.
 */
export const CARRIED = "carried";

/** What stands in a document where carried parts stand. */
function findCarried(document: JsonRecord, dialect: Dialect): JsonValue | undefined {
  let inner: JsonValue | undefined = document;
  for (const step of dialect.freeSpace) inner = isRecord(inner) ? inner[step] : undefined;
  return isRecord(inner) ? inner[CARRIED] : undefined;
}

export function putCarried(document: JsonRecord, dialect: Dialect, parts: ReadonlyMap<string, JsonValue>): JsonRecord {
  if (parts.size === 0) return document;
  const record = Object.fromEntries(parts);
  const value = dialect.syntax === "xml" ? jsonForXml(record) : record;
  return putAt(document, dialect.freeSpace, value);
}

function putAt(record: JsonRecord, path: readonly string[], value: JsonValue): JsonRecord {
  const [step, ...rest] = path;
  if (step === undefined) return { ...record, [CARRIED]: value };
  const inner = record[step];
  return { ...record, [step]: putAt(isRecord(inner) ? inner : {}, rest, value) };
}

/** Takes the carried parts out of a document; a container that was made only for them goes too. */
export function takeCarried(
  document: JsonRecord,
  dialect: Dialect,
): { document: JsonRecord; carried: JsonRecord | null } {
  const found = findCarried(document, dialect);
  if (found === undefined) return { document, carried: null };
  const value = typeof found === "string" ? parseRecord(found) : found;
  if (!isRecord(value)) return { document, carried: null };
  return { document: removeAt(document, dialect.freeSpace), carried: value };
}

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function removeAt(record: JsonRecord, path: readonly string[]): JsonRecord {
  const [step, ...rest] = path;
  if (step === undefined) {
    const { [CARRIED]: _carried, ...kept } = record;
    return kept;
  }
  const inner = removeAt(record[step] as JsonRecord, rest);
  const { [step]: _emptied, ...others } = record;
  const made = Object.keys(inner).length === 0 && step === "context";
  return made ? others : { ...record, [step]: inner };
}

interface Restored {
  readonly handoff: Handoff;
  /** Names of carried parts that do not agree with the handoff, and were left out. */
  readonly refused: readonly string[];
}

/** More than twice the parts a handoff can have. */
const MAX_PARTS = 200;

/** The handoff with the carried parts that have the right shape and agree with its own fields. */
export function restoreCarried(handoff: Handoff, carried: JsonRecord, dialect: Dialect): Restored {
  const parts = new Map(
    Object.entries(carried).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
  if (parts.size > MAX_PARTS) return { handoff, refused: [CARRIED] };
  const refused = [...misshapenParts(handoff, parts)];
  for (const name of refused) parts.delete(name);
  const own = handoffParts(handoff);
  const withoutWord = new Map([...parts].filter(([name]) => name !== "status"));
  const projections = [parts, withoutWord].map((some) => handoffParts(projectOnto(withParts(handoff, some), dialect)));
  for (const name of parts.keys()) {
    if (name === "status" || projections.some((projected) => sameJson(projected.get(name), own.get(name)))) continue;
    parts.delete(name);
    refused.push(name);
  }
  return { handoff: withParts(handoff, parts), refused };
}

/** What is left of a handoff when it is written in a dialect's own fields and read back. */
export function projectOnto(handoff: Handoff, dialect: Dialect, agents: readonly string[] = []): Handoff {
  const document = dialect.lower(handoff, { agents, filledIn: () => undefined });
  const written = dialect.syntax === "json" ? document : asWritten(document, dialect);
  return dialect.lift(written, dialect.originOf?.(handoff) ?? {});
}

/** A text cannot hold everything a value can: XML drops control characters and outer space. */
function asWritten(document: JsonRecord, dialect: Dialect): JsonRecord {
  const parsed = parseBlock(dialect.print(document), { syntax: dialect.syntax, shape: dialect.shape }, DEFAULT_LIMITS);
  return isRecord(parsed?.document) ? parsed.document : document;
}

const NAME = /^[a-z_]+(?:\.[a-z_-]+)?$/;

function* misshapenParts(handoff: Handoff, parts: ReadonlyMap<string, JsonValue>): Iterable<string> {
  for (const [name, value] of parts) {
    // `in` would also find what every object inherits, and `__proto__` would then change the handoff's nature.
    const known = NAME.test(name) && Object.hasOwn(handoffShape.fields, name.split(".")[0] ?? "");
    const check = new DocumentCheck(DEFAULT_LIMITS);
    const { dialect: _dialect, ...content } = withParts(
      { dialect: handoff.dialect, outcome: handoff.outcome },
      new Map([[name, value]]),
    );
    if (known) checkShape(content, handoffShape, check, "canonical");
    if (!known || check.findings.length > 0) yield name;
  }
}
