import { CLAIM_KINDS } from "../../evidence/claim.ts";
import { type ClaimPolicy, DEFAULT_POLICY } from "../../evidence/policy.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { AgentDefinition, Workflow } from "../../workflow/definition.ts";

/** What becomes of refuted claims, by the agent that a handoff says it is from. */
export type VerifyPolicy = (author: string | null) => ClaimPolicy;

export const defaultPolicy: VerifyPolicy = () => DEFAULT_POLICY;

/** As the workflow says of the author. Where it does not look at claims they are only noted. */
export function policyOf({ agents }: Workflow): VerifyPolicy {
  return (author) => {
    const agent = ownValue<AgentDefinition>(agents, author?.replace(/^@/, "") ?? "");
    return agent === undefined ? DEFAULT_POLICY : (agent.verify ?? NOTED);
  };
}

const NOTED = Object.fromEntries(CLAIM_KINDS.map((kind) => [kind, "record"])) as unknown as ClaimPolicy;
