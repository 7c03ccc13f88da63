import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { trustedFolders } from "../process-group/clean-environment.ts";
import { layerPlace, type LayerTools, tryLayers } from "./layered-folders.ts";

const run = promisify(execFile);

/** The program that holds gates, or why none can. */
export type Bubblewrap = WorkingBubblewrap | { readonly why: string };

interface WorkingBubblewrap {
  readonly program: string;
  readonly version: readonly number[];
  readonly layers: LayerTools;
}

let found: Promise<Bubblewrap> | null = null;

/** Looked for once: a system does not change its mind while we run. */
export function findBubblewrap(): Promise<Bubblewrap> {
  found ??= lookForBubblewrap();
  return found;
}

/** It may be installed and still be forbidden to make namespaces, as in many containers: only a trial tells. */
export async function lookForBubblewrap(folders = toolFolders()): Promise<Bubblewrap> {
  if (process.platform !== "linux") return { why: `bubblewrap is not made for ${process.platform}` };
  const program = findIn(folders, "bwrap");
  if (program === null) return { why: "bubblewrap is not installed (the program bwrap is not on the PATH)" };
  try {
    const { stdout } = await run(program, ["--version"], { env: {}, timeout: TRIAL });
    const trial = [...NAMESPACES, "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc"];
    await run(program, [...trial, program, "--version"], { env: {}, timeout: TRIAL });
    const version = (/\d+(?:\.\d+)*/.exec(stdout)?.[0] ?? "0").split(".").map(Number);
    const layered = [program, ...trial, "--bind", layerPlace(0), "/usr", program, "--version"];
    return { program, version, layers: await findLayers(folders, layered) };
  } catch (error) {
    return { why: `bubblewrap does not work here: ${firstLine(error)}` };
  }
}

async function findLayers(folders: readonly string[], trial: readonly string[]): Promise<LayerTools> {
  const unshare = findIn(folders, "unshare");
  if (unshare === null) return { why: "the program unshare (of util-linux) is not installed" };
  return await tryLayers({ unshare, searchPath: folders.join(delimiter) }, trial, TRIAL);
}

const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];

/**
 * What holds a gate must not be a program that an agent wrote: the system's own comes first, and the programs of a
 * repository's packages, which scripts of npm have on their PATH, never count.
 */
function toolFolders(): string[] {
  const others = trustedFolders().filter((folder) => !/\/node_modules(?:\/|$)/.test(folder));
  return [...new Set([...SYSTEM_FOLDERS, ...others])];
}

/** Own users, processes, messages, names and control groups; no capability, no terminal of ours, no life after us. */
export const NAMESPACES: readonly string[] = [
  "--unshare-user",
  "--uid",
  String(process.getuid?.() ?? 0),
  "--gid",
  String(process.getgid?.() ?? 0),
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

function findIn(folders: readonly string[], name: string): string | null {
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

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
