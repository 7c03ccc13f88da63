import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A limit of processes and threads that the kernel enforces for a group. */
export interface ProcessCap {
  /** Then a process is under the cap, and so is whatever it starts. The kernel takes some milliseconds for the first. */
  take(pid: number): Promise<void>;
  remove(): void;
}

/**
 * The kernel's limit by user does not hold for root, and a fork bomb grows faster than any polling notices:
 * the first process of the sandbox, killed, has to wait for its turn among thousands. Null where no group can be
 * made; for another user than root that is so, and the limit by user holds.
 */
export function capProcesses(max: number): ProcessCap | null {
  const place =
    process.getuid?.() === 0 ? groupPlace(quietly(() => readFileSync("/proc/self/cgroup", "utf8")) ?? "") : null;
  return place === null ? null : capIn(place, max);
}

/**
 * Below the group of this process, whose limits still hold. Version 2 of control groups allows no limits below a group
 * that has processes in it, except for the root group; elsewhere no group is made.
 */
export function groupPlace(ownGroups: string): string | null {
  const first = /^\d+:(?:[\w,=]*,)?pids(?:,[\w,=]*)?:(\/.*)$/m.exec(ownGroups)?.[1];
  if (first !== undefined) return first.split("/").includes("..") ? null : join("/sys/fs/cgroup/pids", first);
  return /^0::\/$/m.test(ownGroups) ? "/sys/fs/cgroup" : null;
}

function capIn(place: string, max: number): ProcessCap | null {
  quietly(() => removeOrphans(place));
  const folder = join(place, `baton-${process.pid}-${randomBytes(6).toString("hex")}`);
  if (quietly(() => mkdirSync(folder) ?? true) === null) return null;
  const cap: ProcessCap = {
    // A process that has ended meanwhile needs no cap.
    take: (pid) => writeFile(join(folder, "cgroup.procs"), String(pid), { flag: "r+" }).catch(() => undefined),
    remove: () => void quietly(() => rmdirSync(folder)),
  };
  if (quietly(() => writeFileSync(join(folder, "pids.max"), String(max), { flag: "r+" }) ?? true) !== null) return cap;
  cap.remove();
  return null;
}

const NAME = /^baton-(\d+)-[0-9a-f]+$/;
/** A sandbox with its own process table does not see who made a group, so new groups are left alone for a while. */
const OLD = 60_000;

/** Groups left by killed processes. A group with a process in it cannot be removed. */
function removeOrphans(place: string): void {
  for (const name of readdirSync(place)) {
    const maker = NAME.exec(name)?.[1];
    const folder = join(place, name);
    if (maker !== undefined && !isThere(maker) && Date.now() - statSync(folder).mtimeMs > OLD) rmdirSync(folder);
  }
}

function isThere(pid: string): boolean {
  return quietly(() => readFileSync(`/proc/${pid}/stat`)) !== null;
}

/** Null when it could not be done: a process has ended, a group is gone or not ours to make. */
function quietly<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
