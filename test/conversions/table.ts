import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { CARRIED } from "../../src/protocol/carried-place.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import type { BuiltinDialect, Handoff } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { writeHandoff } from "../../src/protocol/write-handoff.ts";
import { leavesOf } from "../round-trip/leaves.ts";
import { type JsonRecord, type JsonValue, isRecord, shown } from "../../src/shared/json-value.ts";

/** One handoff of the table, with what a practitioner of each other format would write for the same work. */
interface TableRow {
  readonly source: BuiltinDialect;
  readonly name: string;
  readonly meaning: string;
  readonly text: string;
  readonly to: Readonly<Partial<Record<BuiltinDialect, readonly string[]>>>;
}

export const TABLE: readonly TableRow[] = DIALECT_NAMES.flatMap((source) => {
  const rows = load(readFileSync(join(import.meta.dirname, `from-${source}.yaml`), "utf8")) as Omit<
    TableRow,
    "source"
  >[];
  return rows.map((row) => ({ ...row, source }));
});

export interface Conversion {
  readonly row: TableRow;
  readonly target: BuiltinDialect;
  readonly handoff: Handoff;
  readonly text: string;
  /** The same text without what is carried. */
  readonly ownText: string;
  readonly expected: number;
  /** Expectations that the converted text does not meet. */
  readonly unmet: readonly string[];
  /** Characters of the text, and those of them under `carried`. */
  readonly size: number;
  readonly carried: number;
  /** Characters of the values in the document, and those of them that stand only under `carried`. */
  readonly content: number;
  readonly onlyCarried: number;
}

const FILLING = { now: "2026-05-08T09:00:00Z", issue: "118" };

export function convertTable(): Conversion[] {
  return TABLE.flatMap((row) => {
    const handoff = readHandoffs(row.text, { dialect: row.source }).handoffs[0]?.handoff;
    if (!handoff) throw new Error(`${row.name} is no handoff of ${row.source}`);
    return DIALECT_NAMES.filter((target) => target !== row.source).map((target) => convert(row, handoff, target));
  });
}

function convert(row: TableRow, handoff: Handoff, target: BuiltinDialect): Conversion {
  const { document, text } = writeHandoff(handoff, target, FILLING);
  const { document: own, text: ownText } = writeHandoff(handoff, target, { ...FILLING, carry: false });
  const expectations = row.to[target] ?? [];
  return {
    row,
    target,
    handoff,
    text,
    ownText,
    expected: expectations.length,
    unmet: expectations.filter((line) => !isMet(own, line)),
    size: text.length,
    carried: text.length - ownText.length,
    content: valueSize(own) + onlyCarried(document, target),
    onlyCarried: onlyCarried(document, target),
  };
}

/** Values under `carried` that refer to nothing: their text stands there only. */
function onlyCarried(document: JsonRecord, target: BuiltinDialect): number {
  let space: JsonValue | undefined = document;
  for (const step of DIALECTS[target].freeSpace) space = isRecord(space) ? space[step] : undefined;
  const carried = isRecord(space) ? space[CARRIED] : undefined;
  if (carried === undefined) return 0;
  const parts = (typeof carried === "string" ? JSON.parse(carried) : carried) as JsonRecord;
  const { source: _source, absent: _absent, ...values } = parts;
  return valueSize(values);
}

function valueSize(value: JsonValue): number {
  return [...leavesOf(value)]
    .filter(([path, leaf]) => !shown(leaf).startsWith("$") && !PACKING.has(shown(path.at(-1))))
    .reduce((size, [, leaf]) => size + shown(leaf).length, 0);
}

/** Keys of packed values that hold names and counts. */
const PACKING = new Set(["$each", "$like", "of", "take", "no"]);

/** `path = value`, `path ~ part of a text` or `!path`; `*` in a path is any item. */
function isMet(document: JsonRecord, line: string): boolean {
  if (line.startsWith("!")) return valuesAt(document, line.slice(1).split(".")).length === 0;
  const [, path = "", sign, wanted = ""] = /^(\S+) ([=~]) (.+)$/s.exec(line) ?? [];
  const texts = valuesAt(document, path.split(".")).map((value) => (value === null ? "null" : shown(value)));
  return texts.some((text) => (sign === "=" ? text === wanted : text.toLowerCase().includes(wanted.toLowerCase())));
}

function valuesAt(value: JsonValue | undefined, [step, ...rest]: readonly string[]): JsonValue[] {
  if (value === undefined) return [];
  if (step === undefined) return [value];
  if (Array.isArray(value)) {
    const items = step === "*" ? value : [value[Number(step)]];
    return items.flatMap((item) => valuesAt(item, rest));
  }
  return isRecord(value) ? valuesAt(value[step], rest) : [];
}
