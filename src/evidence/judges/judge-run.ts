import { claimedPath } from "../claimed-path.ts";
import { quote, readPlace } from "../wording.ts";
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

const LEDGER_LOOKUP = "look into the issue ledger of the run";
const NO_RUN = unverifiable(NO_PROCEDURE, "There is no run whose issues could be looked up.");

export function judgeResolved(id: string, { issues }: JudgeContext): ClaimFinding {
  if (issues === null) return NO_RUN;
  const known = issues.find(id);
  if (known === undefined) return refuted(LEDGER_LOOKUP, `The run has no issue ${quote(id)}.`);
  return unverifiable(LEDGER_LOOKUP, "The run has this issue; only the next review can tell whether it is resolved.");
}

/** 001-R26: a fix is in the place of a blocking issue. Lines move when code changes, so only the file is compared. */
export function judgeFix(location: string, { issues }: JudgeContext): ClaimFinding {
  const claimed = claimedPath(readPlace(location).path);
  if (!claimed.isSafe) return refuted(NOT_OBSERVED, `This path is not looked at: ${claimed.why}.`);
  if (issues === null) return NO_RUN;
  const issue = issues.inFile(claimed.path);
  if (issue === undefined)
    return issues.hasSomeWithoutFile
      ? unverifiable(LEDGER_LOOKUP, "No issue of the run is in this file, but some do not say where they are.")
      : refuted(LEDGER_LOOKUP, "No issue of the run is in this file.");
  if (!issue.isBlocking)
    return unverifiable(LEDGER_LOOKUP, "Issues of the run are in this file, but none that blocks.");
  return confirmed(LEDGER_LOOKUP, `It answers ${quote(issue.id)} at ${quote(issue.location ?? "")}.`);
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Tolerance for the clocks of two machines. */
const AHEAD = 5 * MINUTE;
/** Tolerance for a time without a time zone. */
const ANY_ZONE = 14 * HOUR;
const CLOCK = "compare with this machine's clock";

/** After the step began and not in the future. A round midnight looks invented, which alone proves nothing. */
export function judgeTime(at: string, { step, now }: JudgeContext): ClaimFinding {
  const time = epochOf(at);
  if (time === null) return refuted(NOT_OBSERVED, "That is no time in ISO 8601.");
  const slack = /(?:Z|[+-]\d{2}:?\d{2})$/.test(at) ? 0 : ANY_ZONE;
  if (time > now + AHEAD + slack) return refuted(CLOCK, `That is ${inWords(time - now)} in the future.`);
  if (step === null) {
    const invented = /T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/.test(at)
      ? " It is exactly midnight, which looks invented."
      : "";
    return unverifiable(NO_PROCEDURE, `There is no run that would tell when the work was done.${invented}`);
  }
  if (time < step.startedAt - SECOND - slack)
    return refuted(CLOCK, `That is ${inWords(step.startedAt - time)} before the step began.`);
  if (slack > 0) return unverifiable(CLOCK, "It names no time zone, so it may be right.");
  return confirmed(CLOCK, "It is between the beginning of the step and now.");
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
