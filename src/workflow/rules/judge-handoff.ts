import type { Judgement } from "../../evidence/claim.ts";
import { explainRefuted, refusedBy } from "../../evidence/policy.ts";
import type { Draft } from "../draft.ts";
import type { Problem } from "../input.ts";

/** What was seen of the claims stands in the log, whatever becomes of the handoff. */
export function noteJudgements(
  draft: Draft,
  task: string,
  gate: string | null,
  judgements: readonly Judgement[],
): void {
  if (judgements.length === 0) return;
  const { id, agent, attempt } = draft.step(task);
  draft.record({ kind: "claims-verified", task, step: id, agent, attempt, gate, judgements });
}

/** Refuted claims that the workflow does not let pass, with the evidence, for their author. */
export function refutedClaims(draft: Draft, agent: string, judgements: readonly Judgement[]): Problem[] {
  const policy = draft.agent(agent).verify ?? null;
  if (policy === null) return [];
  return refusedBy(judgements, policy)
    .slice(0, MOST_SHOWN)
    .map((judgement) => ({ ...explainRefuted(judgement), where: judgement.where, rule: null }));
}

/** An author who is wrong in more places than these will learn it from the first ones. */
const MOST_SHOWN = 50;
