import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A number of processes and threads that the kernel lets nobody in it go beyond. */
export interface ProcessCap {
  /** From now on a process is under the cap, and so is whatever it starts. */
  take(pid: number): void;
  remove(): void;
}

/** Where groups of processes are made: by the second version of the kernel's control groups, or by the first. */
const PLACES = ["/sys/fs/cgroup", "/sys/fs/cgroup/pids"];
const OURS = /^baton-(\d+)-\d+$/;

let made = 0;

/**
 * The kernel's limit by user does not hold for root, whose bomb would outgrow whoever looks at it now and then:
 * the first process of the sandbox, killed, has to wait for its turn among thousands. Null where no group can be
 * made; for another user than root that is so, and the limit by user holds.
 */
export function capProcesses(most: number): ProcessCap | null {
  if (process.getuid?.() !== 0) return null;
  for (const place of PLACES) {
    const cap = capIn(place, most);
    if (cap !== null) return cap;
  }
  return null;
}

function capIn(place: string, most: number): ProcessCap | null {
  made += 1;
  const folder = join(place, `baton-${process.pid}-${made}`);
  try {
    removeOrphans(place);
    mkdirSync(folder);
  } catch {
    return null;
  }
  const cap = {
    take: (pid: number) => quietly(() => writeFileSync(join(folder, "cgroup.procs"), String(pid), { flag: "r+" })),
    remove: () => quietly(() => rmdirSync(folder)),
  };
  try {
    writeFileSync(join(folder, "pids.max"), String(most), { flag: "r+" });
    return cap;
  } catch {
    cap.remove();
    return null;
  }
}

/** Of whoever was killed. A group with somebody in it cannot be removed. */
function removeOrphans(place: string): void {
  for (const name of readdirSync(place)) {
    const maker = OURS.exec(name)?.[1];
    if (maker !== undefined && !isThere(maker)) quietly(() => rmdirSync(join(place, name)));
  }
}

function isThere(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`).length > 0;
  } catch {
    return false;
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The process has ended; somebody else has removed the group, or the next one will.
  }
}
