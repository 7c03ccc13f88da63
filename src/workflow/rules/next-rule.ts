import type { Judgement } from "../../evidence/claim.ts";
import type { Outcome } from "../../protocol/handoff.ts";
import type { Action } from "../definition.ts";
import type { Delivery, Problem } from "../input.ts";
import type { StepReason } from "../state.ts";

/**
 * The rule that runs next for a task. Rules do not call each other: each does its own part
 * and names the next one, and `run-rules.ts` follows.
 */
export type NextRule =
  | {
      readonly do: "accept";
      readonly delivery: Delivery;
      readonly judgements: readonly Judgement[];
      /** The files when the attempt ended. */
      readonly tree?: string;
    }
  /** `isDemanded`: a person wants it, however often the handoff was sent back before. */
  | { readonly do: "send-back"; readonly problems: readonly Problem[]; readonly isDemanded?: true }
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
  | { readonly do: "act"; readonly action: Action; readonly occasion: ActionReason }
  | { readonly do: "loop"; readonly to: string; readonly occasion: ActionReason }
  | { readonly do: "nothing" };

/** Why an action is taken, for the agent or the person that comes next. */
export interface ActionReason {
  readonly why: string;
  readonly details?: readonly string[];
  readonly isGate?: boolean;
  readonly isBlocked?: boolean;
  readonly isFailure?: boolean;
  /** A retry would not help. */
  readonly isPermanent?: true;
  /** A person allowed the work to continue as it is. */
  readonly isAllowed?: true;
  /** The step has no usable handoff: the agent failed, or all its handoffs were refused. */
  readonly isUnusable?: true;
  /** A person granted this round of a loop. */
  readonly isGranted?: true;
  /** The agent that a person who is asked can send the work back to. */
  readonly roundTo?: string;
}

export const NOTHING: NextRule = { do: "nothing" };
