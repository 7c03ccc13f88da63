import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Living processes of agents and gates that work below a folder: they carry our marker and it is their directory. */
export function processesIn(folder: string): number[] {
  return markedWith("BATON_ATTEMPT", folder);
}

/** Those of agents only: a gate that is killed has failed, and that is news for the run. */
export function agentsIn(folder: string): number[] {
  return markedWith("BATON_AGENT", folder);
}

function markedWith(name: string, folder: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isMarked(pid, name, folder));
}

function isMarked(pid: number, name: string, folder: string): boolean {
  try {
    const directory = readlinkSync(`/proc/${pid}/cwd`);
    if (directory !== folder && !directory.startsWith(`${folder}/`)) return false;
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${name}=`);
  } catch {
    return false;
  }
}

/** False when it was gone before. */
export function killHard(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
