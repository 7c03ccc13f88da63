import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import type { CommandEnd, CommandResult, CommandRunner, GateCommand } from "../ports/command-runner.ts";
import { cleanEnvironment, trustedFolders } from "./process-group/clean-environment.ts";
import { OutputTail } from "./process-group/program-output.ts";
import { HAS_PROCESS_TABLE } from "./process-group/process-table.ts";
import { type Program, type RunningProgram, startProgram } from "./process-group/start-program.ts";
import { type CheckedFolder, checkBrought, linkFolders, placeBefore, removePlaces } from "./sandbox/bring-folders.ts";
import { type Bubblewrap, findBubblewrap } from "./sandbox/find-bubblewrap.ts";
import { type HeldProgram, holdProgram } from "./sandbox/hold-program.ts";
import { galleryBelow, galleryOfSandbox } from "./sandbox/measure-processes.ts";
import { homes, isAtOrBelow, layeredFolders, realOf, type SeenFolder } from "./sandbox/sandbox-view.ts";
import { systemCallFilter } from "./sandbox/system-call-filter.ts";
import { readToolchains } from "./sandbox/toolchains.ts";
import { type Excess, LimitWatch } from "./sandbox/watch-limits.ts";

interface GateRunnerOptions {
  /** Folders that no gate may see, such as the one that the log is in. */
  readonly hidden?: readonly string[];
  /** The operator's list of folders that gates may see; no such file is an empty list. */
  readonly toolchainFile?: string;
  readonly findSandbox?: () => Promise<Bubblewrap>;
}

/** Gates run in the sandbox; where there is none as agents do: a group of their own, a clean environment, no survivors. */
export function gateRunner(options: GateRunnerOptions = {}): CommandRunner {
  const { findSandbox = findBubblewrap } = options;
  return {
    async run(gate) {
      const sandbox = await findSandbox();
      if (gate.signal.aborted) return neverRan("stopped", "", describeSandbox(sandbox, false));
      try {
        const setting = prepare(gate, options, sandbox);
        if ("end" in setting) return neverRan(setting.end, setting.why, describeSandbox(sandbox, false));
        return await runGate(gate, setting);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return neverRan("could-not-start", why, describeSandbox(sandbox, false));
      }
    },
  };
}

export const commandRunner = gateRunner();

/** A gate that may run, and what is around it. */
interface Setting {
  readonly command: readonly string[];
  readonly directory: string;
  readonly hidden: readonly string[];
  readonly toolchains: readonly SeenFolder[];
  readonly brought: readonly CheckedFolder[];
  readonly sandbox: Bubblewrap;
}

function prepare(
  gate: GateCommand,
  { hidden = [], toolchainFile }: GateRunnerOptions,
  sandbox: Bubblewrap,
): Setting | { readonly end: CommandEnd; readonly why: string } {
  const isHeld = "program" in sandbox;
  if (gate.foreign && !isHeld) {
    const how = "Commands that a handoff brings run only in a sandbox: install bubblewrap, or make it a gate.";
    return { end: "refused", why: `there is no sandbox: ${sandbox.why}. ${how}` };
  }
  const directory = realOf(gate.directory);
  if (directory === null) return { end: "could-not-start", why: `there is no directory ${gate.directory}` };
  const inside = isHeld ? [...homes(), ...NEVER_WRITABLE].find((place) => isAtOrBelow(place, directory)) : undefined;
  if (inside !== undefined)
    return { end: "refused", why: `${directory} would be writable, and ${inside} with it: work in a folder below` };
  const brought = checkBrought(directory, gate.bring);
  if (typeof brought === "string") return { end: "could-not-start", why: brought };
  const problem = variableProblem(gate.environment) ?? commandProblem(gate, directory, brought);
  if (problem !== null) return { end: "could-not-start", why: problem };
  const command = gate.foreign ? ["/bin/sh", "-c", ...gate.command] : gate.command;
  const hiddenOnes = hidden.flatMap((folder) => realOf(folder) ?? []);
  const toolchains = toolchainFile === undefined ? [] : readToolchains(toolchainFile, hiddenOnes).folders;
  return { command, directory, hidden: hiddenOnes, toolchains, brought, sandbox };
}

/** A folder that holds one of these, or a home, is never given to a gate. */
const NEVER_WRITABLE = ["/usr", "/etc", "/tmp", "/dev", "/proc"];

/** In the arguments of bubblewrap a NUL ends one and begins another. */
function variableProblem(environment: GateCommand["environment"]): string | null {
  const wrong = Object.entries(environment).find(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0"));
  return wrong === undefined
    ? null
    : `the variable ${JSON.stringify(wrong[0])} cannot be set: it holds a NUL, or = in its name`;
}

function commandProblem(gate: GateCommand, directory: string, brought: readonly CheckedFolder[]): string | null {
  return gate.foreign ? foreignProblem(gate.command) : programProblem(gate.command, directory, brought);
}

function foreignProblem(command: readonly string[]): string | null {
  const isText = command.length === 1 && command[0]?.trim() !== "" && !command[0]?.includes("\0");
  return isText ? null : "a foreign command is one text that a shell reads";
}

async function runGate(gate: GateCommand, setting: Setting): Promise<CommandResult> {
  const { directory, brought } = setting;
  const tail = new OutputTail(Math.min(SHOWN, gate.outputLimit));
  let excess: Excess | null = null;
  const writer = { directory, except: [...setting.hidden, join(directory, ".git")], since: Date.now() };
  const watch = new LimitWatch(gate, writer, (found) => {
    excess = found;
    started.stop();
  });
  const plain = plainProgram(gate, setting, (chunk) => tail.add(chunk));
  const held = hold(gate, setting, plain, watch);
  const clear = held === null ? linkFolders(brought) : () => removePlaces(brought);
  const started = held === null ? startWatched(plain, watch) : startProgram(held.program);
  watch.start();
  const stop = (): void => started.stop();
  gate.signal.addEventListener("abort", stop, { once: true });
  const ended = await started.ended;
  gate.signal.removeEventListener("abort", stop);
  excess ??= await watch.end();
  clear();
  const end = held?.hasBegun() === false && ended.end === "exited" ? "could-not-start" : endOf(ended.end, excess);
  return {
    end,
    exitCode: end === "exited" ? ended.exitCode : null,
    output: ended.problem ?? tail.text(),
    milliseconds: Math.round(ended.milliseconds),
    sandbox: describeSandbox(setting.sandbox, brought.length + setting.toolchains.length > 0),
  };
}

function startWatched(plain: Program, watch: LimitWatch): RunningProgram {
  const started = startProgram(plain);
  if (started.pid !== null && HAS_PROCESS_TABLE) watch.lookAt(galleryBelow(started.pid));
  return started;
}

/** How much of the end of its output a gate shows. */
const SHOWN = 64 * 1024;

function plainProgram(gate: GateCommand, setting: Setting, onOutput: (chunk: Buffer) => void): Program {
  return {
    attempt: gate.id,
    folder: gate.directory,
    // The directory is somebody's work: the marks in the environment have to do.
    hasMarker: false,
    command: setting.command,
    directory: setting.directory,
    environment: { ...cleanEnvironment(gate.inherit), ...gate.environment },
    input: "",
    timeout: gate.timeout,
    outputLimit: gate.outputLimit,
    hasAnswer: false,
    onOutput,
  };
}

function hold(gate: GateCommand, setting: Setting, plain: Program, watch: LimitWatch): HeldProgram | null {
  const { sandbox, directory, brought, hidden } = setting;
  if (!("program" in sandbox)) return null;
  const { HOME: _home, TMPDIR: _folder, ...environment } = cleanEnvironment(gate.inherit);
  const program = { ...plain, environment: { ...environment, ...gate.environment } };
  const layerSize = Math.min(gate.disk, gate.memory);
  const passing = canTellSize(sandbox.version) ? layerSize : null;
  const layers = "why" in sandbox.layers ? null : sandbox.layers;
  const seen = brought.map(({ from, to }) => ({ from, without: [], to: [to] }));
  // What makes a layer also hides the secrets in such a folder: without layers it is not shown.
  const toolchains = layers === null ? [] : setting.toolchains;
  const view = { directory, toolchains, brought: seen, layers, hidden, network: gate.network, passing };
  const [layeredPlace = null] = layeredFolders(view).flatMap(({ to }) => to);
  return holdProgram(sandbox.program, { ...gate, program, view, layerSize }, (first) =>
    watch.lookAt(galleryOfSandbox(first, layeredPlace)),
  );
}

/** Since 0.7. */
function canTellSize([major = 0, minor = 0]: readonly number[]): boolean {
  return major > 0 || minor >= 7;
}

/** What was stopped by us for using too much has that as its end; what the kernel stopped at the limit too. */
function endOf(end: CommandEnd | "dismissed", excess: Excess | null): CommandEnd {
  if (excess !== null && (end === "stopped" || end === "exited")) return excess;
  return end === "dismissed" ? "exited" : end;
}

/** Told before anything starts, because a shell in the sandbox could only end with 127, as any program can. */
function programProblem(
  command: readonly string[],
  directory: string,
  brought: readonly CheckedFolder[],
): string | null {
  const [name] = command;
  if (name === undefined || name === "") return "no program is named";
  if (command.some((part) => part.includes("\0"))) return "the command holds a NUL character";
  if (process.platform === "win32") return null;
  const places = name.includes("/")
    ? [placeBefore(resolve(directory, name), brought)]
    : trustedFolders().map((folder) => join(folder, name));
  if (places.some((place) => hasAccess(place, constants.X_OK))) return null;
  return places.some((place) => hasAccess(place, constants.F_OK))
    ? `the program ${name} may not be executed`
    : `the program ${name} was not found`;
}

function hasAccess(place: string, mode: number): boolean {
  try {
    accessSync(place, mode);
    return true;
  } catch {
    return false;
  }
}

const hasFilter = systemCallFilter(process.arch) !== null;

function describeSandbox(sandbox: Bubblewrap, hasFolders: boolean): string {
  if ("program" in sandbox) {
    const filter = hasFilter ? "" : `; ${process.arch} has no filter of system calls`;
    const layers =
      hasFolders && "why" in sandbox.layers
        ? `; folders from outside are read-only, sockets in them can be reached, and toolchains are not shown (${sandbox.layers.why})`
        : "";
    return `bubblewrap${filter}${layers}`;
  }
  const watched = HAS_PROCESS_TABLE ? "; memory, processes and disk were watched" : "; the disk was watched";
  return `none: ${sandbox.why}. Time and output were limited${watched}; files and network were open to it`;
}

function neverRan(end: CommandEnd, output: string, sandbox: string): CommandResult {
  return { end, exitCode: null, output, milliseconds: 0, sandbox };
}
