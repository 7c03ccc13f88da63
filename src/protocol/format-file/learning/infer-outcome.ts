import type { Outcome } from "../../handoff-words.ts";
import { type DraftQuestions, type DraftWord, OPEN_ANSWER } from "./draft.ts";
import { guessOutcome, outcomeNameRank } from "./guess-outcome.ts";
import { mayBeOutcome, outcomeWords } from "./infer-words.ts";
import type { SeenValues } from "./seen-values.ts";

/** The field that most likely says how the work ended. */
export interface OutcomeField {
  /** Its path, from the root. */
  readonly path: string;
  readonly note: string;
  /** Asked when only the words speak for it. */
  readonly question?: string;
}

interface Candidate {
  readonly path: string;
  readonly score: number;
  readonly known: number;
}

/** Looks for the field of the outcome at the root and in records that only group fields. Null when there is none. */
export function findOutcomeField(root: SeenValues): OutcomeField | null {
  const candidates = candidatesIn(root, "", root.documents, 0).sort((left, right) => right.score - left.score);
  const [best, second] = candidates;
  if (best === undefined) return recurringField(root, "", root.documents, 0);
  const isClose = second !== undefined && best.score - second.score < CLOSE;
  const rival = isClose ? `; \`${second.path}\` could be it as well` : "";
  const confidence = best.known > 0.8 && !isClose ? "high" : best.known > 0.3 ? "medium" : "low";
  return { path: best.path, note: `is: outcome (confidence ${confidence}, by its name and words${rival})` };
}

/** Where no name says it: a field in most documents with a few words that recur. A person must say whether it is. */
function recurringField(seen: SeenValues, before: string, total: number, depth: number): OutcomeField | null {
  const found = [...seen.fields].flatMap(([name, inner]): (OutcomeField & { readonly known: number })[] => {
    const path = `${before}${name}`;
    const [kind, ...others] = inner.kindsSeen();
    if (kind !== "text" || others.length > 0 || !mayBeOutcome(name, inner, total)) return [];
    const words = outcomeWords(inner) ?? [];
    const listed = words.map((word) => `\`${word}\``).join(", ");
    const question = `No field is called like an outcome. Is it \`${path}\`, with the words ${listed}? If not, take its \`is\` and the meanings of its words away, and write \`outcome\`.`;
    const note = "is: outcome (confidence low, by its few words that recur)";
    return [{ path, note, question, known: words.filter((word) => guessOutcome(word) !== null).length }];
  });
  const [best] = found.sort((left, right) => right.known - left.known);
  if (best !== undefined || depth >= MAX_DEPTH) return best ?? null;
  for (const [name, inner] of seen.fields) {
    const [kind, ...others] = inner.kindsSeen();
    const deeper =
      kind === "record" && others.length === 0 ? recurringField(inner, `${before}${name}.`, total, depth + 1) : null;
    if (deeper !== null) return deeper;
  }
  return null;
}

const CLOSE = 1.5;
const MAX_DEPTH = 2;

function candidatesIn(seen: SeenValues, before: string, total: number, depth: number): Candidate[] {
  return [...seen.fields].flatMap(([name, inner]): Candidate[] => {
    const path = `${before}${name}`;
    const [kind, ...others] = inner.kindsSeen();
    if (kind === "record" && depth < MAX_DEPTH) return candidatesIn(inner, `${path}.`, total, depth + 1);
    const rank = outcomeNameRank(name, kind === "boolean" || inner.areAll("truth"));
    if (rank === 0 || others.length > 0 || inner.documents * 2 < total) return [];
    const known = kind === "boolean" ? 0.7 : knownShare(inner);
    if (known === null) return [];
    return [{ path, known, score: known * 10 + rank / 2 - depth * 3 + (inner.documents / total) * 4 }];
  });
}

/** How much of what was seen are words for outcomes; null when the texts are no words at all. */
function knownShare(seen: SeenValues): number | null {
  if (outcomeWords(seen) === null) return null;
  let known = 0;
  for (const [word, count] of seen.words ?? []) {
    const guess = guessOutcome(word);
    if (guess !== null) known += count * (guess.confidence === "high" ? 1 : 0.6);
  }
  return known / seen.documents;
}

/** What each word of the outcome means; a question where that is not clear. */
export function inferOutcomeWords(seen: SeenValues, path: string, questions: DraftQuestions): DraftWord[] | null {
  const [kind] = seen.kindsSeen();
  if (kind === "boolean" || seen.areAll("truth"))
    return [
      { word: "true", means: "done", note: null },
      { word: "false", means: "failed", note: null },
    ];
  const words = outcomeWords(seen);
  if (words === null) return null;
  const meant = words.map((word) => meaningOf(word, path, seen, questions));
  const missing = missingOutcomes(meant, path, questions);
  return missing === null ? meant : [...meant, missing];
}

function meaningOf(word: string, path: string, seen: SeenValues, questions: DraftQuestions): DraftWord {
  const guess = guessOutcome(word);
  const seenIn = `in ${seen.words?.get(word) ?? 0} of ${seen.documents}`;
  if (guess !== null && guess.confidence === "high")
    return { word, means: guess.outcome, note: `${seenIn}; by its sense` };
  const likely = guess === null ? "" : ` Most likely ${guess.outcome}.`;
  const question = `Which outcome does the word \`${word}\` of \`${path}\` mean?${likely}`;
  return { word, means: OPEN_ANSWER, note: `${seenIn}; ${questions.ask(question)}` };
}

const STOPS: readonly Outcome[] = ["failed", "blocked", "needs-fixes"];

/** A format must be able to say that the work is done, and that it is not. */
function missingOutcomes(words: readonly DraftWord[], path: string, questions: DraftQuestions): DraftWord | null {
  if (words.some(({ means }) => means === OPEN_ANSWER)) return null;
  const hasDone = words.some(({ means }) => means === "done");
  const hasStop = words.some(({ means }) => STOPS.some((outcome) => outcome === means));
  if (hasDone && hasStop) return null;
  const what = hasDone ? "failed or was blocked" : "is done";
  const note = questions.ask(`No document says with \`${path}\` that the work ${what}: which word does?`);
  return { word: OPEN_ANSWER, means: hasDone ? "failed" : "done", note };
}
