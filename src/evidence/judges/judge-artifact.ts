import { claimedPath } from "../claimed-path.ts";
import { isEverything, mayBePattern, patternOf } from "../path-pattern.ts";
import { counted } from "../wording.ts";
import {
  type Court,
  type Finding,
  ON_SIGHT,
  PRESENCE,
  confirmed,
  diffProcedure,
  refuted,
  unverifiable,
} from "./finding.ts";

const PATTERN = "match the pattern with the files of the workspace";

/** An output was made: a file, a folder, or files that match a pattern. What is there and unchanged may be another's. */
export function judgeArtifact(pattern: string, court: Court): Finding {
  const claimed = claimedPath(pattern);
  if (!claimed.isSafe) return refuted(ON_SIGHT, `Nobody looks at this path: ${claimed.why}.`);
  const { path } = claimed;
  if (path === ".") return unverifiable(ON_SIGHT, "It is the whole workspace, so it says nothing.");
  const sight = court.sightings.files.get(path);
  if (sight === undefined) return unverifiable(PRESENCE, "Nobody looked at it.");
  if (sight.is === "absent")
    return mayBePattern(path) ? judgeMatches(patternOf(claimed), court) : refuted(PRESENCE, "There is no such file.");
  if (sight.is === "outside") return refuted(PRESENCE, "The path leads out of the workspace.");
  if (claimed.isFolder && sight.is !== "folder") return refuted(PRESENCE, "It is no folder.");
  return judgePresent(path, sight.isIgnored, court);
}

function judgePresent(path: string, isIgnored: boolean, court: Court): Finding {
  const { index, sightings } = court;
  if (sightings.base === null) return unverifiable(PRESENCE, "It is there; who made it cannot be seen.");
  const isChanged = index.get(path) !== undefined || Object.values(index.tallyBelow(path)).some((count) => count > 0);
  if (isChanged) return confirmed(diffProcedure(court), "It is there, and new or changed.");
  if (isIgnored) return unverifiable(PRESENCE, "It is there, but git does not see its changes.");
  return unverifiable(diffProcedure(court), "It is there, but it was the same before.");
}

function judgeMatches(pattern: string, { sightings }: Court): Finding {
  const seen = sightings.matches.get(pattern);
  if (seen === undefined) return unverifiable(PATTERN, "Nobody looked for files that match it.");
  if (seen.count === 0) return refuted(PATTERN, "No file matches it.");
  if (seen.isEverything || isEverything(pattern))
    return unverifiable(PATTERN, "The pattern matches everything, so it says nothing.");
  const evidence = `It matches ${counted(seen.count, "file")}, of which ${seen.changed} changed.`;
  return seen.changed > 0 ? confirmed(PATTERN, evidence) : unverifiable(PATTERN, evidence);
}
