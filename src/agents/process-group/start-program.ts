import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcesses, holdProcesses } from "./end-processes.ts";
import { limitTagOf, taggedCommand } from "./limit-tag.ts";
import { describeLeader, writeMarker, markedEnvironment, attemptMarkOf, noteAlive } from "./marker-file.ts";
import { forgetAttempt, watchAttempt } from "./watchdog.ts";
import type { Leader } from "./marker-file.ts";

/** A program to be run in a process group of its own, to its end and without survivors. */
export interface Program {
  readonly attempt: string;
  /** Part of the mark of its processes. */
  readonly folder: string;
  /** Whether `attempt.json` is written into the folder. */
  readonly hasMarker: boolean;
  readonly command: readonly string[];
  readonly directory: string;
  /** All of it but the marks. */
  readonly environment: Readonly<Record<string, string>>;
  /** Given and then closed; null leaves it open for `write`. */
  readonly input: string | null;
  readonly timeout: number;
  /** Most bytes it may print on all its outputs together. */
  readonly outputLimit: number;
  /** Whether it is given file descriptor 3 to answer on. */
  readonly hasAnswer: boolean;
  readonly onOutput: (chunk: Buffer, from: OutputStream) => void;
  /** For a program that holds another one, as a sandbox does. */
  readonly holder?: Holder;
}

/** How a program is spoken to that holds the one we mean, and how all that it holds is ended. */
export interface Holder {
  /** What it tells on file descriptor 3; no output. */
  readonly onStatus: (chunk: Buffer) => void;
  /** Given on the file descriptors from 4 on, each as soon as it is there, and closed after it. */
  readonly given: readonly (Buffer | Promise<Buffer>)[];
  /** In place of the search by marks. Returns what could not be ended. */
  readonly endAll: (leader: Leader) => Promise<number[]>;
}

/** `answer` is file descriptor 3, for programs of our own. */
export type OutputStream = "stdout" | "stderr" | "answer";
const OUTPUTS: readonly (readonly [number, OutputStream])[] = [
  [1, "stdout"],
  [2, "stderr"],
  [3, "answer"],
];

export interface RunningProgram {
  /** Null when it could not start. */
  readonly pid: number | null;
  /** Never rejects. When it has resolved, no process of the program is left. */
  readonly ended: Promise<ProgramEnd>;
  write(text: string): void;
  /** Its work is done: it may leave by itself, is soon asked to, and then made to. */
  dismiss(): void;
  stop(): void;
  /** Holds all its processes; its time stands still. */
  pause(): void;
  resume(): void;
}

export interface ProgramEnd {
  readonly end: "exited" | "dismissed" | "timed-out" | "flooded" | "could-not-start" | "stopped";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** There is no such program. */
  readonly isMissing?: true;
  /** Why it could not start. */
  readonly problem: string | null;
  readonly milliseconds: number;
  /** Processes that hang in the kernel and could not be ended; as a rule none. */
  readonly unending: readonly number[];
}

/** The longest time a timer takes; more would fire at once. */
const MAX_TIMER = 2 ** 31 - 1;
/** Output that was printed is in the pipe when the last process has gone; this is for a kernel that thinks otherwise. */
const DRAIN = 1000;
/** How often it is noted that an attempt is at work. */
const PULSE = 5000;
/** For a client that puts its session away when its input ends. */
const FAREWELL = 500;

export function startProgram(program: Program): RunningProgram {
  const started = performance.now();
  try {
    const child = spawnGroup(program);
    if (child.pid !== undefined) return watchGroup(program, child, child.pid, started);
    forgetAttempt(markOf(program));
    const refused = new Promise<ProgramEnd>((resolve) => {
      child.once("error", (error) => resolve(couldNotStart(program, error, started)));
    });
    return neverRan(refused);
  } catch (error) {
    forgetAttempt(markOf(program));
    return neverRan(Promise.resolve(couldNotStart(program, error, started)));
  }
}

function spawnGroup(program: Program): ChildProcess {
  if ((program.command[0] ?? "") === "") throw new Error("no program is named");
  if (!statSync(program.directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`there is no directory ${program.directory}`);
  }
  const { directory, environment } = program;
  const [name = "", ...parameters] = taggedCommand(program.command, tagOf(program), {
    directory,
    path: environment["PATH"] ?? "",
  });
  const mark = markOf(program);
  // Known before it starts: between the two this process could be killed.
  watchAttempt({ mark, leader: null });
  return spawn(name, parameters, {
    cwd: program.directory,
    env: { ...program.environment, ...markedEnvironment(program.attempt, mark) },
    detached: true,
    stdio: Array.from({ length: descriptorsOf(program) }, () => "pipe" as const),
    windowsHide: true,
  });
}

function markOf({ attempt, folder }: Program): string {
  return attemptMarkOf(attempt, folder);
}

function tagOf(program: Program): string | null {
  return limitTagOf(markOf(program));
}

function descriptorsOf({ hasAnswer, holder }: Program): number {
  if (holder !== undefined) return 4 + holder.given.length;
  return hasAnswer ? 4 : 3;
}

function speakToHolder(holder: Holder, child: ChildProcess): void {
  const status = readableAt(child, 3);
  status?.on("error", nothing);
  status?.on("data", holder.onStatus);
  for (const [index, bytes] of holder.given.entries()) {
    const stream = child.stdio[4 + index];
    if (stream === null || stream === undefined || !("write" in stream)) continue;
    stream.on("error", nothing);
    void Promise.resolve(bytes).then((all) => stream.end(all));
    readableAt(child, 4 + index)?.resume();
  }
}

function watchGroup(program: Program, child: ChildProcess, pid: number, started: number): RunningProgram {
  const mark = markOf(program);
  const leader = describeLeader(program.attempt, pid, program.folder, tagOf(program));
  const markerProblem = program.hasMarker ? tryToMark(program.folder, leader) : null;
  watchAttempt({ mark, leader });
  const pulse = setInterval(() => program.hasMarker && noteAlive(program.folder), PULSE).unref();
  const input = child.stdin;
  // A program may close its input before it has read all of it.
  input?.on("error", nothing);
  child.on("error", nothing);

  let cause: ProgramEnd["end"] | null = markerProblem === null ? null : "could-not-start";
  let ending: Promise<number[]> | null = null;
  const clock = new Timeout(program.timeout, () => endBecauseOf("timed-out"));
  let isHeld = false;
  // One that is held cannot leave by itself.
  const endOnce = program.holder?.endAll ?? ((first) => endProcesses(mark, first, isHeld ? 0 : undefined));
  const endAll = (): Promise<number[]> => (ending ??= endOnce(leader));
  const endBecauseOf = (why: ProgramEnd["end"]): void => {
    // Too much is too much, also when the last of it is read after the program has gone.
    if (cause === null || (cause === "exited" && why === "flooded")) cause = why;
    void endAll();
  };

  if (program.holder !== undefined) speakToHolder(program.holder, child);
  readOutputs(program, child, () => endBecauseOf("flooded"));
  clock.resume();
  const exit = exitOf(child).then(async (how) => {
    clock.pause();
    cause ??= "exited";
    await (ending ?? Promise.resolve());
    // Looked for once more after the leader has gone: what it left behind belongs to the attempt too.
    ending = null;
    const unending = await endAll();
    await drained(child);
    clearInterval(pulse);
    if (program.hasMarker) noteAlive(program.folder);
    forgetAttempt(mark);
    return { end: cause, ...how, problem: markerProblem, milliseconds: performance.now() - started, unending };
  });
  if (markerProblem !== null) void endAll();
  if (program.input !== null) input?.end(program.input);
  return {
    pid,
    ended: exit,
    write: (text) => void (input?.writable === true && input.write(text)),
    dismiss: () => {
      input?.end();
      cause ??= "dismissed";
      setTimeout(() => void endAll(), FAREWELL).unref();
    },
    stop: () => endBecauseOf("stopped"),
    pause: () => {
      if (cause !== null || isHeld) return;
      isHeld = true;
      clock.pause();
      holdProcesses(mark, leader, true);
    },
    resume: () => {
      if (cause !== null || !isHeld) return;
      isHeld = false;
      holdProcesses(mark, leader, false);
      clock.resume();
    },
  };
}

/** Time that passes only while it is not paused; it is at the beginning. */
class Timeout {
  readonly #end: () => void;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(time: number, end: () => void) {
    this.#left = time;
    this.#end = end;
  }

  pause(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
  }

  resume(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(this.#end, Math.min(this.#left, MAX_TIMER));
  }
}

function tryToMark(folder: string, leader: Leader): string | null {
  try {
    writeMarker(folder, leader);
    return null;
  } catch (error) {
    return `the marker of the attempt cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Beyond the limit nothing is kept nor handed on, so a flood costs no memory while its makers are ended. */
function readOutputs(program: Program, child: ChildProcess, flooded: () => void): void {
  let room = program.outputLimit;
  for (const [descriptor, from] of OUTPUTS) {
    if (from === "answer" && !program.hasAnswer) continue;
    const stream = readableAt(child, descriptor);
    stream?.on("error", nothing);
    stream?.on("data", (chunk: Buffer) => {
      if (room < 0) return;
      const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
      room -= chunk.length;
      if (kept.length > 0) program.onOutput(kept, from);
      if (room < 0) flooded();
    });
  }
}

function readableAt(child: ChildProcess, descriptor: number): Readable | null {
  const stream: Readable | Writable | null | undefined = child.stdio[descriptor];
  return stream !== null && stream !== undefined && "read" in stream ? stream : null;
}

function exitOf(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

/** All that was printed has been read. */
async function drained(child: ChildProcess): Promise<void> {
  const streams = OUTPUTS.map(([descriptor]) => readableAt(child, descriptor)).filter((stream) => stream !== null);
  const closed = streams.map((stream) =>
    stream.closed ? Promise.resolve() : new Promise<void>((resolve) => void stream.once("close", resolve)),
  );
  const timeout = new AbortController();
  const impatient = sleep(DRAIN, undefined, { signal: timeout.signal }).catch(nothing);
  await Promise.race([Promise.all(closed), impatient]);
  timeout.abort();
  for (const stream of streams) stream.destroy();
  child.stdin?.destroy();
}

function neverRan(ended: Promise<ProgramEnd>): RunningProgram {
  return { pid: null, ended, write: nothing, dismiss: nothing, stop: nothing, pause: nothing, resume: nothing };
}

function couldNotStart(program: Program, error: unknown, started: number): ProgramEnd {
  const name = program.command[0] ?? "";
  return {
    end: "could-not-start",
    exitCode: null,
    signal: null,
    problem: describeStartProblem(name, error),
    // The system says the same of a directory that is gone, and that one may come back.
    ...(codeOf(error) === "ENOENT" && existsSync(program.directory) && { isMissing: true }),
    milliseconds: performance.now() - started,
    unending: [],
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function describeStartProblem(name: string, error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return `the program ${name} was not found`;
  if (code === "EACCES") return `the program ${name} may not be executed`;
  if (code === "E2BIG") return `the program ${name} was given more text on its command line than the system allows`;
  return `the program ${name} could not be started: ${error instanceof Error ? error.message : String(error)}`;
}

function nothing(): void {}
