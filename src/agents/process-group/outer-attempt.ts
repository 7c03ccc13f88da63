import { type Stats, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isTagged } from "./limit-tag.ts";
import { type Leader, marksIn, ownMarks, readOwnMarker } from "./marker-file.ts";
import { HAS_PROCESS_TABLE, type ProcessRow, readBootId, readEnvironment, readProcess } from "./process-table.ts";

/** The attempt that a process works for. */
interface OuterAttempt {
  /** Its id with its run, such as `k3x9.s1.1`; null when that is not known. */
  readonly id: string | null;
  /** What shows it. */
  readonly shownBy: "its environment" | "a process that started it" | "its limits" | "its process group";
}

/**
 * The attempt that a process works for; null when nothing shows one. An agent cannot get out of it by clearing its
 * environment (the processes above still have it), by leaving them (the limits stay) or by lowering its limits. What
 * other programs of the same account start for it, such as a service manager or cron, is not found.
 */
export function findOuterAttempt(stateFolder: string, pid = process.pid): OuterAttempt | null {
  const own = pid === process.pid ? ownMarks() : null;
  if (own !== null) return { id: own.attempt, shownBy: "its environment" };
  if (!HAS_PROCESS_TABLE) return null;
  const line = lineOf(pid);
  for (const row of line) {
    const marks = marksIn(readEnvironment(row.pid));
    if (marks !== null)
      return { id: marks.attempt, shownBy: row.pid === pid ? "its environment" : "a process that started it" };
  }
  const leader = findLeader(line, stateFolder);
  if (leader !== null) return { id: leader.attempt, shownBy: "its process group" };
  return line.some((row) => isTagged(row.pid)) ? { id: null, shownBy: "its limits" } : null;
}

/** The environments of a process and of those above it, the nearest first; that of this process where no other is shown. */
export function environmentsAbove(pid = process.pid): ReadonlyMap<string, string>[] {
  const own =
    pid === process.pid ? [new Map(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]))] : [];
  if (!HAS_PROCESS_TABLE) return own;
  const others = lineOf(pid).filter((row) => row.pid !== process.pid);
  return [...own, ...others.map((row) => variablesIn(readEnvironment(row.pid)))];
}

function variablesIn(environment: string): ReadonlyMap<string, string> {
  const pairs = environment.split("\0").filter((pair) => pair.includes("="));
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

/** A process and those above it. */
export function lineOf(pid: number): ProcessRow[] {
  const line: ProcessRow[] = [];
  for (let row = readProcess(pid); row !== null; row = readProcess(row.parent)) {
    if (line.some((before) => before.pid === row?.pid)) break;
    line.push(row);
  }
  return line;
}

/** Markers of attempts at work are written anew every few seconds; a machine may have slept in between. */
const MAX_MARKER_AGE = 600_000;

/** The leader of an attempt of this state in whose group or session one of these processes is. */
function findLeader(line: readonly ProcessRow[], stateFolder: string): Leader | null {
  const bootId = readBootId();
  const isOf = (leader: Leader): boolean =>
    leader.bootId === bootId &&
    readProcess(leader.pid)?.startTime === leader.startTime &&
    line.some((row) => [row.pid, row.group, row.session].includes(leader.pid));
  return recentMarkers(join(stateFolder, "attempts")).find(isOf) ?? null;
}

function recentMarkers(folder: string): Leader[] {
  const oldest = Date.now() - MAX_MARKER_AGE;
  const isRecent = (place: string): boolean => (statsOf(join(place, "attempt.json"))?.mtimeMs ?? 0) >= oldest;
  return namesIn(folder)
    .flatMap((run) => namesIn(join(folder, run)).map((attempt) => join(folder, run, attempt)))
    .filter(isRecent)
    .flatMap((scratch) => readOwnMarker(scratch) ?? []);
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
