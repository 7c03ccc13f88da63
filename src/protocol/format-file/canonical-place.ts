import { ownValue } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { handoffShape } from "../handoff.ts";
import type { Shape } from "../shape.ts";

/** A place of the canonical handoff. */
export interface CanonicalPlace {
  readonly steps: readonly string[];
  /** What stands there; null in a record that takes any key, where anything may stand. */
  readonly shape: Shape | null;
  readonly isNullable: boolean;
}

interface PlaceProblem {
  readonly message: string;
  readonly hint: string;
}

type PlaceReading =
  | { readonly place: CanonicalPlace; readonly problem: null }
  | { readonly place: null; readonly problem: PlaceProblem };

/** The root of the canonical handoff. */
export const CANONICAL_ROOT: CanonicalPlace = { steps: [], shape: handoffShape, isNullable: false };

/** Parts that belong to Baton: each format has its own words for the outcome, and keeps unknown fields by itself. */
const RESERVED: Readonly<Record<string, string>> = {
  status: "It is the word of the field that is the outcome.",
  extensions: "A field without `is` is kept there by itself.",
  spelling: "Numbers are kept as they are written by themselves.",
};

/** `work.modified` from the root, `path` from an entry of it. A step into a list means its first entry. */
export function placeAt(path: string, from: CanonicalPlace): PlaceReading {
  const steps = path.split(".");
  let { shape } = from;
  let isNullable = false;
  for (const step of steps) {
    if (shape === handoffShape && Object.hasOwn(RESERVED, step))
      return refused(`\`${step}\` cannot be the place of a field.`, RESERVED[step] ?? "");
    if (!/^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u.test(step) || step === "__proto__")
      return refused(`\`${path}\` is no place of the canonical handoff.`, PLACES);
    const next = stepInto(shape, step);
    if (next === undefined) return unknownStep(path, step, shape);
    isNullable = next?.kind === "nullable";
    shape = next?.kind === "nullable" ? next.of : next;
  }
  return { place: { steps, shape, isNullable }, problem: null };
}

const PLACES = "`baton schema handoff` prints all of them; docs/spec/canonical-handoff.md explains them.";

/** Undefined when there is no such step; null where anything may stand. */
function stepInto(shape: Shape | null, step: string): Shape | null | undefined {
  if (shape === null) return null;
  if (shape.kind === "list") return stepInto(shape.item, step);
  if (shape.kind === "record") return ownValue(shape.fields, step)?.shape;
  return shape.kind === "map" ? null : undefined;
}

function unknownStep(path: string, step: string, shape: Shape | null): PlaceReading {
  const inner = shape?.kind === "list" ? shape.item : shape;
  const known =
    inner?.kind === "record"
      ? Object.keys(inner.fields).filter((key) => inner !== handoffShape || !Object.hasOwn(RESERVED, key))
      : [];
  const meant = nearestWord(step, known);
  const listed = known.length === 0 ? "" : ` Here are ${known.join(", ")}.`;
  return refused(
    `\`${path}\` is no place of the canonical handoff: there is no \`${step}\`.`,
    meant === null ? `${PLACES}${listed}` : `Did you mean ${meant}?${listed}`,
  );
}

function refused(message: string, hint: string): PlaceReading {
  return { place: null, problem: { message, hint } };
}

/** Completes the sentence "takes ...". */
export function describePlace({ shape }: CanonicalPlace): string {
  if (shape?.kind === "list") return shape.item.kind === "record" ? "a list of records" : "a list of texts";
  return shape === null ? "any value" : (KINDS[shape.kind] ?? "any value");
}

const KINDS: Readonly<Partial<Record<Shape["kind"], string>>> = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  record: "a record of known fields",
  map: "a record of any keys",
};
