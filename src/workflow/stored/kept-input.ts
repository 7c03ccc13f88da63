import type { Judgement } from "../../evidence/claim.ts";
import { AppError } from "../../shared/app-error.ts";
import { RULES_VERSION } from "../decide.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { Event } from "../event.ts";
import type { Delivery, Input, ReportAttempt, ReportGate } from "../input.ts";

/** Replaces a delivery that the event which accepted it contains in full. */
export const ACCEPTED = "accepted";

/** Replaces judgements or a record that their event contains in full. */
export const NOTED = "noted";

/**
 * An input as it is stored, with the version of the rules by which it was decided; absent for the first rules. Parts
 * that a decided event contains in full are stored only in that event.
 */
export type KeptInput = Kept<Input> & { readonly rules?: number };

type Kept<I> = I extends ReportAttempt
  ? Omit<I, "delivery" | "judgements" | "record"> & {
      readonly delivery: Delivery | null | typeof ACCEPTED;
      readonly judgements: readonly Judgement[] | typeof NOTED;
      readonly record?: AttemptRecord | typeof NOTED;
    }
  : I extends ReportGate
    ? Omit<I, "judgements"> & { readonly judgements: readonly Judgement[] | typeof NOTED }
    : I;

export function keepInput(input: Input, events: readonly Event[]): KeptInput {
  return { ...withoutNoted(input, events), rules: RULES_VERSION };
}

function withoutNoted(input: Input, events: readonly Event[]): KeptInput {
  const isNoted = events.some((event) => event.kind === "claims-verified");
  if (input.kind === "report-gate") return isNoted ? { ...input, judgements: NOTED } : input;
  if (input.kind !== "report-attempt") return input;
  const isAccepted = events.some((event) => event.kind === "handoff-accepted");
  const hasRecord = events.some((event) => event.kind === "attempt-ended" && event.record !== undefined);
  return {
    ...input,
    ...(isAccepted && { delivery: ACCEPTED }),
    ...(isNoted && { judgements: NOTED }),
    ...(hasRecord && { record: NOTED }),
  };
}

/** Restores the original input from its stored form and the events that were decided on it. */
export function wholeInput({ rules: _rules, ...kept }: KeptInput, events: readonly Event[]): Input {
  if (kept.kind === "report-gate") return { ...kept, judgements: judgementsOf(kept, events) };
  if (kept.kind !== "report-attempt") return kept;
  const { delivery, record, ...rest } = kept;
  const whole = { ...rest, delivery: deliveryOf(delivery, events), judgements: judgementsOf(kept, events) };
  if (record !== NOTED) return record === undefined ? whole : { ...whole, record };
  const ended = events.find((event) => event.kind === "attempt-ended");
  return ended?.record === undefined ? whole : { ...whole, record: ended.record };
}

function deliveryOf(delivery: Delivery | null | typeof ACCEPTED, events: readonly Event[]): Delivery | null {
  if (delivery !== ACCEPTED) return delivery;
  const accepted = events.find((event) => event.kind === "handoff-accepted");
  if (accepted === undefined) throw missing("handoff-accepted");
  return accepted.delivery;
}

function judgementsOf(
  { judgements }: { readonly judgements: readonly Judgement[] | typeof NOTED },
  events: readonly Event[],
): readonly Judgement[] {
  if (judgements !== NOTED) return judgements;
  const noted = events.find((event) => event.kind === "claims-verified");
  if (noted === undefined) throw missing("claims-verified");
  return noted.judgements;
}

function missing(kind: string): AppError {
  return new AppError(
    "damaged-state",
    `An input in the log refers to an event ${kind} that does not follow it.`,
    "`baton audit verify` tells whether the log was changed. Restore a backup, or start a new run.",
  );
}
