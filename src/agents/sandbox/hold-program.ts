import { readFileSync, writeFileSync } from "node:fs";
import { release, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcesses } from "../process-group/end-processes.ts";
import { type Leader, attemptMarkOf } from "../process-group/marker-file.ts";
import { readProcess, readProcessTable } from "../process-group/process-table.ts";
import type { Holder, Program } from "../process-group/start-program.ts";
import { capProcesses, type ProcessCap } from "./cap-processes.ts";
import { NAMESPACES } from "./find-bubblewrap.ts";
import { layeredCommand } from "./layered-folders.ts";
import { HOME, layeredFolders, type View, viewArguments } from "./sandbox-view.ts";
import { systemCallFilter } from "./system-call-filter.ts";
import { THREADS_A_PROCESS } from "./watch-limits.ts";

/** What is to be run in the sandbox, and how much of everything it may have. */
interface Held {
  readonly program: Program;
  readonly view: View;
  readonly processes: number;
  readonly disk: number;
  /** Bytes that may be written into layers, all together. */
  readonly layerSize: number;
}

export interface HeldProgram {
  readonly program: Program;
  /** Whether the sandbox stood: what was to be run in it has begun. */
  hasBegun(): boolean;
}

/**
 * The same program, held by bubblewrap. Its first process there is known to us: when that is killed, the kernel
 * ends all others, and it is gone only after them.
 */
export function holdProgram(bubblewrap: string, held: Held, whenStarted: (first: number) => void): HeldProgram {
  const { program } = held;
  const filter = systemCallFilter(process.arch);
  const threads = held.processes * THREADS_A_PROCESS;
  const first = new FirstProcess(filter !== null, threads, whenStarted);
  const given = [
    argumentBytes(held),
    ...(filter === null ? [] : [filter]),
    first.bound.then(() => Buffer.from("go\n")),
  ];
  const holder: Holder = {
    onStatus: (chunk) => first.hear(chunk),
    given,
    endAll: async (leader) => {
      const unending = await endHeld(first, leader, attemptMarkOf(program.attempt, program.folder));
      first.cap?.remove();
      return unending;
    },
  };
  const options = ["--json-status-fd", "3", "--args", "4", ...(filter === null ? [] : ["--seccomp", "5"])];
  const start = startScript(3 + given.length);
  const limits = [Math.floor(held.disk / 512), threads].map(String);
  const inside = ["/bin/sh", "-c", start, "sh", ...limits, ...program.command];
  const command = withLayers(held, [bubblewrap, ...options, "--", ...inside]);
  // What the gate is given must not reach bubblewrap itself, which is not held by anybody.
  return { program: { ...program, command, environment: {}, holder }, hasBegun: () => first.hasBegun };
}

function withLayers({ view, layerSize }: Held, command: readonly string[]): readonly string[] {
  const folders = layeredFolders(view);
  if (view.layers === null || folders.length === 0) return command;
  return layeredCommand(view.layers, folders, layerSize, command);
}

/**
 * Waits for the signal to start, and exits if this process is gone before it: until then no one would end it. Then
 * come the limits of the kernel: no core dumps, size of a file in blocks of 512 bytes, number of threads, which shells call
 * by two names.
 */
function startScript(descriptor: number): string {
  const threads = countsInSandbox() ? 'ulimit -u "$2" 2>/dev/null || ulimit -p "$2" 2>/dev/null;' : "";
  return `read -r go <&${descriptor} || exit 125; ulimit -c 0; ulimit -f "$1"; ${threads} shift 2; exec "$@" ${descriptor}<&-`;
}

/** Since 5.14 the kernel counts the processes of a user by namespace; before, all that the operator has would count. */
function countsInSandbox(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** Not on the command line, where everybody on the machine could read the environment. */
function argumentBytes({ program, view }: Held): Buffer {
  const environment = { HOME, TMPDIR: "/tmp", ...program.environment };
  const parts = [
    ...NAMESPACES,
    ...(view.network ? [] : ["--unshare-net"]),
    ...viewArguments(view),
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
  return Buffer.from(parts.map((part) => `${part}\0`).join(""));
}

/** How long the news of the first process may lag behind the end of bubblewrap. */
const LAG = 200;
const HOPELESS = 10_000;

async function endHeld(first: FirstProcess, leader: Leader, mark: string): Promise<number[]> {
  await Promise.race([first.known, sleep(LAG, undefined, { ref: false })]);
  if (first.pid === null) return await endProcesses(mark, leader, 0);
  const deadline = performance.now() + HOPELESS;
  if (first.isLiving()) hurry(first.pid);
  while (first.isLiving()) {
    kill(first.pid);
    if (performance.now() > deadline) return [first.pid];
    await sleep(1);
  }
  return [];
}

/** The first process of the sandbox, as bubblewrap tells of it. */
class FirstProcess {
  pid: number | null = null;
  hasBegun = false;
  readonly known: Promise<void>;
  /** From when it ends with bubblewrap, and bubblewrap with us, however we end. */
  readonly bound: Promise<void>;
  cap: ProcessCap | null = null;
  readonly #hasFilter: boolean;
  readonly #threads: number;
  #taken: Promise<void> = Promise.resolve();
  readonly #whenStarted: (first: number) => void;
  #tell: () => void = () => undefined;
  #startTime: string | null = null;
  #text = "";

  constructor(hasFilter: boolean, threads: number, whenStarted: (first: number) => void) {
    this.#hasFilter = hasFilter;
    this.#threads = threads;
    this.#whenStarted = whenStarted;
    this.known = new Promise((resolve) => (this.#tell = resolve));
    this.bound = this.known.then(() => this.#untilBound()).then(() => this.#untilCapped());
  }

  hear(chunk: Buffer): void {
    if (this.#text.length > 4096) return;
    this.#text += chunk.toString("latin1");
    this.hasBegun ||= /"exit-code"/.test(this.#text);
    const pid = /"child-pid": *(\d+)/.exec(this.#text)?.[1];
    if (pid !== undefined && this.pid === null) this.#meet(Number(pid));
  }

  #meet(pid: number): void {
    this.pid = pid;
    this.#startTime = readProcess(pid)?.startTime ?? null;
    sacrifice(pid);
    // While the sandbox is being built.
    this.cap = capProcesses(this.#threads);
    this.#taken = this.cap?.take(pid) ?? this.#taken;
    this.#tell();
    this.#whenStarted(pid);
  }

  /** It asks to end with its parent before it takes the filter, and whether it has taken that can be seen. */
  async #untilBound(): Promise<void> {
    while (this.#hasFilter && this.isLiving() && !/^Seccomp:\s+2$/m.test(statusOf(this.pid))) await sleep(1);
  }

  /** With its only child, which waits for our word; whatever it starts from now on is under the cap anyway. */
  async #untilCapped(): Promise<void> {
    await this.#taken;
    if (this.cap !== null && this.pid !== null && this.isLiving())
      for (const pid of childrenOf(this.pid)) await this.cap.take(pid);
  }

  /** Its number may be another's by now. */
  isLiving(): boolean {
    return this.pid !== null && this.#startTime !== null && readProcess(this.pid)?.startTime === this.#startTime;
  }
}

function statusOf(pid: number | null): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    return "";
  }
}

/** Not every kernel keeps a list of them. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    return readProcessTable().flatMap((row) => (row.parent === pid ? [row.pid] : []));
  }
}

/** Who is to die has to get its turn for it, also among thousands of its own kind; only root can see to that. */
function hurry(pid: number): void {
  try {
    setPriority(pid, -20);
  } catch {
    // It has ended already, or is not ours to hurry: then there are not thousands.
  }
}

/** When memory runs out, the kernel is to take the gate and not what the operator is working with. */
function sacrifice(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "900");
  } catch {
    // It has ended already.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
