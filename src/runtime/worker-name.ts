import { readFileSync, readlinkSync } from "node:fs";
import type { Machine } from "../ports/machine.ts";

const names = new WeakMap<Machine, string>();

/**
 * Who holds a lease: this process and no other, whatever the machine is called. `pid-start-place-random`:
 * a process id is used again, with its start time it is not, and both mean something in one place only.
 */
export function workerName(machine: Machine): string {
  let name = names.get(machine);
  if (name === undefined) {
    name = `${processName(machine.clock.now())}-${machine.clock.id().slice(0, 8)}`;
    names.set(machine, name);
  }
  return name;
}

/** This process: what `isProvablyGone` knows it by, once something of its own is added. */
export function processName(now: number): string {
  const start = lookAt(process.pid)?.startTime ?? String(Math.round(now - process.uptime() * 1000));
  return [process.pid, start, placeOfProcesses() ?? "anywhere"].join("-");
}

/**
 * True only when it is certain: the worker was a process of this start of this machine, in our namespace, and
 * is no more. Its lease need not run out then. Whoever cannot be judged is believed to be alive.
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
  /** Only its parent has not noticed yet. */
  readonly hasEnded: boolean;
}

/** Null when there is no such process, or when the system does not show it. */
function lookAt(pid: number): Seen | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program stands in brackets and may itself hold brackets and blanks.
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const startTime = fields[18];
    return startTime === undefined ? null : { startTime, hasEnded: "ZXx".includes(state) };
  } catch {
    return null;
  }
}

/** A process that `/proc` hides from us still refuses our signal, or takes it. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** The namespace of process ids and the start of the machine; null where the system tells neither. */
function placeOfProcesses(): string | null {
  try {
    const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim().replaceAll("-", "");
    return namespace === undefined ? null : `${namespace}_${boot}`;
  } catch {
    return null;
  }
}
