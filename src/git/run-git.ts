import { type ChildProcess, spawn } from "node:child_process";
import type { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { findGit } from "./find-git.ts";

/** One call of git, without a shell. Every call of Baton goes through here, so all are hardened alike. */
export interface GitCall {
  readonly args: readonly string[];
  readonly directory: string;
  /** Added to the environment; undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** The only transport to other repositories that this call may use; none unless given. */
  readonly protocol?: "file" | "http" | "https";
  /** Receives the output in chunks; without it, the output is collected. */
  readonly onOutput?: (chunk: Buffer) => void;
}

export interface GitAnswer {
  /** 255 when git was killed. */
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

export type Git = (call: GitCall) => Promise<GitAnswer>;

interface GitOptions {
  /** All that git gets besides: usually PATH and HOME. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Whether the operator's own settings (`~/.gitconfig`, `/etc/gitconfig`) apply. Checking files out needs them:
   * line endings, ignored files and filters such as LFS are set there. Otherwise no settings but the repository's
   * are read.
   */
  readonly operatorSettings?: boolean;
  /** More settings, `["core.fsync", "committed"]`. */
  readonly settings?: readonly (readonly [string, string])[];
  /** Milliseconds after which git is killed; null for never. */
  readonly timeout?: number | null;
  /** Aborted when no answer is waited for any more: git is killed. */
  readonly signal?: AbortSignal;
}

/** Environment of a call that must not read the operator's settings although its `Git` does. */
export const NO_OPERATOR_SETTINGS: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
};

/** Environment of a call that reads the operator's settings although its `Git` does not. */
export const OPERATOR_SETTINGS: Readonly<Record<string, undefined>> = {
  GIT_CONFIG_NOSYSTEM: undefined,
  GIT_CONFIG_GLOBAL: undefined,
};

/**
 * A repository, and so anyone who can write into it, could use hooks, `core.fsmonitor`, transports, lazy fetches,
 * replaced objects or background maintenance to make our calls run programs or show other content.
 */
const HARDENED_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  LC_ALL: "C",
};
const HARDENED_SETTINGS = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.alternateRefsCommand", "true"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
] as const;

const DEFAULT_TIMEOUT = 120_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

export function gitWith(options: GitOptions): Git {
  const settings = [...HARDENED_SETTINGS, ...(options.settings ?? [])];
  const leading = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const environment = {
    ...options.environment,
    ...HARDENED_ENVIRONMENT,
    ...(options.operatorSettings === true ? {} : NO_OPERATOR_SETTINGS),
  };
  const timeout = options.timeout === undefined ? DEFAULT_TIMEOUT : options.timeout;
  return (call) => {
    const { program, path } = findGit(options.environment["PATH"] ?? DEFAULT_PATH, call.directory);
    if (program === null) return Promise.reject(startError(call.directory, NOT_FOUND));
    const own = { PATH: path, GIT_ALLOW_PROTOCOL: call.protocol ?? "none" };
    return collectAnswer(
      spawn(program, [...leading, ...call.args], {
        cwd: call.directory,
        env: { ...environment, ...own, ...call.environment },
        stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        windowsHide: true,
        ...(options.signal !== undefined && { signal: options.signal, killSignal: "SIGKILL" }),
      }),
      call,
      timeout,
    );
  };
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
const NOT_FOUND = Object.assign(new Error("git is on no folder of the PATH that agents cannot write"), {
  code: "ENOENT",
});

/** The output, where git must have succeeded. */
export async function answerOf(git: Git, call: GitCall): Promise<string> {
  const { code, output, complaint } = await git(call);
  if (code === 0) return output;
  const [first = "no reason given"] = complaint.trim().split("\n");
  throw new Error(`git ${call.args[0] ?? ""} failed: ${first}`);
}

function collectAnswer(
  child: ChildProcess,
  { directory, input, onOutput }: GitCall,
  timeout: number | null,
): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    // Not the timeout of spawn: that one keeps running when the program could not be started.
    const timer = timeout === null ? undefined : setTimeout(() => child.kill("SIGKILL"), timeout);
    const output = collector(onOutput);
    const complaint = collector(undefined);
    child.stdout?.on("data", (chunk: Buffer) => {
      if (!output.add(chunk)) child.kill("SIGKILL");
    });
    child.stderr?.on("data", (chunk: Buffer) => void complaint.add(chunk));
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(startError(directory, error));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 255, output: output.text(), complaint: complaint.text() });
    });
  });
}

function collector(onOutput: ((chunk: Buffer) => void) | undefined): {
  /** False when it is too much. */
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
      if (size <= MAX_OUTPUT) chunks.push(decoder.decode(chunk, { stream: true }));
      return size <= MAX_OUTPUT;
    },
    text: () => chunks.join("") + decoder.decode(),
  };
}

/** A missing folder gives the same code as a missing program. */
function startError(directory: string, error: Error): Error {
  if (!("code" in error) || error.code !== "ENOENT")
    return new Error(`git cannot be started: ${error.message}`, { cause: error });
  const message = existsSync(directory)
    ? "git was not found: install it, or add its folder to PATH"
    : `git cannot be started in ${directory}: there is no such folder`;
  return new Error(message, { cause: error });
}
