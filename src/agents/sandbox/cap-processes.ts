import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A number of processes and threads that the kernel lets nobody in it go beyond. */
export interface ProcessCap {
  /** Then a process is under the cap, and so is whatever it starts. The kernel takes some milliseconds for the first. */
  take(pid: number): Promise<void>;
  remove(): void;
}

/**
 * The kernel's limit by user does not hold for root, whose bomb would outgrow whoever looks at it now and then:
 * the first process of the sandbox, killed, has to wait for its turn among thousands. Null where no group can be
 * made; for another user than root that is so, and the limit by user holds.
 */
export function capProcesses(most: number): ProcessCap | null {
  const place =
    process.getuid?.() === 0 ? groupPlace(quietly(() => readFileSync("/proc/self/cgroup", "utf8")) ?? "") : null;
  return place === null ? null : capIn(place, most);
}

/**
 * Below the group that we are in ourselves, whose limits go on to hold. The second version of control groups lets
 * nobody be limited below a group that has processes in it, other than the one at the top; there we make none.
 */
export function groupPlace(ownGroups: string): string | null {
  const first = /^\d+:(?:[\w,=]*,)?pids(?:,[\w,=]*)?:(\/.*)$/m.exec(ownGroups)?.[1];
  if (first !== undefined) return first.split("/").includes("..") ? null : join("/sys/fs/cgroup/pids", first);
  return /^0::\/$/m.test(ownGroups) ? "/sys/fs/cgroup" : null;
}

function capIn(place: string, most: number): ProcessCap | null {
  quietly(() => removeOrphans(place));
  const folder = join(place, `baton-${process.pid}-${randomBytes(6).toString("hex")}`);
  if (quietly(() => mkdirSync(folder) ?? true) === null) return null;
  const cap: ProcessCap = {
    // Whoever has ended meanwhile needs no cap.
    take: (pid) => writeFile(join(folder, "cgroup.procs"), String(pid), { flag: "r+" }).catch(() => undefined),
    remove: () => void quietly(() => rmdirSync(folder)),
  };
  if (quietly(() => writeFileSync(join(folder, "pids.max"), String(most), { flag: "r+" }) ?? true) !== null) return cap;
  cap.remove();
  return null;
}

const NAME = /^baton-(\d+)-[0-9a-f]+$/;
/** Whoever has a process table of its own does not see the maker of a group that was made just now. */
const OLD = 60_000;

/** Of whoever was killed. A group with somebody in it cannot be removed. */
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
