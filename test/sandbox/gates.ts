import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gateRunner } from "../../src/agents/run-command.ts";
import { lookForBubblewrap } from "../../src/agents/sandbox/find-bubblewrap.ts";
import type { CommandResult, CommandRunner, GateCommand } from "../../src/ports/command-runner.ts";
import { isLiving } from "../agents/living-processes.ts";

const MEGABYTE = 2 ** 20;
const made: string[] = [];
let count = 0;

/** As on a system where the program cannot be found. */
export const withoutSandbox = gateRunner({ findSandbox: () => lookForBubblewrap([]) });

const missing = await lookForBubblewrap().then((found) => ("why" in found ? found.why : null));

/** A reason to leave a test out on somebody's machine. Where `CI` is set bubblewrap must be there, or the test fails. */
export function hasNoSandbox(): boolean {
  if (missing === null || process.env["CI"] !== undefined) return false;
  console.log(`left out: ${missing}`);
  return true;
}

export function aFolder(name = "sandbox-test-"): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), name)));
  made.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

export function aGate(directory: string, command: readonly string[], changes: Partial<GateCommand> = {}): GateCommand {
  count += 1;
  return {
    id: `gate-${process.pid}-${count}`,
    command,
    foreign: false,
    directory,
    bring: [],
    environment: {},
    inherit: [],
    network: false,
    timeout: 30_000,
    outputLimit: MEGABYTE,
    memory: 1024 * MEGABYTE,
    processes: 200,
    disk: 1024 * MEGABYTE,
    signal: new AbortController().signal,
    ...changes,
  };
}

export async function runScript(
  runner: CommandRunner,
  directory: string,
  script: string,
  changes: Partial<GateCommand> = {},
): Promise<CommandResult> {
  return await runner.run(aGate(directory, ["sh", "-c", script], changes));
}

/** Living processes with this text on their command line: a gate cannot hide it, and nobody else has it. */
export function livingWith(text: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isLiving(pid) && commandLine(pid).includes(text));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
