import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Living processes at work in a directory, or named after it. Deliberately another way than that of the
 * code under test, which looks at groups and environments.
 */
export function livingIn(directory: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isIn(pid, directory));
}

/** How the kernel says that they are at work, each word once: `T` is stopped. */
export function statesIn(directory: string): string[] {
  const states = livingIn(directory).map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.charAt(stat.lastIndexOf(")") + 2);
  });
  return [...new Set(states)];
}

export function isLiving(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !"ZX".includes(stat.charAt(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

function isIn(pid: number, directory: string): boolean {
  try {
    if (!isLiving(pid)) return false;
    return (
      readlinkSync(`/proc/${pid}/cwd`).startsWith(directory) ||
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(directory)
    );
  } catch {
    return false;
  }
}
