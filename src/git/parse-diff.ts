import type { Buffer } from "node:buffer";
import type { ChangeSight, HunkSight } from "../evidence/sightings.ts";

interface FoundChange {
  readonly change: ChangeSight["change"];
  readonly from?: string;
  hunks: HunkSight[] | null;
}

/**
 * Reads `git diff --raw -z`, followed by a patch when one was asked for. The patch has its files in the order of
 * the list, so no name is read out of it; of its lines only the heads of hunks are looked at.
 */
export class DiffReader {
  readonly #changes = new Map<string, FoundChange>();
  readonly #withHunks: boolean;
  /** In the order of the patch. */
  readonly #patched: FoundChange[] = [];
  #isInPatch = false;
  #file = -1;
  #rest: Uint8Array = new Uint8Array();
  #fields: string[] = [];
  #isMidLine = false;
  readonly #decoder = new TextDecoder();

  constructor(withHunks: boolean) {
    this.#withHunks = withHunks;
  }

  add(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    let at = 0;
    while (at < bytes.length) {
      // An entry of the list begins with a colon; an empty one stands between the list and the patch.
      if (this.#fields.length === 0 && !this.#isInPatch && bytes[at] !== COLON) {
        this.#isInPatch = true;
        if (bytes[at] === 0) at++;
      }
      const end = bytes.indexOf(this.#isInPatch ? NEWLINE : 0, at);
      if (end === -1) break;
      this.#take(bytes, at, end);
      at = end + 1;
    }
    this.#keepRest(bytes.subarray(at));
  }

  /** A file is gone and git knows no new name of it. */
  hasLost(): boolean {
    return this.#patched.some(({ change }) => change === "deleted");
  }

  changes(): Map<string, ChangeSight> {
    return this.#changes;
  }

  #take(bytes: Uint8Array, from: number, to: number): void {
    if (!this.#isInPatch) {
      this.#fields.push(this.#decoder.decode(bytes.subarray(from, to)));
      this.#finishEntry();
      return;
    }
    if (!this.#isMidLine) this.#readLine(bytes, from, to);
    this.#isMidLine = false;
  }

  #keepRest(rest: Uint8Array): void {
    // The head of a long line says all there is to know of it.
    if (this.#isInPatch && rest.length > LONGEST_HEAD) {
      if (!this.#isMidLine) this.#readLine(rest, 0, LONGEST_HEAD);
      this.#isMidLine = true;
      this.#rest = new Uint8Array();
    } else this.#rest = Uint8Array.from(rest);
  }

  #finishEntry(): void {
    const [head = "", first = "", second] = this.#fields;
    const status = head.slice(head.lastIndexOf(" ") + 1);
    const isPair = status.startsWith("R") || status.startsWith("C");
    if (this.#fields.length < (isPair ? 3 : 2)) return;
    this.#fields = [];
    const from = status.startsWith("R") && { from: first };
    const found: FoundChange = { change: changeOf(status), hunks: this.#withHunks ? [] : null, ...from };
    this.#expectPatch(found, status);
    this.#changes.set(second ?? first, found);
    if (status.startsWith("R")) this.#changes.set(first, { change: "deleted", hunks: null });
  }

  /** A file that became a link, or the other way round, is patched twice; one in conflict not at all. */
  #expectPatch(found: FoundChange, status: string): void {
    if (status.startsWith("T")) this.#patched.push(found);
    if (!status.startsWith("U")) this.#patched.push(found);
  }

  #readLine(bytes: Uint8Array, from: number, to: number): void {
    if (bytes[from] === LETTER_D && startsWith(bytes, from, to, "diff --git ")) this.#file++;
    else if (bytes[from] === AT && startsWith(bytes, from, to, "@@ -")) this.#readHunk(bytes.subarray(from, to));
    else if (bytes[from] === LETTER_B && startsWith(bytes, from, to, "Binary files ")) this.#dropHunks();
  }

  #readHunk(line: Uint8Array): void {
    const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(
      this.#decoder.decode(line.subarray(0, LONGEST_HEAD)),
    );
    const hunks = this.#patched[this.#file]?.hunks;
    if (match === null || hunks === null || hunks === undefined || hunks.length >= MOST_HUNKS) return;
    const [, before, beforeCount, first, count] = match;
    hunks.push({
      first: Number(first),
      count: Number(count ?? 1),
      before: { first: Number(before), count: Number(beforeCount ?? 1) },
    });
  }

  #dropHunks(): void {
    const found = this.#patched[this.#file];
    if (found !== undefined) found.hunks = null;
  }
}

const NEWLINE = 10;
const COLON = 58;
const AT = 64;
const LETTER_B = 66;
const LETTER_D = 100;
const LONGEST_HEAD = 200;
const MOST_HUNKS = 100_000;

function changeOf(status: string): ChangeSight["change"] {
  if (status.startsWith("A") || status.startsWith("C")) return "created";
  if (status.startsWith("D")) return "deleted";
  return status.startsWith("R") ? "renamed" : "modified";
}

function startsWith(bytes: Uint8Array, from: number, to: number, word: string): boolean {
  if (to - from < word.length) return false;
  for (let at = 0; at < word.length; at++) if (bytes[from + at] !== word.charCodeAt(at)) return false;
  return true;
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
