import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { trustedFolders } from "../process-group/clean-environment.ts";

const run = promisify(execFile);

/** The program that holds gates, or why none can. */
export type Bubblewrap = { readonly program: string; readonly version: readonly number[] } | { readonly why: string };

let found: Promise<Bubblewrap> | null = null;

/** Looked for once: a system does not change its mind while we run. */
export function findBubblewrap(): Promise<Bubblewrap> {
  found ??= lookForBubblewrap();
  return found;
}

/** It may be installed and still be forbidden to make namespaces, as in many containers: only a trial tells. */
export async function lookForBubblewrap(folders = trustedFolders()): Promise<Bubblewrap> {
  if (process.platform !== "linux") return { why: `bubblewrap is not made for ${process.platform}` };
  const program = folders.map((folder) => join(folder, "bwrap")).find(isProgram);
  if (program === undefined) return { why: "bubblewrap is not installed (the program bwrap is not on the PATH)" };
  try {
    const { stdout } = await run(program, ["--version"], { env: {}, timeout: TRIAL });
    await run(
      program,
      [...NAMESPACES, "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", program, "--version"],
      {
        env: {},
        timeout: TRIAL,
      },
    );
    return { program, version: (/\d+(?:\.\d+)*/.exec(stdout)?.[0] ?? "0").split(".").map(Number) };
  } catch (error) {
    return { why: `bubblewrap does not work here: ${firstLine(error)}` };
  }
}

/** Own users, processes, messages, names and control groups; no capability, no terminal of ours, no life after us. */
export const NAMESPACES: readonly string[] = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--cap-drop",
  "ALL",
  "--new-session",
  "--die-with-parent",
];

const TRIAL = 10_000;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function firstLine(error: unknown): string {
  const told = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  const text = told === "" ? String(error instanceof Error ? error.message : error) : told;
  return text.split("\n", 1)[0] ?? text;
}
