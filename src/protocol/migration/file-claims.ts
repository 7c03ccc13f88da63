import { CHANGE_WORDS, type Change } from "./note-topics.ts";
import { type NoteSpan, hide, hideQuoted, joinedLines, trimmed, valueSpan } from "./note-text.ts";
import type { PathMention } from "./path-mentions.ts";

/** What a statement says of a file. */
export interface FileClaim {
  readonly mention: PathMention;
  /** Null when the words around it do not say what was done to it. */
  readonly change: Change | null;
  /** What the statement says of the file besides: its purpose, or what changed in it. */
  readonly note: NoteSpan | null;
  /** The statement begins with the file. */
  readonly leads: boolean;
}

const CHANGE = new RegExp(`\\b(?:${[...CHANGE_WORDS.keys()].join("|")})\\b`, "gi");

/** What follows one of these was not done, or not yet. */
const DOUBT =
  /\b(?:not|never|no|without|should|must|will|would|could|can|cannot|may|might|need|needs|needed|todo|if|unless|whether|when)\b|n['\u2019]t\b/i;

/** A whole sentence that may not have happened. */
const CONDITION = /\bif (?:needed|necessary|possible|required)\b|\?[\s*_)]{0,8}$/i;

const FILLERS = new Set(
  (
    "a an the this these two three both new file files module modules component components script scripts test tests helper " +
    "helpers class service page config configuration doc docs document schema migration hook route type types"
  ).split(" "),
);
const COPULAS = new Set("was were is are has have been now newly also both all".split(" "));

/** A sentence about more files than this describes none of them. */
const MAX_SHARING = 8;
const MAX_NOTE = 1000;

/** What the words of one sentence say of each file named in it. */
export function claimsIn(text: string, sentence: NoteSpan, mentions: readonly PathMention[]): FileClaim[] {
  if (mentions.length === 0) return [];
  const shown = shownWithout(text, sentence, mentions);
  const changes = CONDITION.test(shown) ? mentions.map(() => null) : changesOf(shown, sentence.start, mentions);
  const lead = leadingCount(shown, sentence.start, mentions);
  const describes = mentions.length <= MAX_SHARING && sentence.end - sentence.start <= MAX_NOTE;
  return mentions.map((mention, index) => ({
    mention,
    change: changes[index] ?? null,
    leads: index < lead,
    note: describes ? noteOn(text, sentence, mentions, changes, lead, index) : null,
  }));
}

function shownWithout(text: string, sentence: NoteSpan, mentions: readonly PathMention[]): string {
  const own = mentions.map(({ start, end }) => ({ start: start - sentence.start, end: end - sentence.start }));
  return hide(hideQuoted(text.slice(sentence.start, sentence.end)), own);
}

/** How many files stand at the head of the statement, divided by nothing but commas and "and". */
function leadingCount(shown: string, offset: number, mentions: readonly PathMention[]): number {
  let count = 0;
  let from = 0;
  for (const mention of mentions) {
    const gap = shown.slice(from, mention.start - offset);
    if (count === 0 ? !/^[\s*_(]*$/.test(gap) : !joins(gap)) break;
    count++;
    from = mention.end - offset;
  }
  return count;
}

function joins(gap: string): boolean {
  return gap.length < 20 && /^[\s*_]*(?:,|&|\+|\/|and|,\s{0,3}and)[\s*_]*$/i.test(gap);
}

interface ChangeWord extends NoteSpan {
  readonly word: string;
}

/** Walks the change words and files of a sentence in order; each gap between two of them is looked at once. */
function changesOf(shown: string, offset: number, mentions: readonly PathMention[]): (Change | null)[] {
  const walk = new ChangeWalk(shown);
  for (const { start, end } of mentions) walk.meetFile(start - offset, end - offset);
  return walk.finish();
}

class ChangeWalk {
  readonly #shown: string;
  readonly #words: readonly ChangeWord[];
  readonly #changes: (Change | null)[] = [];
  #nextWord = 0;
  /** The first of the files that are named in one breath: "X, Y and Z were deleted". */
  #group = 0;
  /** The end of the last word or file. */
  #from = 0;
  #inDoubt = false;

  constructor(shown: string) {
    this.#shown = shown;
    this.#words = [...shown.matchAll(CHANGE)].map(({ 0: word, index }) => ({
      word: word.toLowerCase(),
      start: index,
      end: index + word.length,
    }));
  }

  meetFile(start: number, end: number): void {
    const word = this.#lastWordBefore(start);
    const gap = this.#gapTo(start);
    const previous = this.#changes.at(-1);
    const joined = word === null && previous !== undefined && joins(gap);
    if (!joined) this.#group = this.#changes.length;
    if (word !== null) this.#changes.push(this.#inDoubt ? null : changeBefore(word.word, gap));
    else this.#changes.push(joined ? previous : null);
    this.#from = end;
  }

  finish(): (Change | null)[] {
    const word = this.#words[this.#nextWord];
    if (word !== undefined) this.#settle(word);
    return this.#changes;
  }

  /** The change word that a file follows; the first word after other files is also theirs. */
  #lastWordBefore(start: number): ChangeWord | null {
    let last: ChangeWord | null = null;
    for (; (this.#words[this.#nextWord]?.start ?? Infinity) < start; this.#nextWord++) {
      const word = this.#words[this.#nextWord];
      if (word === undefined || (last !== null && this.#isFiller(word))) continue;
      this.#gapTo(word.start);
      if (last === null) this.#settle(word);
      last = word;
      this.#from = word.end;
    }
    return last;
  }

  /** In "added new tests" the first word says what was done. */
  #isFiller({ word, start }: ChangeWord): boolean {
    return word === "new" && isFilled(this.#shown.slice(this.#from, start), FILLERS);
  }

  #gapTo(start: number): string {
    const gap = this.#shown.slice(this.#from, start);
    this.#inDoubt ||= DOUBT.test(gap);
    return gap;
  }

  #settle(word: ChangeWord): void {
    const change = this.#changes.length === 0 || this.#inDoubt ? null : changeAfter(this.#shown, this.#from, word);
    if (change === null) return;
    for (let index = this.#group; index < this.#changes.length; index++) this.#changes[index] ??= change;
  }
}

function isFilled(gap: string, fillers: ReadonlySet<string>): boolean {
  return gap.length < 80 && !/[;.!?\u0001]/.test(gap) && wordsIn(gap).every((word) => fillers.has(word));
}

function wordsIn(gap: string): string[] {
  return gap
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

const WITHIN: ReadonlyMap<string, Change> = new Map([
  ["added to", "extended"],
  ...["modified", "changed", "updated", "edited", "fixed"].flatMap((word) =>
    ["in", "within", "inside"].map((place) => [`${word} ${place}`, "modified"] as const),
  ),
  ...["removed", "deleted"].flatMap((word) => ["in", "from"].map((place) => [`${word} ${place}`, "modified"] as const)),
  ...["in", "within", "inside"].map((place) => [`refactored ${place}`, "refactored"] as const),
]);

/** "Created the file X", "fixed the race in X": the word stands before the file. */
function changeBefore(word: string, gap: string): Change | null {
  if (isFilled(gap, FILLERS)) return CHANGE_WORDS.get(word) ?? null;
  if (gap.length > 200 || /[;:!?]/.test(gap)) return null;
  return WITHIN.get(`${word} ${wordsIn(gap).at(-1) ?? ""}`) ?? null;
}

/** "X was created", "X (new)", "X: updated to ...": the word stands after the file. */
function changeAfter(shown: string, from: number, { word, start, end }: ChangeWord): Change | null {
  const gap = shown.slice(from, start);
  if (gap.includes(",") || !isFilled(gap, COPULAS)) return null;
  const change = CHANGE_WORDS.get(word) ?? null;
  if (change !== "deleted" && word !== "added") return change;
  const next = shown.slice(end, end + 12);
  const isSentence = wordsIn(gap).length > 0;
  const isWhole = isSentence ? !/^\s+(?:to|from|in)\b/.test(next) : /^[\s*_]*(?:$|[).,;:\u2013\u2014]|- )/.test(next);
  if (isWhole) return change;
  // "X: removed the cache" is a change in X; "X: added for Y" may be either.
  return change === "deleted" && !isSentence ? "modified" : null;
}

function noteOn(
  text: string,
  sentence: NoteSpan,
  mentions: readonly PathMention[],
  changes: readonly (Change | null)[],
  lead: number,
  index: number,
): NoteSpan | null {
  const endOf = (place: number): number => mentions[place]?.end ?? sentence.end;
  if (index < lead) return noteAfter(text, endOf(lead - 1), sentence.end);
  if (changes[index] !== "created") return stated(text, sentence);
  if (changes.slice(index).some((change) => change !== "created")) return null;
  const after = trimmed(text, { start: endOf(mentions.length - 1), end: sentence.end });
  const isPurpose = PURPOSE.test(text.slice(after.start, Math.min(after.end, after.start + 12)));
  return isPurpose ? noteAfter(text, after.start, after.end) : null;
}

const PURPOSE = /^(?:[(:,\u2013\u2014-]|(?:for|to|with|which|that|containing|holding|providing|as)\b)/i;

/** What follows a file: past dashes, colons, and remarks that only say `(new)` or `(lines 1-20)`. */
export function noteAfter(text: string, from: number, to: number): NoteSpan | null {
  let at = from;
  for (let remarks = 0; remarks < 4; remarks++) {
    while (at < to && /[\s:,*_\u2013\u2014-]/.test(text[at] ?? "")) at++;
    if (text[at] === "(") {
      const close = text.indexOf(")", at);
      if (close === -1 || close >= to) break;
      const inner = { start: at + 1, end: close };
      if (isRemark(text.slice(inner.start, inner.end))) at = close + 1;
      else if (/^[\s.*_]*$/.test(text.slice(close + 1, to))) return stated(text, inner);
      else break;
    } else {
      const remark = /^(?:[a-z]+|(?:lines?:? ?|L)\d{1,9}[-\u2013]L?\d{1,9})(?=\s*(?:$|[.:,\u2013\u2014]|- ))/i.exec(
        text.slice(at, Math.min(to, at + 40)),
      );
      if (remark === null || !isRemark(remark[0])) break;
      at += remark[0].length;
    }
  }
  return stated(text, { start: at, end: to });
}

const REMARK = /^(?:new file|all|(?:lines?:? ?|l)?\d{1,9}(?:[-\u2013]l?\d{1,9}| \p{L}{1,20})?)$/u;

/** Only a change word, lines, or a count such as `12 tests`. */
function isRemark(words: string): boolean {
  return words
    .slice(0, 80)
    .split(",")
    .map((part) => joinedLines(part.toLowerCase()))
    .every((part) => CHANGE_WORDS.has(part) || REMARK.test(part));
}

function stated(text: string, span: NoteSpan): NoteSpan | null {
  const value = valueSpan(text, span);
  const words = text.slice(value.start, Math.min(value.end, value.start + 80));
  return /\p{L}{3}/u.test(words) && !isRemark(words) ? value : null;
}
