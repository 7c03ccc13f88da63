/** The plain words of a format for success and for failure. */
interface PlainOutcomes {
  readonly done?: string;
  readonly failed?: string;
}

/**
 * The word of a format that says the same as a word it does not know; null where that is not certain. `succeeded` is
 * every format's success. `done` only says that the work ended: it is the same as `completed`, but not as `PASS`.
 */
export function sameOutcome(word: string, { done, failed }: PlainOutcomes): string | null {
  const found = WORD_GROUPS.find(({ words }) => words.test(word.trim()));
  if (found === undefined) return null;
  const own = found.isFailure ? failed : done;
  return own !== undefined && (found.writes === null || found.writes.test(own)) ? own : null;
}

interface WordGroup {
  readonly words: RegExp;
  readonly isFailure: boolean;
  /** The words of a format that say the same; null when its plain word always does. */
  readonly writes: RegExp | null;
}

const ENDED = /^(?:done|finished|completed?)$/i;
const PASSED = /^pass(?:ed)?$/i;
const FAILED = /^fail(?:ed|ure)?$/i;

const WORD_GROUPS: readonly WordGroup[] = [
  { words: /^succe(?:eded|ss|ssful)$/i, isFailure: false, writes: null },
  { words: ENDED, isFailure: false, writes: ENDED },
  { words: PASSED, isFailure: false, writes: PASSED },
  { words: FAILED, isFailure: true, writes: FAILED },
];
