import { readdirSync, readFileSync } from "node:fs";

/** One living process as the kernel knows it. A process id is used again; with its start time it is not. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the boot. */
  readonly startTime: string;
}

/** Whether this system shows its processes and their environments; elsewhere only groups can be ended. */
export const HAS_PROCESS_TABLE = process.platform === "linux";

/** Every living process; one that has ended and waits for its parent to notice is not living. */
export function readProcessTable(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const row = Number.isInteger(pid) ? readProcess(pid) : null;
    if (row !== null) rows.push(row);
  }
  return rows;
}

export function readProcess(pid: number): ProcessRow | null {
  const stat = readQuietly(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name of the program stands in brackets and may itself hold brackets and blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || "ZXx".includes(state) || startTime === undefined) return null;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startTime };
}

/** Empty for a process of another user, and for one that is just being replaced by another program. */
export function readEnvironment(pid: number): string {
  return readQuietly(`/proc/${pid}/environ`) ?? "";
}

/** The program and its arguments, as it was started; empty for a process that cannot be looked into. */
export function readCommandLine(pid: number): string[] {
  return (readQuietly(`/proc/${pid}/cmdline`) ?? "").split("\0");
}

/** Changes with every boot; null where the system does not tell. */
export function readBootId(): string | null {
  return readQuietly("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
}

/** Processes come and go while we look: one that cannot be read is gone, or is not ours. */
function readQuietly(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
}
