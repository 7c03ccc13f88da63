import { readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../shared/json-value.ts";
import { readBootId, readProcess } from "./process-table.ts";

/** The first process of an attempt, told so exactly that it cannot be mistaken for a later one with its number. */
export interface Leader {
  readonly attempt: string;
  /** Where its marker was written; null in markers that do not tell. */
  readonly scratch: string | null;
  readonly pid: number;
  /** Null where the system does not tell; then nobody can be sure of it later. */
  readonly startTime: string | null;
  readonly bootId: string | null;
}

const NAME = "attempt.json";

export function describeLeader(attempt: string, pid: number, scratch: string): Leader {
  return { attempt, scratch, pid, startTime: readProcess(pid)?.startTime ?? null, bootId: readBootId() };
}

/** Not flushed to the disk: it is of no use after a power cut, when no process is left either. */
export function writeMarker(scratch: string, leader: Leader): void {
  const place = join(scratch, NAME);
  writeFileSync(`${place}.next`, `${JSON.stringify(leader)}\n`);
  renameSync(`${place}.next`, place);
}

/**
 * The marker that was written here. One that came along with a copy of the folder is of an attempt that belongs to
 * the original; where that has gone, the folder was moved.
 */
export function readOwnMarker(scratch: string): Leader | null {
  const leader = readMarker(scratch);
  if (leader === null || leader.scratch === null || isSame(leader.scratch, scratch)) return leader;
  return readMarker(leader.scratch)?.pid === leader.pid ? null : leader;
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/** Null when there is none, or none that can be read: the marks in the environments still tell. */
function readMarker(scratch: string): Leader | null {
  try {
    return asLeader(JSON.parse(readFileSync(join(scratch, NAME), "utf8")));
  } catch {
    return null;
  }
}

function asLeader(value: unknown): Leader | null {
  if (!isRecord(value)) return null;
  const { attempt, scratch, pid, startTime, bootId } = value;
  if (typeof attempt !== "string" || typeof pid !== "number" || !Number.isInteger(pid) || pid < 2) return null;
  return { attempt, scratch: textOrNull(scratch), pid, startTime: textOrNull(startTime), bootId: textOrNull(bootId) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
