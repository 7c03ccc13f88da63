import { existsSync, mkdirSync, rmSync } from "node:fs";
import type { AgentJob, AgentReport, AgentSession, AgentUpdate } from "../ports/agent.ts";
import { LineSplitter, OutputTail } from "./process-group/program-output.ts";
import {
  startProgram,
  type OutputStream,
  type ProgramEnd,
  type RunningProgram,
} from "./process-group/start-program.ts";
import { refuseJob, reportEnd, type ClientReport, EMPTY_CLIENT_REPORT } from "./report-end.ts";
import { WatchedLines } from "./watched-lines.ts";
import { isRecord } from "../shared/json-value.ts";

/** How one kind of client is started. */
export interface ClientInvocation {
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
  hear(chunk: Buffer, from: Exclude<OutputStream, "stderr">): void;
  /** All has been heard. */
  report(ended: ProgramEnd): Omit<ClientReport, "lastError">;
}

/** Runs a client from its start to its report: what all kinds of agents have in common. */
export function runClient(
  job: AgentJob,
  watch: (update: AgentUpdate) => void,
  prepare: () => ClientInvocation,
  listen: (lines: WatchedLines, program: () => RunningProgram | null) => Listener,
): AgentSession {
  const lines = new WatchedLines(watch);
  let running: RunningProgram | null = null;
  let invocation: ClientInvocation;
  try {
    if (!existsSync(job.scratch)) mkdirSync(job.scratch);
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
  const ended = reportOf(program, listener, errors, lines).finally(() => removeFolders(invocation.temporary ?? []));
  return {
    ended,
    stop: () => program.stop(),
    pause: () => program.pause(),
    resume: () => program.resume(),
  };
}

async function reportOf(
  program: RunningProgram,
  listener: Listener,
  errors: ErrorLines,
  lines: WatchedLines,
): Promise<AgentReport> {
  const ended: ProgramEnd = await program.ended;
  const lastError = errors.end();
  const report = listener.report(ended);
  lines.end();
  return reportEnd(ended, { ...report, lastError });
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

const MAX_LINE = 16_384;

/** Node ends the story of a crash with its version. */
const NODE_FAREWELL = /^Node\.js v\d/;
const ERROR_LINE = /^(?:Uncaught )?\w*(?:Error|Exception)\b/;
const STACK_FRAME = /^\s+at\s/;
const MAX_LINES = 3;
const MAX_SHOWN = 300;

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
    }, MAX_LINE);
  }

  hear(chunk: Buffer): void {
    this.#splitter.add(chunk);
  }

  end(): string | null {
    this.#splitter.end();
    const isCrash = this.#error.length > 0 && NODE_FAREWELL.test(this.#last.at(-1) ?? "");
    const shown = isCrash ? this.#error : this.#last;
    return shown.length === 0 ? null : shown.map((line) => line.slice(0, MAX_SHOWN)).join(" / ");
  }

  #keep(line: string): void {
    const text = line.trim();
    if (STACK_FRAME.test(line)) this.#isTold = true;
    else if (text !== "") this.#last = [...this.#last, text].slice(-MAX_LINES);
    if (ERROR_LINE.test(text)) {
      this.#error = [text];
      this.#isTold = false;
    } else if (!this.#isTold && text !== "") {
      const [first = "", ...rest] = this.#error;
      this.#error = [first, ...[...rest, text].slice(1 - MAX_LINES)];
    }
  }
}

const MAX_ANSWER = 4 << 20;
const MAX_ANSWER_LINE = 16_384;

/** For programs of our own, which answer on file descriptor 3 with `{ message }` or `{ problem }`. */
export function readBuiltinAnswer(lines: WatchedLines, who: string): Listener {
  const answer = new OutputTail(MAX_ANSWER);
  const splitter = new LineSplitter((line) => lines.tell(line), MAX_ANSWER_LINE);
  return {
    hear: (chunk, from) => (from === "answer" ? answer.add(chunk) : splitter.add(chunk)),
    report(ended) {
      splitter.end();
      const text = answer.text();
      if (text !== "") return readAnswer(text, who);
      // A program that failed has explained it on its error output.
      return ended.exitCode === 0 ? { ...EMPTY_CLIENT_REPORT, problem: `${who} gave no answer` } : EMPTY_CLIENT_REPORT;
    },
  };
}

function readAnswer(text: string, who: string): Omit<ClientReport, "lastError"> {
  const answer = parse(text);
  if (!isRecord(answer)) return { ...EMPTY_CLIENT_REPORT, problem: `${who} gave an answer that cannot be read` };
  const { message, problem, tokens, money } = answer;
  if (typeof problem === "string") return { ...EMPTY_CLIENT_REPORT, problem };
  if (typeof message !== "string") return { ...EMPTY_CLIENT_REPORT, problem: `${who} gave no message` };
  return { ...EMPTY_CLIENT_REPORT, lastMessage: message, tokens: amount(tokens), money: amount(money) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
