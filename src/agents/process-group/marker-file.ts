import { readFileSync, realpathSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
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
  /** The tag in the limits of its processes; null when they have none. */
  readonly tag: string | null;
  /** When it started, in milliseconds since 1970; null in markers that do not tell. */
  readonly startedAt: number | null;
}

const NAME = "attempt.json";

export function describeLeader(attempt: string, pid: number, scratch: string, tag: string | null = null): Leader {
  const startTime = readProcess(pid)?.startTime ?? null;
  return { attempt, scratch, pid, startTime, bootId: readBootId(), tag, startedAt: Date.now() };
}

/** Not flushed to the disk: it is of no use after a power cut, when no process is left either. */
export function writeMarker(scratch: string, leader: Leader): void {
  const place = join(scratch, NAME);
  writeFileSync(`${place}.next`, `${JSON.stringify(leader)}\n`);
  renameSync(`${place}.next`, place);
}

/** Notes in the marker that the attempt is still at work: its time of change is the last such moment. */
export function noteAlive(scratch: string): void {
  try {
    const now = new Date();
    utimesSync(join(scratch, NAME), now, now);
  } catch {
    // There is no marker, or the folder has gone.
  }
}

/** How long the attempt is known to have worked, up to the last moment that was noted; null when that is not known. */
export function knownWorkTime(attempt: string, scratch: string): number | null {
  const leader = readOwnMarker(scratch);
  const noted = statSync(join(scratch, NAME), { throwIfNoEntry: false })?.mtimeMs;
  if (leader === null || leader.attempt !== attempt || leader.startedAt === null || noted === undefined) return null;
  return Math.max(0, Math.round(noted - leader.startedAt));
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
    return readLeader(JSON.parse(readFileSync(join(scratch, NAME), "utf8")));
  } catch {
    return null;
  }
}

export function readLeader(value: unknown): Leader | null {
  if (!isRecord(value)) return null;
  const { attempt, scratch, pid, startTime, bootId, tag, startedAt } = value;
  if (typeof attempt !== "string" || typeof pid !== "number" || !Number.isInteger(pid) || pid < 2) return null;
  return {
    attempt,
    scratch: textOrNull(scratch),
    pid,
    startTime: textOrNull(startTime),
    bootId: textOrNull(bootId),
    tag: typeof tag === "string" && /^\d{1,19}$/.test(tag) ? tag : null,
    startedAt: typeof startedAt === "number" ? startedAt : null,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** In the environment of every process of an attempt; a nested Baton adds its own mark to the one it was started with. */
const MARKS = "BATON_MARKS";
/** The attempt itself, with its run. */
const ATTEMPT = "BATON_ATTEMPT";

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
    [ATTEMPT]: attempt,
    [MARKS]: outer === undefined ? mark : `${outer}:${mark}`,
    [RUNS]: [...outerRuns(), run].join(":"),
  };
}

/** Of the attempts whose agent has started this process: for what this process starts for itself. */
export function nestedMarks(): Record<string, string> {
  const outer = process.env[MARKS];
  return outer === undefined ? {} : { [MARKS]: outer };
}

/** In the environment of every process of an attempt: the runs that it works for, the outermost first. */
const RUNS = "BATON_RUNS";

/** The runs whose agents have started this process; empty when no agent has. */
export function outerRuns(): string[] {
  return (process.env[RUNS] ?? "").split(":").filter((run) => run !== "");
}

/** `environ` as the kernel shows it: `NAME=value` with a NUL after each. */
export function holdsMark(environ: string, mark: string): boolean {
  return environ.includes(mark) && (variableIn(environ, MARKS)?.split(":").includes(mark) ?? false);
}

function variableIn(environ: string, name: string): string | undefined {
  const line = environ.split("\0").find((entry) => entry.startsWith(`${name}=`));
  return line?.slice(name.length + 1);
}

/** That an environment is one of an attempt; null when it is not. */
interface AttemptMarks {
  /** Null when it is not told, or not as we write it. */
  readonly attempt: string | null;
}

export function marksIn(environ: string): AttemptMarks | null {
  return marksOf((name) => variableIn(environ, name));
}

export function ownMarks(): AttemptMarks | null {
  return marksOf((name) => process.env[name]);
}

function marksOf(read: (name: string) => string | undefined): AttemptMarks | null {
  const attempt = read(ATTEMPT);
  if ([attempt, read(MARKS), read(RUNS)].every((value) => (value ?? "") === "")) return null;
  return { attempt: attempt !== undefined && /^[\w.:-]{1,100}$/.test(attempt) ? attempt : null };
}
