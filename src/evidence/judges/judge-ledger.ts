import { readPlace } from "../claims/read-range.ts";
import { claimedPath } from "../claimed-path.ts";
import { quote } from "../wording.ts";
import { type Court, type Finding, NO_PROCEDURE, ON_SIGHT, confirmed, refuted, unverifiable } from "./finding.ts";

const PROCEDURE = "look into the issue ledger of the run";
const NO_RUN = unverifiable(NO_PROCEDURE, "There is no run whose issues could be looked up.");

/** Agents may use one id for two things; the ledger then adds the agent's name to it. */
export function judgeResolved(id: string, { ledger }: Court): Finding {
  if (ledger === null) return NO_RUN;
  const known = ledger.find((issue) => issue.id === id || issue.id.startsWith(`${id}@`));
  if (known === undefined) return refuted(PROCEDURE, `The run knows no issue ${quote(id)}.`);
  return confirmed(PROCEDURE, `The run knows it; it is ${quote(known.status)}.`);
}

/** 001-R26: a fix stands where a blocking issue was found. Lines move when code is mended, so the file decides. */
export function judgeFix(location: string, { ledger }: Court): Finding {
  const claimed = claimedPath(readPlace(location).path);
  if (!claimed.isSafe) return refuted(ON_SIGHT, `Nobody looks at this path: ${claimed.why}.`);
  if (ledger === null) return NO_RUN;
  const there = ledger.filter((issue) => issue.location !== null && fileOf(issue.location) === claimed.path);
  if (there.length === 0) return refuted(PROCEDURE, "No issue of the run is in this file.");
  const issue = there.find(({ isBlocking }) => isBlocking);
  if (issue === undefined) return unverifiable(PROCEDURE, "Issues of the run are in this file, but none that blocks.");
  return confirmed(PROCEDURE, `It answers ${quote(issue.id)} at ${quote(issue.location ?? "")}.`);
}

function fileOf(location: string): string | null {
  const claimed = claimedPath(readPlace(location).path);
  return claimed.isSafe ? claimed.path : null;
}
