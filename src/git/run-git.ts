import { spawn } from "node:child_process";
import type { Buffer } from "node:buffer";

/** One call of git. Whatever it is asked about, it starts no other program and reaches no other machine. */
export interface GitCall {
  readonly args: readonly string[];
  readonly directory: string;
  /** Undefined takes a variable away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Takes the output as it comes; without it, it is collected. */
  readonly onOutput?: (chunk: Buffer) => void;
}

export interface GitAnswer {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

export type Git = (call: GitCall) => Promise<GitAnswer>;

/**
 * `core.fsmonitor`, hooks, transports, lazy fetches and replaced objects are ways in which a repository, and so
 * whoever wrote into it, could have our calls do something else than look.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  LC_ALL: "C",
};
const HARMLESS_OPTIONS = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"];

const LONGEST = 120_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** `environment` is all that a call gets besides: PATH, HOME. */
export function gitWith(environment: Readonly<Record<string, string>>): Git {
  return (call) =>
    new Promise((resolve, reject) => {
      const child = spawn("git", [...HARMLESS_OPTIONS, ...call.args], {
        cwd: call.directory,
        env: { ...environment, ...HARMLESS, ...call.environment },
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      });
      // Not spawn's own: that one goes on when the program could not be started.
      const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST);
      const output = collect(call.onOutput);
      const complaint = collect(undefined);
      child.stdout.on("data", (chunk: Buffer) => {
        if (!output.add(chunk)) child.kill("SIGKILL");
      });
      child.stderr.on("data", (chunk: Buffer) => void complaint.add(chunk));
      child.stdin.on("error", () => undefined);
      child.stdin.end(call.input ?? "");
      child.on("error", (error) => {
        clearTimeout(timer);
        reject(gitProblem(error));
      });
      child.on("close", (code) => {
        clearTimeout(timer);
        resolve({ code: code ?? 255, output: output.text(), complaint: complaint.text() });
      });
    });
}

/** The output, where git must have succeeded. */
export async function answerOf(git: Git, call: GitCall): Promise<string> {
  const { code, output, complaint } = await git(call);
  if (code === 0) return output;
  const [first = "no reason given"] = complaint.trim().split("\n");
  throw new Error(`git ${call.args[0] ?? ""} failed: ${first}`);
}

function collect(onOutput: ((chunk: Buffer) => void) | undefined): {
  add(chunk: Buffer): boolean;
  text(): string;
} {
  const chunks: string[] = [];
  const decoder = new TextDecoder();
  let size = 0;
  return {
    add(chunk) {
      if (onOutput !== undefined) {
        onOutput(chunk);
        return true;
      }
      size += chunk.length;
      if (size <= MOST_OUTPUT) chunks.push(decoder.decode(chunk, { stream: true }));
      return size <= MOST_OUTPUT;
    },
    text: () => chunks.join("") + decoder.decode(),
  };
}

function gitProblem(error: Error): Error {
  const missing = "code" in error && error.code === "ENOENT";
  return missing ? new Error("git was not found: install it, or see that PATH leads to it", { cause: error }) : error;
}
