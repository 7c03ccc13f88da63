import { type JsonRecord, type JsonValue, isRecord } from "../../../shared/json-value.ts";
import type { Outcome } from "../../handoff-words.ts";
import { UNANSWERED } from "../unanswered.ts";

/**
 * The draft with some answer to each question, for trying it on documents: what words mean decides nothing about
 * whether a document is accepted.
 */
export function withProvisionalAnswers(file: JsonRecord): JsonRecord {
  const { outcome, ...rest } = file;
  const answered = answer(rest);
  return outcome === undefined ? answered : { ...answered, outcome: "needs-review" };
}

function answer(record: JsonRecord): JsonRecord {
  const entries = Object.entries(record).map(([key, value]): [string, JsonValue | undefined] => {
    if (key === "default" && value === UNANSWERED) return [key, firstWord(record)];
    if (!isRecord(value)) return [key, value];
    return [key, key === "words" ? answerWords(value) : answer(value)];
  });
  return Object.fromEntries(entries);
}

/** A truth value has one as its default, and texts have a word. */
function firstWord({ type, words }: JsonRecord): JsonValue | undefined {
  return type === "boolean" ? false : isRecord(words) ? Object.keys(words)[0] : undefined;
}

const NEEDED: readonly Outcome[] = ["done", "failed"];

function answerWords(words: JsonRecord): JsonRecord {
  const open = Object.values(words).includes(UNANSWERED) || Object.hasOwn(words, UNANSWERED);
  if (!open) return words;
  const missing = NEEDED.filter((outcome) => !Object.values(words).includes(outcome));
  const answered = Object.fromEntries(
    Object.entries(words).map(([word, means]) => [word, means === UNANSWERED ? (missing.shift() ?? "pending") : means]),
  );
  // A word that no document has.
  for (const outcome of missing) answered[`(${outcome})`] = outcome;
  return answered;
}
