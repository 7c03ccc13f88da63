import type { ClaimKind } from "../evidence/claim.ts";

/** How true an agent's handoffs are. */
export interface AgentTruth {
  readonly agent: string;
  readonly runs: number;
  /** Handoffs that were accepted. */
  readonly handoffs: number;
  /** Times that a handoff was sent back, for its form or for what it claimed. */
  readonly repairs: number;
  /** Of every attempt: a claim that is made again in a repair is another one. */
  readonly claims: number;
  readonly confirmed: number;
  readonly refuted: number;
  readonly unverifiable: number;
  /** Refuted claims by their kind. */
  readonly refuted_kinds: Readonly<Partial<Record<ClaimKind, number>>>;
}
