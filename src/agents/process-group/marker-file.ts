import { readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../shared/json-value.ts";
import { readBootId, readProcess } from "./process-table.ts";
import { createHash } from "node:crypto";

/** The first process of an attempt, told so exactly that it cannot be mistaken for a later one with its number. */
export interface Leader {
  readonly attempt: string;
  /** Where its marker was written; null in markers that do not tell. */
  readonly scratch: string | null;
  readonly pid: number;
  /** Null where the system does not tell; then it proves nothing later. */
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

/** In the environment of every process of an attempt; a nested Baton adds its own mark to the one it was started with. */
const MARKS = "BATON_MARKS";

/**
 * What tells the processes of one attempt from all others. The folder is part of it, because two
 * orchestrators with stores of their own may give two attempts the same name.
 */
export function attemptMarkOf(attempt: string, folder: string): string {
  return createHash("sha256").update(`${attempt}\0${folder}`).digest("hex").slice(0, 24);
}

/** The variables by which a process is known as ours, whatever it does with its group, session or parent. */
export function markedEnvironment(attempt: string, mark: string): Record<string, string> {
  const outer = process.env[MARKS];
  const [run = ""] = attempt.split(".", 1);
  return {
    BATON_ATTEMPT: attempt,
    [MARKS]: outer === undefined ? mark : `${outer}:${mark}`,
    [RUNS]: [...outerRuns(), run].join(":"),
  };
}

/** In the environment of every process of an attempt: the runs that it works for, the outermost first. */
const RUNS = "BATON_RUNS";

/** The runs whose agents have started this process; empty when no agent has. */
export function outerRuns(): string[] {
  return (process.env[RUNS] ?? "").split(":").filter((run) => run !== "");
}

/** `environ` as the kernel shows it: `NAME=value` with a NUL after each. */
export function holdsMark(environ: string, mark: string): boolean {
  if (!environ.includes(mark)) return false;
  const line = environ.split("\0").find((entry) => entry.startsWith(`${MARKS}=`));
  return (
    line !== undefined &&
    line
      .slice(MARKS.length + 1)
      .split(":")
      .includes(mark)
  );
}
