import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../shared/json-value.ts";
import { readBootId, readProcess } from "./process-table.ts";

/** The first process of an attempt, told so exactly that it cannot be mistaken for a later one with its number. */
export interface Leader {
  readonly attempt: string;
  readonly pid: number;
  /** Null where the system does not tell; then nobody can be sure of it later. */
  readonly startTime: string | null;
  readonly bootId: string | null;
}

const NAME = "attempt.json";

export function describeLeader(attempt: string, pid: number): Leader {
  return { attempt, pid, startTime: readProcess(pid)?.startTime ?? null, bootId: readBootId() };
}

/** Not flushed to the disk: it is of no use after a power cut, when no process is left either. */
export function writeMarker(scratch: string, leader: Leader): void {
  const place = join(scratch, NAME);
  writeFileSync(`${place}.next`, `${JSON.stringify(leader)}\n`);
  renameSync(`${place}.next`, place);
}

/** Null when there is none, or none that can be read: the marks in the environments still tell. */
export function readMarker(scratch: string): Leader | null {
  try {
    return asLeader(JSON.parse(readFileSync(join(scratch, NAME), "utf8")));
  } catch {
    return null;
  }
}

function asLeader(value: unknown): Leader | null {
  if (!isRecord(value)) return null;
  const { attempt, pid, startTime, bootId } = value;
  if (typeof attempt !== "string" || typeof pid !== "number" || !Number.isInteger(pid) || pid < 2) return null;
  return { attempt, pid, startTime: textOrNull(startTime), bootId: textOrNull(bootId) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
