import { claimedPath } from "../claimed-path.ts";
import { readPlace } from "../claims/read-range.ts";
import { quote } from "../wording.ts";
import { type Court, type Finding, NO_PROCEDURE, ON_SIGHT, confirmed, refuted, unverifiable } from "./finding.ts";

const PROCEDURE = "look into the issue ledger of the run";
const NO_RUN = unverifiable(NO_PROCEDURE, "There is no run whose issues could be looked up.");

export function judgeResolved(id: string, { issues }: Court): Finding {
  if (issues === null) return NO_RUN;
  const known = issues.find(id);
  if (known === undefined) return refuted(PROCEDURE, `The run knows no issue ${quote(id)}.`);
  return unverifiable(PROCEDURE, `The run knows it; whether it is resolved only those who look again can tell.`);
}

/** 001-R26: a fix stands where a blocking issue was found. Lines move when code is mended, so the file decides. */
export function judgeFix(location: string, { issues }: Court): Finding {
  const claimed = claimedPath(readPlace(location).path);
  if (!claimed.isSafe) return refuted(ON_SIGHT, `Nobody looks at this path: ${claimed.why}.`);
  if (issues === null) return NO_RUN;
  const issue = issues.inFile(claimed.path);
  if (issue === undefined)
    return issues.hasSomeWithoutFile
      ? unverifiable(PROCEDURE, "No issue of the run is in this file, but some do not say where they are.")
      : refuted(PROCEDURE, "No issue of the run is in this file.");
  if (!issue.isBlocking) return unverifiable(PROCEDURE, "Issues of the run are in this file, but none that blocks.");
  return confirmed(PROCEDURE, `It answers ${quote(issue.id)} at ${quote(issue.location ?? "")}.`);
}
