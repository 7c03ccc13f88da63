import type { Lines } from "../claim.ts";
import { claimedPath } from "../claimed-path.ts";
import type { FileSight } from "../sightings.ts";
import { counted, linesInWords } from "../wording.ts";
import { type Court, type Finding, ON_SIGHT, PRESENCE, confirmed, refuted, unverifiable } from "./finding.ts";

interface Place {
  readonly path: string;
  readonly lines: Lines | null;
  /** It may have been so only before the work. */
  readonly isPast: boolean;
}

/** A file has these lines, now or, where that may be meant, before. */
export function judgePlace(place: Place, court: Court): Finding {
  const claimed = claimedPath(place.path);
  if (!claimed.isSafe) return refuted(ON_SIGHT, `Nobody looks at this path: ${claimed.why}.`);
  const { path } = claimed;
  const sight = court.sightings.files.get(path);
  if (sight === undefined) return unverifiable(PRESENCE, "Nobody looked at it.");
  const hasChanged = court.index.get(path) !== undefined;
  switch (sight.is) {
    case "absent":
      return judgeAbsent(place, hasChanged, court);
    case "outside":
      return refuted(PRESENCE, "The path leads out of the workspace.");
    case "file":
      return judgeRange(place, sight.lines, hasChanged || court.sightings.base === null);
    default:
      return judgeOther(place, sight.is);
  }
}

function judgeAbsent({ isPast }: Place, hasChanged: boolean, { sightings }: Court): Finding {
  if (hasChanged) return unverifiable(PRESENCE, "The file was deleted; what it held is not looked at.");
  if (isPast && sightings.base === null) return unverifiable(PRESENCE, "The file is not there now.");
  return refuted(PRESENCE, "There is no such file.");
}

function judgeOther({ lines }: Place, is: FileSight["is"]): Finding {
  if (lines === null) return confirmed(PRESENCE, `The ${is === "other" ? "special file" : is} is there.`);
  if (is === "folder") return refuted(PRESENCE, "It is a folder and has no lines.");
  return unverifiable(PRESENCE, `It is a ${is === "link" ? "link" : "special file"} and is not opened.`);
}

const EMPTY_END = 1;

function judgeRange({ lines, isPast }: Place, length: number | null, mayHaveChanged: boolean): Finding {
  if (lines === null) return confirmed(PRESENCE, "The file is there.");
  if (lines.first < 1 || lines.last < lines.first) return refuted(PRESENCE, "That is no range of lines.");
  if (length === null) return unverifiable(PRESENCE, "The file is there; its lines could not be counted.");
  if (lines.last <= length + EMPTY_END) return confirmed(PRESENCE, `The file has ${counted(length, "line")}.`);
  const evidence = `The file has only ${counted(length, "line")}, not ${linesInWords(lines)}`;
  if (isPast && mayHaveChanged) return unverifiable(PRESENCE, `${evidence}; it may have had more before.`);
  return refuted(PRESENCE, `${evidence}.`);
}
