import { CANONICAL_ROOT, placeAt } from "../canonical-place.ts";
import type { FieldType } from "../field-keys.ts";
import type { DraftField } from "./draft.ts";
import { type PlaceGuess, aboutPlace, guessEntryPlace, guessPlace, textEntryPlace } from "./guess-place.ts";
import type { Confidence } from "./guess-outcome.ts";

/** A field that may have a place, with the guess. */
interface Candidate {
  readonly field: DraftField;
  readonly guess: PlaceGuess;
  readonly depth: number;
}

/** Says of each field what it most likely means. Of several with one place the best has it. */
export function inferPlaces(fields: readonly DraftField[]): void {
  const candidates = candidatesIn(fields, 0).sort((left, right) => scoreOf(right) - scoreOf(left));
  const taken: string[] = ["outcome"];
  for (const { field, guess } of candidates) {
    if (taken.some((place) => collides(place, guess.place)) || !suits(field, guess.place)) continue;
    taken.push(guess.place);
    settle(field, guess, null);
    if (field.type === "list" && field.item !== null) settleEntries(field, guess.place);
  }
}

const WEIGHT: Readonly<Record<Confidence, number>> = { high: 10, medium: 6, low: 2 };

function scoreOf({ field, guess, depth }: Candidate): number {
  return WEIGHT[guess.confidence] - depth * 3 + (field.required ? 2 : 0);
}

/** At the root, and in records that only group fields. */
function candidatesIn(fields: readonly DraftField[], depth: number): Candidate[] {
  return fields.flatMap((field): Candidate[] => {
    if (field.is !== null) return [];
    const guess = guessPlace(field.name);
    const own = guess === null ? [] : [{ field, guess, depth }];
    return field.type === "record" ? [...own, ...candidatesIn(field.fields, depth + 1)] : own;
  });
}

function collides(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/** Whether the type of the field fits the place: the reader of format files has the last word. */
function suits(field: DraftField, path: string): boolean {
  const shape = placeAt(path, CANONICAL_ROOT).place?.shape;
  if (shape?.kind === "list") return field.type === "list" && suitsEntries(field, path, shape.item.kind === "record");
  if (shape?.kind === "text" && (field.words !== null || shape.words !== undefined)) return false;
  return TYPES_FOR[shape?.kind ?? ""]?.includes(field.type) === true;
}

/** The types that each kind of place takes. */
const TYPES_FOR: Readonly<Record<string, readonly FieldType[]>> = {
  map: ["map", "record"],
  number: ["integer", "number"],
  text: ["text"],
};

function suitsEntries({ item }: DraftField, path: string, takesRecords: boolean): boolean {
  if (item === null) return false;
  if (!takesRecords) return item.type === "text";
  if (item.type === "text") return textEntryPlace(path) !== null;
  return item.type === "record" && item.fields.some(({ name }) => guessEntryPlace(path, name) !== null);
}

function settleEntries({ item }: DraftField, list: string): void {
  if (item === null) return;
  if (item.type === "text") {
    item.is = textEntryPlace(list);
    return;
  }
  const taken = new Set<string>();
  for (const confidence of ["high", "medium"] as const)
    for (const field of item.fields) {
      const guess = guessEntryPlace(list, field.name);
      if (guess?.confidence !== confidence || taken.has(guess.place) || field.type !== "text") continue;
      if (!wordsFit(field, list, guess.place)) continue;
      taken.add(guess.place);
      settle(field, guess, list);
    }
}

/** Words of a place that has words of its own must be those. */
function wordsFit(field: DraftField, list: string, place: string): boolean {
  const shape = placeAt(`${list}.${place}`, CANONICAL_ROOT).place?.shape;
  const known = shape?.kind === "text" ? (shape.words ?? shape.oneOf) : undefined;
  return known === undefined || field.words?.every(({ word }) => known.includes(word)) === true;
}

function settle(field: DraftField, { place, confidence }: PlaceGuess, list: string | null): void {
  field.is = place;
  field.about ??= aboutPlace(place, list);
  field.notes.push(`is: ${place} (confidence ${confidence}, by its name and type)`);
}

/** Takes places away that the reader of format files refuses; the path is that of the `is` in the file. */
export function dropPlace(fields: readonly DraftField[], path: readonly (string | number)[]): boolean {
  let [, ...steps] = path;
  let field = fields.find(({ name }) => name === steps[0]);
  for (steps = steps.slice(1); field !== undefined && steps.length > 1;) {
    const inner: DraftField | null | undefined =
      steps[0] === "item" ? field.item : field.fields.find(({ name }) => name === steps[1]);
    steps = steps.slice(steps[0] === "item" ? 1 : 2);
    field = inner ?? undefined;
  }
  if (field === undefined || field.is === null || field.is === "outcome") return false;
  field.is = null;
  field.about = null;
  field.notes.push("its place was taken away again: it does not fit there");
  return true;
}
