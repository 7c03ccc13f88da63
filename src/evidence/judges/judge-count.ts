import type { Statement } from "../claim.ts";
import type { ChangeSight } from "../sightings.ts";
import { counted } from "../wording.ts";
import type { Tally } from "./change-index.ts";
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
  return judgeNumber(count, court, ({ created, modified, deleted, renamed }) => {
    const all = created + modified + deleted + renamed;
    return { least: all - renamed, most: all };
  });
}

export function judgeFilesCounted(
  { change, count }: Extract<Statement, { of: "files-counted" }>,
  court: Court,
): Finding {
  return judgeNumber(count, court, (counts) => {
    if (change === "deleted") return { least: counts.deleted - counts.renamed, most: counts.deleted };
    return { least: counts[change], most: counts[change] + counts.renamed };
  });
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Of all that changed, or of what is committed of it: some count before they go on. */
function judgeNumber(count: number, court: Court, bound: (counts: Tally) => Bounds): Finding {
  const procedure = diffProcedure(court);
  const { base, committed } = court.sightings;
  if (base === null) return unverifiable(procedure, "There is no earlier state to compare with.");
  const all = bound(countChanges(court.index.entries(), court));
  const settled = committed === undefined ? all : bound(countChanges(committed.entries(), court));
  const isSame = settled.least === all.least && settled.most === all.most;
  const also = isSame ? "" : `; ${inWords(settled)} committed`;
  const evidence = `There ${all.most === 1 ? "is" : "are"} ${inWords(all)}${also}.`;
  const isTrue = [all, settled].some(({ least, most }) => count >= least && count <= most);
  return isTrue ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}

function inWords({ least, most }: Bounds): string {
  return `${least === most ? "" : `${least} or, with names before and after, `}${counted(most, "file")}`;
}

/** Without what handing over itself makes. Of a renamed file the name before counts as deleted. */
function countChanges(changes: Iterable<[string, ChangeSight]>, { ownFiles }: Court): Tally {
  const counts = { created: 0, modified: 0, deleted: 0, renamed: 0 };
  const own = new Set(ownFiles);
  for (const [path, { change }] of changes) if (!own.has(path)) counts[change]++;
  return counts;
}
