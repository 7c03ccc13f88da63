import { type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";
import { editDistance } from "../shared/nearest-word.ts";
import type { RecordShape, Shape } from "./shape.ts";

/**
 * Knows which keys look like a field of one kind of record. Handoffs are open, so most unknown keys are
 * names of their own: a key is taken for a misspelling only when hardly anything else can be meant.
 */
export class NearNames {
  readonly #shape: RecordShape;
  /** Records of one list have the same keys: each key is compared with the fields once. */
  readonly #compared = new Map<string, Near | null>();

  constructor(shape: RecordShape) {
    this.#shape = shape;
  }

  /** The field that an unknown key of this record stands for, when the record lacks it; null for a name of its own. */
  meant(key: string, record: JsonRecord): string | null {
    const near = this.#nearest(key);
    if (near === null || record[near.known.name] !== undefined) return null;
    return near.isRespelled || isOfKind(record[key], near.known.kind) ? near.known.name : null;
  }

  #nearest(key: string): Near | null {
    if (key.length > LONGEST || this.#shape.isOpen === true) return null;
    let near = this.#compared.get(key);
    if (near === undefined) {
      near = nearest(key, knownNames(this.#shape));
      // A text with ever new keys must not fill the memory.
      if (this.#compared.size === MAX_REMEMBERED) this.#compared.clear();
      this.#compared.set(key, near);
    }
    return near;
  }
}

const MAX_REMEMBERED = 200;
/** So long is no misspelling of any field. */
const LONGEST = 40;

interface Near {
  readonly known: KnownName;
  /** The same letters, but for capitals, `_` and `-`. */
  readonly isRespelled: boolean;
}

interface Spelling {
  /** In lower case. */
  readonly words: readonly string[];
  /** All of them together. */
  readonly letters: string;
  /** One bit for each letter that occurs. */
  readonly alphabet: number;
}

interface KnownName extends Spelling {
  readonly name: string;
  readonly isAttribute: boolean;
  readonly kind: Kind;
}

type Kind = "scalar" | "list" | "record" | "any";

const namesByShape = new WeakMap<RecordShape, readonly KnownName[]>();

function knownNames(record: RecordShape): readonly KnownName[] {
  let names = namesByShape.get(record);
  if (names === undefined) {
    names = Object.entries(record.fields)
      .filter(([name]) => !name.startsWith("#"))
      .flatMap(([name, { shape, alsoCalled = [] }]) =>
        [name, ...alsoCalled].map((written) => ({
          name,
          isAttribute: isAttribute(name),
          kind: kindOf(shape),
          ...spelling(written),
        })),
      );
    namesByShape.set(record, names);
  }
  return names;
}

/** In XML an element is never taken for an attribute, nor the other way round. */
function isAttribute(key: string): boolean {
  return key.startsWith("@");
}

/** Words end at `_`, `-` and before a capital. Letter by letter: a hostile text may have very many keys. */
function spelling(name: string): Spelling {
  const words: string[] = [];
  let start = isAttribute(name) ? 1 : 0;
  for (let at = start; at < name.length; at++) {
    const code = name.charCodeAt(at);
    const isBreak = code === UNDERSCORE || code === HYPHEN;
    if (!isBreak && !(isCapital(code) && !isCapital(name.charCodeAt(at - 1)))) continue;
    if (at > start) words.push(name.slice(start, at).toLowerCase());
    start = isBreak ? at + 1 : at;
  }
  if (start < name.length) words.push(name.slice(start).toLowerCase());
  return { words, letters: words.length === 1 ? (words[0] ?? "") : words.join(""), alphabet: alphabetOf(name) };
}

const UNDERSCORE = 0x5f;
const HYPHEN = 0x2d;

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function alphabetOf(name: string): number {
  let alphabet = 0;
  for (let at = 0; at < name.length; at++) {
    const letter = (name.charCodeAt(at) | 0x20) - 0x61;
    if (letter >= 0 && letter < 26) alphabet |= 1 << letter;
  }
  return alphabet;
}

/** The one known name that is nearest; null when none is near, and when two are equally near. */
function nearest(key: string, known: readonly KnownName[]): Near | null {
  const sameLetters = isAscii(key) ? undefined : known.find(({ name }) => isOtherForm(key, name));
  if (sameLetters !== undefined) return { known: sameLetters, isRespelled: true };
  const alphabet = alphabetOf(key);
  let spelled: Spelling | null = null;
  let best: KnownName | null = null;
  let bestDistance = FAR;
  for (const name of known) {
    // A changed letter brings one and takes one: this spares most names the comparison.
    if (isMoreThanFour(alphabet ^ name.alphabet) || isAttribute(key) !== name.isAttribute) continue;
    if (key.length < name.letters.length - 2) continue;
    const distance = distanceOf((spelled ??= spelling(key)), name);
    if (distance === bestDistance) best = null;
    if (distance >= bestDistance) continue;
    [best, bestDistance] = [name, distance];
  }
  return best === null ? null : { known: best, isRespelled: bestDistance === 0 };
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7F]/.test(text);
}

/** Whether two names look the same and are not: their letters stand in different Unicode forms. */
export function isOtherForm(left: string, right: string): boolean {
  return left !== right && left.normalize("NFC") === right.normalize("NFC");
}

function isMoreThanFour(letters: number): boolean {
  let rest = letters;
  for (let taken = 0; taken < 4; taken++) rest &= rest - 1;
  return rest !== 0;
}

/** More edits than make a misspelling. */
const FAR = 3;

/** Edits from a key to a known name: one, or two when it has eight letters or more. */
function distanceOf(key: Spelling, known: Spelling): number {
  if (key.letters === known.letters) return 0;
  const most = known.letters.length < 8 ? 1 : 2;
  if (Math.abs(key.letters.length - known.letters.length) > most) return FAR;
  if (key.words.length !== known.words.length) return joinedDistance(key.letters, known.letters);
  let distance = 0;
  for (let index = 0; index < key.words.length && distance <= most; index++)
    distance += wordDistance(key.words[index] ?? "", known.words[index] ?? "");
  return distance > most ? FAR : distance;
}

/** Words that were run together or torn apart are one mistake already. */
function joinedDistance(key: string, known: string): number {
  return known.length < 5 || editDistance(key, known, 2) === 2 ? FAR : 1;
}

/** Word by word, for few edits make another word of a short one: `data` and `date`, `files` and `lines`. */
function wordDistance(word: string, known: string): number {
  if (word === known) return 0;
  const distance = editDistance(word, known, FAR);
  if (distance === 1) return isMisspelled(word, known) ? 1 : FAR;
  return distance === 2 && isMisspelledTwice(word, known) ? 2 : FAR;
}

function isMisspelled(word: string, known: string): boolean {
  if (known.length >= 5) return true;
  if (word.length !== known.length) return known.length === 4;
  return known.length >= 3 && alphabetOf(word) === alphabetOf(known);
}

/** `severity` is not `security`, nor are `solution` and `resolution`, `blocks` and `blockers` the same word. */
function isMisspelledTwice(word: string, known: string): boolean {
  return known.length >= 9 && word[0] === known[0] && Math.abs(word.length - known.length) < 2;
}

function kindOf(shape: Shape): Kind {
  switch (shape.kind) {
    case "list":
    case "record":
      return shape.kind;
    case "map":
      return "record";
    case "nullable":
      return kindOf(shape.of);
    case "union":
    case "anything":
      return "any";
    case "text":
    case "number":
    case "boolean":
    case "literal":
      return "scalar";
  }
}

/** Whether a value can be meant for a field of this shape: a list is none for a text. Of null nothing is known. */
export function mayBeOfShape(value: JsonValue | undefined, shape: Shape): boolean {
  return value === null || isOfKind(value, kindOf(shape));
}

/** A value of another kind speaks for a name of its own: `issue: 71` is not a list of issues. */
function isOfKind(value: JsonValue | undefined, kind: Kind): boolean {
  if (kind === "any") return true;
  if (Array.isArray(value)) return kind === "list";
  if (!isRecord(value)) return kind === "scalar";
  const printed = value["#xml"];
  return typeof printed === "string" ? holdsElements(printed) === (kind !== "scalar") : kind === "record";
}

/** Of an unknown XML element, which is kept as it is printed: whether a tag follows the first, and opens one. */
function holdsElements(printed: string): boolean {
  const second = printed.indexOf("<", 1);
  return second !== -1 && printed[second + 1] !== "/";
}
