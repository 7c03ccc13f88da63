import { epochOf } from "../../shared/utc-time.ts";
import { type Court, type Finding, NO_PROCEDURE, ON_SIGHT, confirmed, refuted, unverifiable } from "./finding.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Clocks of two machines differ. */
const AHEAD = 5 * MINUTE;
/** A time without a zone may be of any. */
const ANY_ZONE = 14 * HOUR;
const PROCEDURE = "compare with our own clock";

/** After the step began and not in the future. A round midnight looks invented, which alone proves nothing. */
export function judgeTime(at: string, { step, now }: Court): Finding {
  const time = epochOf(at);
  if (time === null) return refuted(ON_SIGHT, "That is no time in ISO 8601.");
  const slack = /(?:Z|[+-]\d{2}:?\d{2})$/.test(at) ? 0 : ANY_ZONE;
  if (time > now + AHEAD + slack) return refuted(PROCEDURE, `That is ${inWords(time - now)} in the future.`);
  if (step === null) {
    const invented = /T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/.test(at)
      ? " It is exactly midnight, which looks invented."
      : "";
    return unverifiable(NO_PROCEDURE, `There is no run that would tell when the work was done.${invented}`);
  }
  if (time < step.startedAt - SECOND - slack)
    return refuted(PROCEDURE, `That is ${inWords(step.startedAt - time)} before the step began.`);
  if (slack > 0) return unverifiable(PROCEDURE, "It names no time zone, so it may be right.");
  return confirmed(PROCEDURE, "It is between the beginning of the step and now.");
}

function inWords(milliseconds: number): string {
  const units = [
    [24 * HOUR, "days"],
    [HOUR, "hours"],
    [MINUTE, "minutes"],
  ] as const;
  const [size, name] = units.find(([unit]) => milliseconds >= 2 * unit) ?? [SECOND, "seconds"];
  return `${Math.ceil(milliseconds / size)} ${name}`;
}

export function judgePhase(name: string, { step }: Court): Finding {
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
