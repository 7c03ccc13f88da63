import { mkdirSync, rmSync } from "node:fs";
import type { AgentJob, AgentReport, AgentSession, AgentUpdate } from "../ports/agent.ts";
import { LineSplitter } from "./process-group/line-splitter.ts";
import { startProgram } from "./process-group/start-program.ts";
import type { Output, ProgramEnd, RunningProgram } from "./process-group/start-program.ts";
import { refuseJob, reportEnd } from "./report-end.ts";
import type { Told } from "./report-end.ts";
import { WatchedLines } from "./watched-lines.ts";

/** How one kind of client is started. */
export interface Invocation {
  readonly command: readonly string[];
  /** All of it but what the job adds. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null leaves the input open. */
  readonly input: string | null;
  readonly hasAnswer?: boolean;
  /** Folders outside the scratch folder that go with the attempt. */
  readonly temporary?: readonly string[];
}

/** Makes sense of what a client prints. */
export interface Listener {
  /** A chunk of its output, errors excepted. */
  hear(chunk: Buffer, from: Exclude<Output, "stderr">): void;
  /** All has been heard. */
  told(ended: ProgramEnd): Omit<Told, "lastError">;
}

/** Runs a client from its start to its report: what all kinds of agents have in common. */
export function runClient(
  job: AgentJob,
  watch: (update: AgentUpdate) => void,
  prepare: () => Invocation,
  listen: (lines: WatchedLines, program: () => RunningProgram | null) => Listener,
): AgentSession {
  const lines = new WatchedLines(watch);
  let running: RunningProgram | null = null;
  let invocation: Invocation;
  try {
    mkdirSync(job.scratch, { recursive: true });
    invocation = prepare();
  } catch (error) {
    return refuseJob(error instanceof Error ? error.message : String(error));
  }
  const listener = listen(lines, () => running);
  const errors = new ErrorLines(lines);
  const program = startProgram({
    attempt: job.attempt,
    folder: job.scratch,
    hasMarker: true,
    command: invocation.command,
    directory: job.workspace,
    environment: { ...invocation.environment, ...job.environment },
    input: invocation.input,
    timeout: job.timeout,
    outputLimit: job.outputLimit,
    hasAnswer: invocation.hasAnswer ?? false,
    onOutput: (chunk, from) => (from === "stderr" ? errors.hear(chunk) : listener.hear(chunk, from)),
  });
  running = program;
  const ended = report(program, listener, errors, lines).finally(() => removeFolders(invocation.temporary ?? []));
  return { ended, stop: () => program.stop() };
}

async function report(
  program: RunningProgram,
  listener: Listener,
  errors: ErrorLines,
  lines: WatchedLines,
): Promise<AgentReport> {
  const ended: ProgramEnd = await program.ended;
  const lastError = errors.end();
  const told = listener.told(ended);
  lines.end();
  return reportEnd(ended, { ...told, lastError });
}

/** What cannot be removed is rubbish, and no reason to fail. */
function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      continue;
    }
  }
}

const LONGEST_LINE = 16_384;

/** Node ends the story of a crash with its version. */
const NODE_FAREWELL = /^Node\.js v\d/;
const ERROR_LINE = /^(?:Uncaught )?\w*(?:Error|Exception)\b/;
const STACK_FRAME = /^\s+at\s/;
const MOST_LINES = 3;
const LONGEST_SHOWN = 300;

/**
 * Error output: told as it comes, and its last lines kept, for they say why. Of a crash of Node's it is what the error
 * says, up to the stack: after that comes nothing but details.
 */
class ErrorLines {
  #last: string[] = [];
  /** The first line of an error, and the last ones of what else it says. */
  #error: string[] = [];
  #isTold = true;
  readonly #splitter: LineSplitter;

  constructor(lines: WatchedLines) {
    this.#splitter = new LineSplitter((line) => {
      lines.tell(line);
      this.#keep(line);
    }, LONGEST_LINE);
  }

  hear(chunk: Buffer): void {
    this.#splitter.add(chunk);
  }

  end(): string | null {
    this.#splitter.end();
    const isCrash = this.#error.length > 0 && NODE_FAREWELL.test(this.#last.at(-1) ?? "");
    const shown = isCrash ? this.#error : this.#last;
    return shown.length === 0 ? null : shown.map((line) => line.slice(0, LONGEST_SHOWN)).join(" / ");
  }

  #keep(line: string): void {
    const text = line.trim();
    if (STACK_FRAME.test(line)) this.#isTold = true;
    else if (text !== "") this.#last = [...this.#last, text].slice(-MOST_LINES);
    if (ERROR_LINE.test(text)) {
      this.#error = [text];
      this.#isTold = false;
    } else if (!this.#isTold && text !== "") {
      const [first = "", ...rest] = this.#error;
      this.#error = [first, ...[...rest, text].slice(1 - MOST_LINES)];
    }
  }
}
