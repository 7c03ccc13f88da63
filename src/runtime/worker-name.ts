import { readFileSync, readlinkSync } from "node:fs";
import type { Ports } from "../ports/ports.ts";

/** For how long a process takes a run, in milliseconds; it renews the lease in time. */
export const LEASE_TIME = 15_000;

const names = new WeakMap<object, string>();

/**
 * Identifies the holder of a lease, unique to this process: `pid-start-place-random`. Process ids are reused, but not
 * with the same start time, and both are valid only within one boot and namespace.
 */
export function workerName(ports: Pick<Ports, "clock">): string {
  let name = names.get(ports);
  if (name === undefined) {
    name = `${processName(ports.clock.now())}-${ports.clock.id().slice(0, 8)}`;
    names.set(ports, name);
  }
  return name;
}

/** The part of a worker name that `isProvablyGone` parses; the caller adds a suffix. */
export function processName(now: number): string {
  const start = lookAt(process.pid)?.startTime ?? String(Math.round(now - process.uptime() * 1000));
  return [process.pid, start, placeOfProcesses() ?? "anywhere"].join("-");
}

/**
 * True only when it is certain that the process has ended: it ran since the last boot in the same namespace and no
 * longer exists. Its lease can then be released early. A worker that cannot be checked counts as alive.
 */
export function isProvablyGone(worker: string): boolean {
  const place = placeOfProcesses();
  const [, pid, startTime, itsPlace] = /^(\d+)-(\d+)-(\d+_\w+)-\w+$/.exec(worker) ?? [];
  if (pid === undefined || place === null || itsPlace !== place) return false;
  const seen = lookAt(Number(pid));
  if (seen === null) return !isThere(Number(pid));
  return seen.hasEnded || seen.startTime !== startTime;
}

interface Seen {
  /** In clock ticks since the boot. */
  readonly startTime: string;
  /** True for a zombie, whose parent has not yet waited for it. */
  readonly hasEnded: boolean;
}

/** Null when there is no such process, or `/proc` does not show it. */
function lookAt(pid: number): Seen | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program name is in parentheses, and may itself contain parentheses and spaces.
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const startTime = fields[18];
    return startTime === undefined ? null : { startTime, hasEnded: "ZXx".includes(state) };
  } catch {
    return null;
  }
}

/** A process hidden from `/proc` still accepts a signal or refuses permission. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** The pid namespace and the boot id; null when the system does not provide them. */
function placeOfProcesses(): string | null {
  try {
    const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim().replaceAll("-", "");
    return namespace === undefined ? null : `${namespace}_${boot}`;
  } catch {
    return null;
  }
}
