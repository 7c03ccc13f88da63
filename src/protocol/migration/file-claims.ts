import { CHANGE_WORDS, type Change, changeNamed } from "./note-titles.ts";
import { type NoteSpan, hide, hideQuoted, joinedLines, trimmed, valueSpan } from "./note-text.ts";
import { beginsWithDone } from "./note-topics.ts";
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

/** Words that change the file in which something was done; the file itself may be new. */
const PUT_WORDS =
  "implemented|introduced|wired|moved|put|wrote|registered|documented|extracted|hooked|handled|replaced|covered|inlined|made|set|" +
  "switched|renamed|enabled|disabled|reduced|increased|raised|turned|dropped|cleaned|split|ported|cached|configured|exposed|defined|" +
  "enforced|normalized|normalised|converted|bumped|upgraded|wrapped|mapped|connected|applied|automated|narrowed|tuned";
const CHANGE = new RegExp(`\\b(?:${[...CHANGE_WORDS.keys()].join("|")}|${PUT_WORDS})\\b`, "gi");

/** What follows one of these was not done, or not yet. */
const DOUBT =
  /\b(?:not|never|no|without|should|must|will|would|could|can|cannot|may|might|need|needs|needed|todo|if|unless|whether|when|going to|wanted|planned|plan|meant|intended|about to|instead of|rather than|nothing|cancell?ed)\b|n['\u2019]t\b/i;

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
  const from = (mentions[lead - 1]?.end ?? sentence.end) - sentence.start;
  const describes = mentions.length <= MAX_SHARING && sentence.end - sentence.start <= MAX_NOTE;
  if (!CONDITION.test(shown)) markAsides(shown, sentence.start, mentions, changes);
  return mentions.map((mention, index) => ({
    mention,
    change: changes[index] ?? (index < lead ? changeToldAfter(shown.slice(from)) : null),
    leads: index < lead,
    note: describes ? noteOn(text, sentence, mentions, changes, lead, index) : null,
  }));
}

/** "... into X (new file)" and "Added the alert (X)": what brackets say of a file. */
function markAsides(shown: string, offset: number, mentions: readonly PathMention[], changes: (Change | null)[]): void {
  for (const [index, { start, end }] of mentions.entries()) {
    if (/^[\s*_]{0,4}\((?:a )?(?:new|new file|newly created)\)/i.test(shown.slice(end - offset, end - offset + 30)))
      changes[index] = "created";
    else if (mentions.length === 1 && changes[index] === null && isWorkAside(shown, start - offset, end - offset))
      changes[index] = /^\W*(?:i |we )?(?:also )?added\b/i.test(shown) ? "extended" : "changed";
  }
}

/** The file stands alone in brackets at the end of a sentence that tells what was done. */
function isWorkAside(shown: string, start: number, end: number): boolean {
  if (!/\([\s*_]*$/.test(shown.slice(0, start)) || !/^[\s*_]*\)[\s.*_]*$/.test(shown.slice(end))) return false;
  const [word] = shown.slice(0, 80).match(CHANGE) ?? [];
  return word !== undefined && beginsWithDone(shown.replace(/^\W*(?:i |we )?(?:also )?/i, "")) && !DOUBT.test(shown);
}

/** `src/a.ts: moved the parser`: what was done there follows a dash or colon. */
function changeToldAfter(rest: string): Change | null {
  const told = /^[\s*_]*(?::|-|\u2013|\u2014)[\s*_]+(?=\p{L})/u.exec(rest.slice(0, 40))?.[0];
  if (told === undefined || DOUBT.test(rest.slice(0, 80)) || !beginsWithDone(rest.slice(told.length, told.length + 80)))
    return null;
  // "X: added for Y" may be the file, or something in it; "X - automated test" says what it is.
  if (
    /^(?:added (?:for|by|as|because|so)|automated|cached|connected|covered|defined|designed|generated|integrated|optimi[sz]ed|simplified|unified|validated|verified|translated)\b/i.test(
      rest.slice(told.length),
    )
  )
    return null;
  return /^added\b/i.test(rest.slice(told.length)) ? "extended" : "changed";
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

const PLACES = new Set(["in", "within", "inside", "into"]);

/** "Added the test in X", "moved the parser to X": what is done in a file changes it. */
function changeWithin(word: string, place: string): Change | null {
  if (place === "to") return word === "added" ? "extended" : MOVED.has(word) ? "changed" : null;
  const change = CHANGE_WORDS.get(word);
  if (place === "from") return change === "deleted" || MOVED.has(word) ? "modified" : null;
  if (!PLACES.has(place)) return null;
  if (change === undefined || change === "created") return word === "added" ? "extended" : "changed";
  return change === "deleted" ? "modified" : change;
}

const MOVED = new Set(["moved", "extracted"]);

/** "Created the file X", "fixed the race in X": the word stands before the file. */
function changeBefore(word: string, gap: string): Change | null {
  if (isFilled(gap, FILLERS)) return word === "wrote" ? "created" : (CHANGE_WORDS.get(word) ?? null);
  if (gap.length > 200 || /[;:!?(]/.test(gap)) return null;
  return changeWithin(word, wordsIn(gap).at(-1) ?? "");
}

/** "X was created", "X (new)", "X: updated to ...": the word stands after the file. */
function changeAfter(shown: string, from: number, { word, start, end }: ChangeWord): Change | null {
  const gap = shown.slice(from, start);
  const isAside = word === "new" && /^[\s,]*(?:which (?:is|was)\s+)?$/.test(gap);
  if (!isAside && (gap.includes(",") || !isFilled(gap, COPULAS))) return null;
  const change = CHANGE_WORDS.get(word) ?? null;
  if (change !== "deleted" && !LOOSE_WORDS.has(word)) return change;
  const isSentence = wordsIn(gap).length > 0;
  if (isSaidOfFile(word, shown.slice(end, end + 24), isSentence)) return change;
  // "X: removed the cache" is a change in X; "X: added for Y" may be either.
  return change === "deleted" && !isSentence ? "modified" : null;
}

/** Words that also tell of something in a file. */
const LOOSE_WORDS = new Set(["added", "written", "new"]);

/** What comes after the word decides whether it is about all of the file. */
function isSaidOfFile(word: string, next: string, isSentence: boolean): boolean {
  // "X: new module for Y" is a new file, "X: new wording" is not.
  if (word === "new" && FILLERS.has(wordsIn(next)[0] ?? "")) return true;
  if (isSentence) return !/^\s+(?:to|from|in)\b/.test(next);
  return /^[\s*_]*(?:$|[).,;:\u2013\u2014]|- )/.test(next);
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
  const opening = text.lastIndexOf("(", mentions[index]?.start);
  // "Tiles are kept in SQLite (`store.ts`, new)."
  if (opening > sentence.start && /^[^()]*\)[\s.*_]*$/.test(text.slice(opening + 1, sentence.end)))
    return stated(text, { start: sentence.start, end: opening });
  // "Moved the check into `store.ts` (new file)."
  if (/^\((?:a )?new/i.test(text.slice(after.start, after.start + 8)) && !isCreation(text, sentence))
    return stated(text, sentence);
  const isPurpose = PURPOSE.test(text.slice(after.start, Math.min(after.end, after.start + 12)));
  return isPurpose ? noteAfter(text, after.start, after.end) : null;
}

/** "Created X (new)" says nothing of what it is for. */
function isCreation(text: string, { start }: NoteSpan): boolean {
  return /^\W*(?:i |we )?(?:also )?(?:created|added|new)\b/i.test(text.slice(start, start + 30));
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
    .every((part) => changeNamed(part) !== undefined || REMARK.test(part));
}

function stated(text: string, span: NoteSpan): NoteSpan | null {
  const value = valueSpan(text, span);
  const words = text.slice(value.start, Math.min(value.end, value.start + 80));
  return /\p{L}{3}/u.test(words) && !isRemark(words) ? value : null;
}
