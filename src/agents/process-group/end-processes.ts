import { setTimeout as sleep } from "node:timers/promises";
import { holdsTag, limitTagOf } from "./limit-tag.ts";
import { type Leader, attemptMarkOf, holdsMark, readOwnMarker } from "./marker-file.ts";
import {
  HAS_PROCESS_TABLE,
  type ProcessRow,
  readBootId,
  readEnvironment,
  readProcess,
  readProcessTable,
} from "./process-table.ts";

/** How long a process may take to leave by itself after SIGTERM. */
const GRACE = 2000;
/** After this even SIGKILL has failed: the process hangs in the kernel. */
const HOPELESS = 10_000;

/**
 * Ends every process of an attempt: asks, waits, then kills until none is left.
 * Returns those that even the kernel could not end, as a rule none.
 */
export async function endProcesses(
  mark: string,
  leader: Leader | null,
  grace = GRACE,
  tag = leader?.tag ?? limitTagOf(mark),
): Promise<number[]> {
  if (!HAS_PROCESS_TABLE) return await endGroup(leader, grace);
  const asked = findAttemptProcesses(mark, leader, tag);
  if (asked.length > 0) {
    for (const row of asked) signal(row.pid, "SIGTERM");
    await untilGone(asked, grace);
  }
  return await killUntilNoneIsLeft(mark, leader, tag);
}

/**
 * Holds every process of an attempt, or lets all go on. A process that was started while others were being held is
 * found by the next look.
 */
export function holdProcesses(mark: string, leader: Leader, isHeld: boolean): void {
  const name = isHeld ? "SIGSTOP" : "SIGCONT";
  if (!HAS_PROCESS_TABLE) return void signal(-leader.pid, name);
  const held = new Set<number>();
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const found = findAttemptProcesses(mark, leader, leader.tag).filter(({ pid }) => !held.has(pid));
    if (found.length === 0) return;
    for (const { pid } of found) {
      held.add(pid);
      signal(pid, name);
    }
  }
}

const MAX_LOOKS = 100;

/** Two looks in a row must find nothing: a process that just becomes another program shows no environment. */
async function killUntilNoneIsLeft(mark: string, leader: Leader | null, tag: string | null): Promise<number[]> {
  const deadline = performance.now() + HOPELESS;
  let emptyLooks = 0;
  for (;;) {
    const kin = findAttemptProcesses(mark, leader, tag);
    if (kin.length === 0) emptyLooks += 1;
    else emptyLooks = 0;
    if (emptyLooks === 2) return [];
    if (performance.now() > deadline) return kin.map((row) => row.pid);
    for (const row of kin) signal(row.pid, "SIGKILL");
    await sleep(kin.length === 0 ? 2 : 5);
  }
}

/** Looks only at the processes that were asked, which is cheap enough to do often. */
async function untilGone(rows: readonly ProcessRow[], grace: number): Promise<void> {
  const deadline = performance.now() + grace;
  let left = rows;
  while (performance.now() < deadline) {
    left = left.filter((row) => readProcess(row.pid)?.startTime === row.startTime);
    if (left.length === 0) return;
    await sleep(10);
  }
}

async function endGroup(leader: Leader | null, grace: number): Promise<number[]> {
  if (leader === null || !signal(-leader.pid, "SIGTERM")) return [];
  const deadline = performance.now() + grace;
  while (performance.now() < deadline && signal(-leader.pid, 0)) await sleep(20);
  const hopeless = performance.now() + HOPELESS;
  while (signal(-leader.pid, "SIGKILL")) {
    if (performance.now() > hopeless) return [leader.pid];
    await sleep(10);
  }
  return [];
}

/** False when the process is gone. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/**
 * Ends what is left of an attempt whose orchestrator was killed, and returns how many processes that were.
 * `folder` is the scratch folder of an attempt, or the directory of a gate. A process is ended only when it
 * carries the mark, or is provably the leader of the attempt or of its kin; where the system cannot prove
 * that (no Linux), none is.
 */
export async function killOrphans(attempt: string, folder: string): Promise<number> {
  if (!HAS_PROCESS_TABLE) return 0;
  const mark = attemptMarkOf(attempt, folder);
  const noted = readOwnMarker(folder);
  const own = noted?.attempt === attempt ? noted : null;
  const leader = own !== null && isLivingLeader(own) ? own : null;
  const tag = own?.tag ?? limitTagOf(mark);
  const found = findAttemptProcesses(mark, leader, tag).length;
  if (found > 0) await endProcesses(mark, leader, GRACE, tag);
  return found;
}

/** Once its leader has gone, a group proves nothing any more: its number may be another's by now. */
function isLivingLeader({ pid, startTime }: Leader): boolean {
  return startTime !== null && readProcess(pid)?.startTime === startTime;
}

/**
 * Every living process of an attempt: what carries its mark or its tag, what is in the group or session of its
 * leader, and whatever descends from these. Never ourselves nor those that started us.
 */
function findAttemptProcesses(mark: string, leader: Leader | null, tag: string | null): ProcessRow[] {
  const table = readProcessTable();
  const spared = ownLine(table);
  const isInGroup = leader === null ? () => false : groupOf(leader, table);
  const isYounger = (row: ProcessRow): boolean => Number(row.startTime) >= Number(leader?.startTime ?? 0);
  const found = new Map<number, ProcessRow>();
  for (const row of table) {
    if (spared.has(row.pid)) continue;
    const isKin = isInGroup(row) || holdsMark(readEnvironment(row.pid), mark);
    if (isKin || (tag !== null && isYounger(row) && holdsTag(row.pid, tag))) found.set(row.pid, row);
  }
  addDescendants(found, table, spared);
  return [...found.values()];
}

/** A process id alone proves nothing: it may have been given to another process, and never counts after a reboot. */
function groupOf(leader: Leader, table: readonly ProcessRow[]): (row: ProcessRow) => boolean {
  const holder = table.find((row) => row.pid === leader.pid);
  const isReused = holder !== undefined && holder.startTime !== leader.startTime;
  if (isReused || leader.bootId !== readBootId()) return () => false;
  return (row) => row.group === leader.pid || row.session === leader.pid;
}

function addDescendants(
  found: Map<number, ProcessRow>,
  table: readonly ProcessRow[],
  spared: ReadonlySet<number>,
): void {
  for (let grew = true; grew;) {
    grew = false;
    for (const row of table) {
      if (found.has(row.pid) || spared.has(row.pid) || !found.has(row.parent)) continue;
      found.set(row.pid, row);
      grew = true;
    }
  }
}

/** This process and all above it: Baton may itself have been started by an agent. */
function ownLine(table: readonly ProcessRow[]): ReadonlySet<number> {
  const parents = new Map(table.map((row) => [row.pid, row.parent]));
  const line = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && !line.has(pid); pid = parents.get(pid)) {
    line.add(pid);
  }
  return line;
}
