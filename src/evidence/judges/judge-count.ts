import type { Statement } from "../claim.ts";
import { counted } from "../wording.ts";
import { type Court, type Finding, confirmed, diffProcedure, refuted, unverifiable } from "./finding.ts";

/** A number beside the list it counts. */
export function judgeCount({ stated, listed, isWhole }: Extract<Statement, { of: "count" }>): Finding {
  const procedure = "count what the handoff lists";
  if (stated === listed) return confirmed(procedure, `It lists ${listed}.`);
  if (!isWhole && stated > listed)
    return unverifiable(procedure, `It accounts for ${listed}; the others may be skipped.`);
  return refuted(procedure, `It lists ${listed}, not ${stated}.`);
}

/** A renamed file is one to some and two to others: both are true. */
export function judgeFilesChanged(count: number, court: Court): Finding {
  const procedure = diffProcedure(court);
  if (court.sightings.base === null) return unverifiable(procedure, "There is no earlier state to compare with.");
  const { created, modified, deleted, renamed } = countChanges(court);
  const all = created + modified + deleted + renamed;
  return within(count, all - renamed, all, procedure);
}

export function judgeFilesCounted(
  { change, count }: Extract<Statement, { of: "files-counted" }>,
  court: Court,
): Finding {
  const procedure = diffProcedure(court);
  if (court.sightings.base === null) return unverifiable(procedure, "There is no earlier state to compare with.");
  const counts = countChanges(court);
  if (change === "deleted") return within(count, counts.deleted - counts.renamed, counts.deleted, procedure);
  return within(count, counts[change], counts[change] + counts.renamed, procedure);
}

function within(count: number, least: number, most: number, procedure: string): Finding {
  const evidence = `There ${most === 1 ? "is" : "are"} ${least === most ? "" : `${least} or, with names before and after, `}${counted(most, "file")}.`;
  return count >= least && count <= most ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}

/** Without what handing over itself makes. Of a renamed file the name before counts as deleted. */
function countChanges({ index, ownFiles }: Court): Record<"created" | "modified" | "deleted" | "renamed", number> {
  const counts = { created: 0, modified: 0, deleted: 0, renamed: 0 };
  const own = new Set(ownFiles);
  for (const [path, { change }] of index.entries()) if (!own.has(path)) counts[change]++;
  return counts;
}
