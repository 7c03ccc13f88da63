import { spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { trustedFolders } from "./clean-environment.ts";
import { HAS_PROCESS_TABLE } from "./process-table.ts";

/**
 * A tag that a process cannot lose by clearing its environment, leaving its group or having no parent any more: the
 * kernel's limit of real-time work without a pause. Every child inherits it, each attempt has its own value, and all
 * values are of some ten thousand years, so it limits nothing. The kernel keeps two values: a Baton that an agent has
 * started sets the lower one and leaves the upper one, so that the outermost Baton finds its processes too.
 */
export function limitTagOf(mark: string): string | null {
  const upper = HAS_PROCESS_TABLE ? upperLimit() : null;
  return upper === null ? null : String((upper === "unlimited" ? HIGHEST : BigInt(upper)) - 1n - numberOf(mark));
}

const HIGHEST = 2n ** 62n;
/** A lower limit was set by somebody who means it. */
const LOWEST = 2n ** 61n;
const TAG_DIGITS = 12;

function numberOf(mark: string): bigint {
  return BigInt(`0x0${mark.slice(0, TAG_DIGITS)}`);
}

/** Null where no tag can be set. */
function upperLimit(): string | null {
  const upper = limitsOf("self")[1] ?? null;
  return upper === null || upper === "unlimited" || BigInt(upper) > LOWEST ? upper : null;
}

export function holdsTag(pid: number, tag: string): boolean {
  return limitsOf(pid).includes(tag);
}

/**
 * Whether a process has the tag of any attempt. It cannot raise the upper value again; a lower one counts too, because
 * an agent can lower it, and no system sets one for the shell of a person.
 */
export function isTagged(pid: number): boolean {
  const upper = limitsOf(pid)[1];
  return upper !== undefined && upper !== "unlimited";
}

/** The lower and the upper value; empty when they cannot be read. */
function limitsOf(pid: number | "self"): string[] {
  return /^Max realtime timeout +(\S+) +(\S+)/m.exec(readLimits(pid))?.slice(1) ?? [];
}

/** Empty for a process that has ended. */
function readLimits(pid: number | "self"): string {
  try {
    return readFileSync(`/proc/${pid}/limits`, "latin1");
  } catch {
    return "";
  }
}

/**
 * The same command with the tag, set before the program starts, in the same process. One that could not be started is
 * left as it is, so that the system says why.
 */
export function taggedCommand(
  command: readonly string[],
  tag: string | null,
  { directory, path }: { readonly directory: string; readonly path: string },
): readonly string[] {
  const [name = ""] = command;
  const setter = findLimitSetter();
  if (tag === null || setter === null) return command;
  const places = name.includes("/")
    ? [resolve(directory, name)]
    : path.split(delimiter).map((folder) => join(folder, name));
  return places.some(isProgram) ? [setter, `--rttime=${limitsFor(tag)}`, "--", ...command] : command;
}

/** The lower and the upper value: a tag that is there already stays. */
function limitsFor(tag: string): string {
  const upper = upperLimit();
  return `${tag}:${upper === null || upper === "unlimited" ? tag : upper}`;
}

/** The program that sets limits of processes. It may be there and be forbidden to, as in some containers: only a trial tells. */
function findLimitSetter(): string | null {
  if (setterFound === undefined) {
    const program = trustedFolders()
      .map((folder) => join(folder, "prlimit"))
      .find(isProgram);
    setterFound = program !== undefined && canSet(program) ? program : null;
  }
  return setterFound;
}

let setterFound: string | null | undefined;

function canSet(program: string): boolean {
  const tag = limitTagOf("");
  if (tag === null) return false;
  const trial = spawnSync(program, [`--rttime=${limitsFor(tag)}`, "--", program, "--version"], {
    env: {},
    timeout: 5000,
  });
  return trial.status === 0;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
