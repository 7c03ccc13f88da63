import { sameWordOtherSpelling } from "../../../shared/nearest-word.ts";
import { FORMAT_LIMITS } from "../field-keys.ts";
import { bareName, guessPlace } from "./guess-place.ts";
import type { SeenValues } from "./seen-values.ts";

/** So many documents must have the field before its texts are taken for all the words there are. */
const MIN_DOCUMENTS = 6;
/** The same for a field that has always had one word. */
const MIN_FOR_ONE_WORD = 10;
/** The words that were seen in one document only show how likely the next document has a new one (Good and Turing). */
const MAX_NEW = 0.05;

const MAX_CLOSED = 30;

/** Names of things that are many, whatever was seen of them. */
const OPEN_NAMES =
  /(?:^|_)(?:id|ids|name|title|path|file|branch|version|agent|author|owner|by|from|to|session|model|commit|sha|hash|url|date|time|at|user|repo|project|tags?|label|scope|role|assignee|sender|recipient|reason|summary|description|text|note|notes|message|command|line|lines|query|key|value)$/;

/** There is always another agent, also where a field for agents is called `worker` or `von`. */
function isOpenName(name: string): boolean {
  return OPEN_NAMES.test(bareName(name)) || ["from", "to"].includes(guessPlace(name)?.place ?? "");
}

/** Names of fields that say of what kind a document is: they have one word for all documents of a kind. */
const KIND_NAMES = /^(?:type|kind|format|schema|document_type|doc_type|record_type)$/;

interface ClosedWords {
  readonly words: readonly string[];
  readonly note: string;
}

/** The words of a field that has a closed set of them; null when it is not known to be closed. */
export function closedWords(name: string, seen: SeenValues, agents: ReadonlySet<string>): ClosedWords | null {
  const { words, documents } = seen;
  const bare = bareName(name);
  if (words === null || words.size === 0 || seen.hasEmptyText || isOpenName(name)) return null;
  const found = byFrequency(words);
  if (!canBeWords(found)) return null;
  const scale = wholeScale(bare, found, documents);
  if (scale !== null) return { words: scale, note: "words of this scale that were not seen are there too" };
  const areAgents = found.filter((word) => agents.has(word)).length * 2 >= found.length;
  if (areAgents || !isSettled(bare, words, documents)) return null;
  return { words: found, note: words.size === 1 ? "one word in all of them" : `${words.size} words in all of them` };
}

function isSettled(bare: string, words: ReadonlyMap<string, number>, documents: number): boolean {
  const least = words.size === 1 && !KIND_NAMES.test(bare) ? MIN_FOR_ONE_WORD : MIN_DOCUMENTS;
  const once = [...words.values()].filter((times) => times === 1).length;
  return documents >= least && once <= documents * MAX_NEW && words.size <= Math.min(MAX_CLOSED, documents / 3);
}

const SCALE_NAMES = /(?:^|_)(?:priority|severity|risk|complexity|confidence|importance|urgency|effort|impact|level)$/;
const SCALE = ["critical", "urgent", "high", "medium", "normal", "low"];
const MIN_FOR_SCALE = 3;

/** Words such as high and low are some of a scale that everybody knows: the rest of it may come with the next document. */
function wholeScale(bare: string, found: readonly string[], documents: number): readonly string[] | null {
  const isScale = SCALE_NAMES.test(bare) && documents >= MIN_FOR_SCALE && found.every((word) => SCALE.includes(word));
  return isScale ? SCALE : null;
}

/** The words of the outcome, which must be known: also when there are few documents. */
export function outcomeWords({ words }: SeenValues): string[] | null {
  return words !== null && words.size > 0 && words.size <= MAX_OUTCOME_WORDS && canBeWords([...words.keys()])
    ? byFrequency(words)
    : null;
}

const MAX_OUTCOME_WORDS = 15;

/** Whether the texts of a field are a few words that come again and again, and no known thing: it may be the outcome. */
export function mayBeOutcome(name: string, seen: SeenValues, total: number): boolean {
  const { words, documents } = seen;
  if (documents < MIN_FOR_CANDIDATE || documents * 3 < total * 2 || seen.hasEmptyText || outcomeWords(seen) === null)
    return false;
  if (isOpenName(name) || saysOther(bareName(name)) || guessPlace(name) !== null) return false;
  return areFewWords([...(words?.values() ?? [])], documents);
}

/** Failures are rare: a word that was seen once may be one, where the words together recur. */
function areFewWords(counts: readonly number[], documents: number): boolean {
  const recurring = counts.filter((times) => times >= 2).length;
  const areFew = counts.length >= 2 && counts.length <= MAX_CANDIDATE_WORDS && counts.length * 3 <= documents * 2;
  return areFew && recurring * 2 >= counts.length;
}

function saysOther(bare: string): boolean {
  return KIND_NAMES.test(bare) || SCALE_NAMES.test(bare);
}

const MIN_FOR_CANDIDATE = 5;
const MAX_CANDIDATE_WORDS = 6;

function byFrequency(words: ReadonlyMap<string, number>): string[] {
  return [...words].sort(([, left], [, right]) => right - left).map(([word]) => word);
}

/** Words as a format file takes them, each other than the rest by more than case and hyphens. */
function canBeWords(words: readonly string[]): boolean {
  return words.every((word, index) => isWordLike(word) && sameWordOtherSpelling(word, words.slice(0, index)) === null);
}

/** Up to three words without a full stop: no sentence. */
function isWordLike(word: string): boolean {
  const isShort = word.length <= Math.min(40, FORMAT_LIMITS.name);
  return isShort && /^\p{L}[\p{L}\p{N}_+./-]*(?: [\p{L}\p{N}_+./-]+){0,2}$/u.test(word) && !word.endsWith(".");
}
