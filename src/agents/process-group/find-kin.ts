import { holdsMark } from "./attempt-mark.ts";
import type { Leader } from "./marker-file.ts";
import { readBootId, readEnvironment, readProcessTable } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

/**
 * Every living process of an attempt: what carries its mark, what is in the group or session of its
 * leader, and whatever descends from these. Never ourselves nor those that started us.
 */
export function findKin(mark: string, leader: Leader | null): ProcessRow[] {
  const table = readProcessTable();
  const spared = ownLine(table);
  const isInGroup = leader === null ? () => false : groupOf(leader, table);
  const kin = new Map<number, ProcessRow>();
  for (const row of table) {
    if (spared.has(row.pid)) continue;
    if (isInGroup(row) || holdsMark(readEnvironment(row.pid), mark)) kin.set(row.pid, row);
  }
  addDescendants(kin, table, spared);
  return [...kin.values()];
}

/** A number alone proves nothing: it counts while nobody else bears it, and never after a restart of the machine. */
function groupOf(leader: Leader, table: readonly ProcessRow[]): (row: ProcessRow) => boolean {
  const bearer = table.find((row) => row.pid === leader.pid);
  const isStranger = bearer !== undefined && bearer.startTime !== leader.startTime;
  if (isStranger || leader.bootId !== readBootId()) return () => false;
  return (row) => row.group === leader.pid || row.session === leader.pid;
}

function addDescendants(kin: Map<number, ProcessRow>, table: readonly ProcessRow[], spared: ReadonlySet<number>): void {
  for (let grew = true; grew;) {
    grew = false;
    for (const row of table) {
      if (kin.has(row.pid) || spared.has(row.pid) || !kin.has(row.parent)) continue;
      kin.set(row.pid, row);
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
