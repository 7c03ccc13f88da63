import {
  type JudgeContext,
  type ClaimFinding,
  NO_PROCEDURE,
  NOT_OBSERVED,
  confirmed,
  refuted,
  unverifiable,
} from "./judge-context.ts";
import { epochOf } from "../../shared/utc-time.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Tolerance for the clocks of two machines. */
export const CLOCK_TOLERANCE = 5 * MINUTE;
/** Tolerance for a time without a time zone. */
const ANY_ZONE = 14 * HOUR;
const CLOCK = "compare with this machine's clock";

/** Without a time of day, or exactly midnight. */
export const MIDNIGHT = /^[^T ]*$|T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

export function zoneTolerance(at: string): number {
  return /(?:Z|[+-]\d{2}:?\d{2})$/.test(at) ? 0 : ANY_ZONE;
}

/** After the step began and not in the future. A round midnight looks invented, which alone proves nothing. */
export function judgeTime(at: string, { step, now }: JudgeContext): ClaimFinding {
  const time = epochOf(at);
  if (time === null) return refuted(NOT_OBSERVED, "That is no time in ISO 8601.");
  const slack = zoneTolerance(at);
  if (time > now + CLOCK_TOLERANCE + slack)
    return refuted(CLOCK, `That is ${durationInWords(time - now)} in the future.`);
  if (step === null) {
    const invented = MIDNIGHT.test(at) ? " It is exactly midnight, which looks invented." : "";
    return unverifiable(NO_PROCEDURE, `There is no run that would tell when the work was done.${invented}`);
  }
  if (time < step.startedAt - SECOND - slack)
    return refuted(CLOCK, `That is ${durationInWords(step.startedAt - time)} before the step began.`);
  if (slack > 0) return unverifiable(CLOCK, "It names no time zone, so it may be right.");
  return confirmed(CLOCK, "It is between the beginning of the step and now.");
}

export function durationInWords(milliseconds: number): string {
  const units = [
    [24 * HOUR, "days"],
    [HOUR, "hours"],
    [MINUTE, "minutes"],
  ] as const;
  const [size, name] = units.find(([unit]) => milliseconds >= 2 * unit) ?? [SECOND, "seconds"];
  return `${Math.ceil(milliseconds / size)} ${name}`;
}

export function judgePhase(name: string, { step }: JudgeContext): ClaimFinding {
  const phase = step?.phase ?? null;
  if (phase === null) return unverifiable(NO_PROCEDURE, "The workflow names no phase for this step.");
  const procedure = "compare with the phase of the step";
  if (step?.endsRun === true && plain(name) === "complete")
    return confirmed(procedure, `It is ${phase}, and this step ends the run.`);
  const isSame = plain(phase) === plain(name);
  return isSame ? confirmed(procedure, `It is ${phase}.`) : refuted(procedure, `The phase of the step is ${phase}.`);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
