import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../../shared/json-value.ts";
import type { DraftField } from "./draft.ts";

/** How likely a condition may be by chance, over all pairs that are compared. */
const MAX_CHANCE = 0.001;
const MAX_CONDITIONS = 20;
const MAX_PAIRS = 4000;

/** A field outside of lists, with its path. */
interface NamedDraft {
  readonly path: readonly string[];
  readonly field: DraftField;
}

/**
 * Fields that are there exactly where another field has a certain word, in documents enough that it cannot be chance:
 * `required_when`.
 */
export function inferConditions(fields: readonly DraftField[], documents: readonly JsonRecord[]): void {
  const named = namedIn(fields, []);
  const deciding = named.filter(({ field }) => field.words !== null && field.type === "text");
  const optional = named.filter(({ path, field }) => !field.required && isTopmost(path, named));
  const pairs = deciding.reduce((sum, { field }) => sum + (field.words?.length ?? 0), 0) * optional.length;
  if (pairs === 0 || pairs > MAX_PAIRS) return;
  let found = 0;
  for (const { path, field } of optional) {
    const holds = documents.map((document) => isFilled(valueAt(document, path)));
    for (const decider of deciding) {
      const word = decidingWord(decider, documents, holds, MAX_CHANCE / pairs);
      if (word === null || field.requiredWhen !== null || found === MAX_CONDITIONS) continue;
      found++;
      field.requiredWhen = `${decider.path.join(".")} == '${word}'`;
      field.notes.push(`there exactly where \`${decider.path.join(".")}\` is \`${word}\``);
    }
  }
}

function namedIn(fields: readonly DraftField[], before: readonly string[]): NamedDraft[] {
  return fields.flatMap((field): NamedDraft[] => {
    const path = [...before, field.name];
    // In a condition a dot divides steps, and a quote ends a word.
    if (!/^[\p{L}_@][\p{L}\p{N}_-]*$/u.test(field.name)) return [];
    return [{ path, field }, ...(field.type === "record" ? namedIn(field.fields, path) : [])];
  });
}

/** Inside an optional record only the record itself is looked at. */
function isTopmost(path: readonly string[], named: readonly NamedDraft[]): boolean {
  return named.every(
    (other) =>
      other.field.required || other.path.length >= path.length || other.path.some((step, at) => step !== path[at]),
  );
}

function decidingWord(
  { path, field }: NamedDraft,
  documents: readonly JsonRecord[],
  holds: readonly boolean[],
  maxChance: number,
): string | null {
  const words = documents.map((document) => valueAt(document, path));
  const isExact = (word: string): boolean => words.every((value, index) => (value === word) === holds[index]);
  const word = field.words?.find((candidate) => !candidate.word.includes("'") && isExact(candidate.word))?.word;
  const times = holds.filter(Boolean).length;
  return word !== undefined && 1 / choose(documents.length, times) <= maxChance ? word : null;
}

/** In how many ways so many documents can be chosen of all of them. */
function choose(all: number, some: number): number {
  let ways = 1;
  for (let step = 1; step <= Math.min(some, all - some); step++) ways = (ways * (all - step + 1)) / step;
  return ways;
}

function valueAt(document: JsonRecord, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of path) value = isRecord(value) ? ownValue(value, step) : undefined;
  return value;
}

function isFilled(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
