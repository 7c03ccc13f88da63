import { OUTCOMES } from "../protocol/handoff-words.ts";
import { nearestWord } from "../shared/nearest-word.ts";
import {
  type ConditionVocabulary,
  type ParsedCondition,
  type ValueKind,
  parseConditionOf,
} from "../shared/parse-condition.ts";

/** All names that a condition may use, with their types. `metrics.NAME` can have any type. */
export const FACTS: Readonly<Record<string, ValueKind>> = {
  outcome: "text",
  status: "text",
  phase: "text",
  iteration: "number",
  "run.iteration": "number",
  retries: "number",
  failure: "text",
  blocked_reason: "text",
  "loop.required": "boolean",
  "loop.target": "text",
  "loop.reason": "text",
  "open.blocking": "number",
  "open.critical": "number",
  "open.high": "number",
  "open.medium": "number",
  "open.low": "number",
  "open.total": "number",
  coverage: "number",
  score: "number",
  "measured.coverage": "number",
  "measured.branches": "number",
  "measured.functions": "number",
  "measured.statements": "number",
  "measured.passed": "number",
  "measured.failed": "number",
  "claims.confirmed": "number",
  "claims.refuted": "number",
  "claims.unverifiable": "number",
  "review.status": "text",
  "checks.status": "text",
};

const FACT_NAMES = Object.keys(FACTS);
const OUTCOME_WORDS: readonly string[] = OUTCOMES;
const METRIC = /^metrics\.[A-Za-z_][\w-]*$/;

const VOCABULARY: ConditionVocabulary = {
  names: FACT_NAMES,
  listed: `${FACT_NAMES.join(", ")}, metrics.NAME`,
  kindOf: (name) => (Object.hasOwn(FACTS, name) ? FACTS[name] : METRIC.test(name) ? null : undefined),
  refuseWord: (name, word) => (name !== "outcome" || OUTCOME_WORDS.includes(word) ? null : notAnOutcome(word)),
  example: "open.blocking > 0",
  split: "Split it into several routes.",
};

/** A condition of a workflow: it asks about the run and its last handoff. */
export function parseCondition(text: string): ParsedCondition {
  return parseConditionOf(text, VOCABULARY);
}

function notAnOutcome(word: string): { readonly message: string; readonly hint: string } {
  const meant = nearestWord(word, OUTCOME_WORDS);
  const hint = meant === null ? `Outcomes are ${OUTCOME_WORDS.join(", ")}.` : `Did you mean '${meant}'?`;
  return { message: `\`${word}\` is not an outcome.`, hint };
}
