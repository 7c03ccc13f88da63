import { markOf } from "./attempt-mark.ts";
import { endProcesses } from "./end-processes.ts";
import { findKin } from "./find-kin.ts";
import { readOwnMarker } from "./marker-file.ts";
import type { Leader } from "./marker-file.ts";
import { HAS_PROCESS_TABLE, readProcess } from "./process-table.ts";

/**
 * Ends what is left of an attempt whose orchestrator was killed, and returns how many processes that were.
 * `folder` is the scratch folder of an attempt, or the directory of a gate. A process is ended only when it
 * carries the mark, or is provably the leader of the attempt or of its kin; where the system cannot prove
 * that (no Linux), none is.
 */
export async function endSurvivors(attempt: string, folder: string): Promise<number> {
  if (!HAS_PROCESS_TABLE) return 0;
  const mark = markOf(attempt, folder);
  const leader = livingLeader(attempt, folder);
  const found = findKin(mark, leader).length;
  if (found > 0) await endProcesses(mark, leader);
  return found;
}

/** Once its leader has gone, a group proves nothing any more: its number may be another's by now. */
function livingLeader(attempt: string, folder: string): Leader | null {
  const leader = readOwnMarker(folder);
  if (leader === null || leader.attempt !== attempt || leader.startTime === null) return null;
  return readProcess(leader.pid)?.startTime === leader.startTime ? leader : null;
}
