import type { Outcome } from "../../handoff-words.ts";

export type Confidence = "high" | "medium" | "low";

interface OutcomeGuess {
  readonly outcome: Outcome;
  readonly confidence: Confidence;
}

/** What a word for an outcome most likely means; null when it says nothing. */
export function guessOutcome(word: string): OutcomeGuess | null {
  const bare = bareWord(word);
  return OUTCOME_OF.get(bare) ?? OUTCOME_OF.get(bare.replaceAll("_", "")) ?? null;
}

function bareWord(word: string): string {
  return word
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase();
}

/** Words whose meaning is clear. A wrong guess of `done` would be a wrong success, so that list is short. */
const CLEAR: Readonly<Record<Outcome, string>> = {
  done: "done complete completed success successful succeeded pass passed ok finished erledigt fertig abgeschlossen hecho completado terminé terminado",
  "done-with-warnings":
    "pass_with_warnings passed_with_warnings done_with_warnings complete_with_warnings completed_with_warnings success_with_warnings succeeded_with_warnings",
  "needs-review":
    "needs_review in_review ready_for_review awaiting_review pending_review review_required review_needed needs_approval awaiting_approval",
  "needs-fixes":
    "needs_fixes needs_fix needs_changes changes_requested request_changes needs_work needs_rework needs_revision revision_required rework nachzubessern",
  failed: "failed fail failure error errored broken crashed aborted gescheitert fehlgeschlagen fallido échoué",
  blocked: "blocked stuck blockiert bloqueado bloqué",
  "in-progress": "in_progress inprogress wip running ongoing in_arbeit en_curso",
  pending: "pending todo queued not_started planned offen ausstehend pendiente",
  skipped: "skipped skip not_applicable übersprungen",
};

/** Words that are used for more than one thing. */
const LIKELY: Readonly<Record<Outcome, string>> = {
  done: "approved accepted merged resolved closed good green fixed verified ready",
  "done-with-warnings":
    "approved_with_conditions approved_with_comments approved_with_recommendations pass_with_fixes minor_issues",
  "needs-review": "review waiting_for_review",
  "needs-fixes":
    "partial partial_plus partial_minus partially_complete partially_completed incomplete retry revise iterate rejected needs_attention",
  failed: "cancelled canceled red bad denied timeout timed_out",
  blocked: "waiting on_hold hold paused escalated needs_input needs_info",
  "in-progress": "active started working open",
  pending: "new draft proposed assigned inbox",
  skipped: "na none ignored deferred",
};

const OUTCOME_OF: ReadonlyMap<string, OutcomeGuess> = new Map([
  ...guesses(LIKELY, "medium"),
  ...guesses(CLEAR, "high"),
]);

function guesses(words: Readonly<Record<Outcome, string>>, confidence: Confidence): [string, OutcomeGuess][] {
  return Object.entries(words).flatMap(([outcome, list]) =>
    list.split(" ").map((word): [string, OutcomeGuess] => [word, { outcome: outcome as Outcome, confidence }]),
  );
}

/** Names of fields that say how the work ended, the best first. */
const OUTCOME_NAMES = [
  "outcome",
  "status",
  "completion_status",
  "overall_status",
  "result",
  "verdict",
  "state",
  "conclusion",
  "stand",
  "estado",
  "statut",
];
/** Truth values that say it. */
const SUCCESS_NAMES = ["success", "succeeded", "successful", "passed", "ok", "is_complete", "completed", "done"];

/** How well the name of a field fits the outcome: 0 when it does not. */
export function outcomeNameRank(name: string, isTruth: boolean): number {
  const names = isTruth ? SUCCESS_NAMES : OUTCOME_NAMES;
  const at = names.indexOf(bareWord(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")));
  return at === -1 ? 0 : names.length - at;
}
