import { CLAIM_KINDS } from "../../evidence/claim.ts";
import { CLAIM_ANSWERS, type ClaimAnswer, type ClaimPolicy, DEFAULT_POLICY } from "../../evidence/policy.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { AgentDefinition, Workflow } from "../../workflow/definition.ts";

/** What becomes of refuted claims, by the agent that a handoff says it is from. */
export type VerifyPolicy = (author: string | null) => ClaimPolicy;

export const defaultPolicy: VerifyPolicy = () => DEFAULT_POLICY;

/**
 * What the workflow says holds for everybody. Here an author is only what a handoff says of itself, so the policy of
 * an agent can ask for more, and never for less.
 */
export function policyOf({ agents, verify }: Workflow): VerifyPolicy {
  const floor = verify ?? NOTED;
  return (author) => {
    const own = ownValue<AgentDefinition>(agents, author?.replace(/^@/, "") ?? "")?.verify ?? floor;
    return policyBy((kind) => stricter(floor[kind], own[kind]));
  };
}

function policyBy(answer: (kind: keyof ClaimPolicy) => ClaimAnswer): ClaimPolicy {
  return Object.fromEntries(CLAIM_KINDS.map((kind) => [kind, answer(kind)])) as unknown as ClaimPolicy;
}

/** Where nobody looks at claims they are only noted. */
const NOTED = policyBy(() => "record");

/** The answers are listed from the strictest on. */
function stricter(left: ClaimAnswer, right: ClaimAnswer): ClaimAnswer {
  return CLAIM_ANSWERS.indexOf(left) <= CLAIM_ANSWERS.indexOf(right) ? left : right;
}
