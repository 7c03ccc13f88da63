import type { Judgement } from "../../evidence/claim.ts";
import type { Outcome } from "../../protocol/handoff.ts";
import type { Action } from "../definition.ts";
import type { Delivery, Problem } from "../input.ts";
import type { StepReason } from "../state.ts";

/**
 * What a rule leaves to be done next for a task. Rules do not call each other: each does its own part
 * and names the next one, and `carry-out.ts` follows.
 */
export type Turn =
  | { readonly do: "accept"; readonly delivery: Delivery; readonly judgements: readonly Judgement[] }
  | { readonly do: "send-back"; readonly problems: readonly Problem[] }
  | { readonly do: "start-attempt"; readonly reason: StepReason; readonly session: string | null }
  | { readonly do: "pass-gates" }
  | { readonly do: "check-command" }
  | { readonly do: "review" }
  | { readonly do: "approve" }
  | { readonly do: "route" }
  | {
      readonly do: "take-route";
      readonly outcome: Outcome;
      readonly why: string;
      readonly details?: readonly string[];
      readonly isPermanent?: true;
      readonly isAllowed?: true;
      readonly isUnusable?: true;
    }
  | { readonly do: "act"; readonly action: Action; readonly occasion: Occasion }
  | { readonly do: "loop"; readonly to: string; readonly occasion: Occasion }
  | { readonly do: "nothing" };

/** Why an action is taken, for the agent or the person that comes next. */
export interface Occasion {
  readonly why: string;
  readonly details?: readonly string[];
  readonly isGate?: boolean;
  readonly isBlocked?: boolean;
  readonly isFailure?: boolean;
  /** To try again would change nothing. */
  readonly isPermanent?: true;
  /** A person lets the work go on as it is. */
  readonly isAllowed?: true;
  /** No handoff of the step counts: the agent broke, or what it handed over was refused to the last. */
  readonly isUnusable?: true;
}

export const NOTHING: Turn = { do: "nothing" };
