import { spawn } from "node:child_process";
import { rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ForgeError } from "../ports/forge.ts";

export interface GitCall {
  readonly directory: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The one way in which other repositories may be reached; none unless given. */
  readonly protocol?: "file" | "http" | "https";
  /** Exit codes that are answers; 0 unless given. */
  readonly accepts?: readonly number[];
}

export interface GitAnswer {
  readonly code: number;
  readonly output: string;
}

/** One call of git, without a shell, hooks or monitors. Whoever wrote into a repository does not decide what we run. */
export type Git = (call: GitCall) => Promise<GitAnswer>;

const QUIET = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.alternateRefsCommand", "true"],
  ["core.fsync", "committed"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["advice.detachedHead", "false"],
].flatMap(([name, value]) => ["-c", `${name}=${value}`]);

const LONGEST = 300_000;
const MOST_OUTPUT = 16 * 1024 * 1024;

export interface GitSurroundings {
  /** All that git is given besides: PATH, HOME. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether only we and what we started ever lock this: then a lock that stays is a killed process's. */
  readonly isOurs: (path: string) => boolean;
}

export function gitWith({ environment, isOurs }: GitSurroundings): Git {
  const git = plainGit(environment);
  return async (call) => {
    for (;;) {
      try {
        return await git(call);
      } catch (error) {
        const lock = lockIn(error);
        if (lock === null || !isOurs(lock) || !(await outwait(lock))) throw error;
      }
    }
  };
}

/** Longer than git holds a lock for what we ask of it. */
const STALE = 5_000;
const PAUSE = 250;

function lockIn(error: unknown): string | null {
  const said =
    error instanceof ForgeError ? /Unable to create '(\/[^']+\.lock)': File exists/.exec(error.message) : null;
  return said?.[1] ?? null;
}

/** True when it is worth another try: the lock is gone, or was so old that it was removed. */
async function outwait(lock: string): Promise<boolean> {
  for (const giveUpAt = Date.now() + 2 * STALE; Date.now() < giveUpAt; await sleep(PAUSE)) {
    const found = await stat(lock).catch(() => null);
    if (found === null) return true;
    if (Date.now() - found.mtimeMs < STALE) continue;
    await rm(lock, { force: true });
    return true;
  }
  return false;
}

function plainGit(environment: Readonly<Record<string, string>>): Git {
  return (call) =>
    new Promise((resolve, reject) => {
      const child = spawn("git", [...QUIET, ...call.args], {
        cwd: call.directory,
        env: {
          ...environment,
          LC_ALL: "C",
          GIT_TERMINAL_PROMPT: "0",
          GIT_EDITOR: "false",
          GIT_PAGER: "cat",
          GIT_NO_LAZY_FETCH: "1",
          GIT_ALLOW_PROTOCOL: call.protocol ?? "none",
          ...call.environment,
        },
        stdio: ["pipe", "pipe", "pipe"],
        timeout: LONGEST,
        killSignal: "SIGKILL",
        windowsHide: true,
      });
      const [output, complaint] = [new Collected(), new Collected()];
      child.stdout.on("data", (chunk: Buffer) => output.add(chunk) || child.kill("SIGKILL"));
      child.stderr.on("data", (chunk: Buffer) => complaint.add(chunk));
      child.stdin.on("error", () => undefined);
      child.stdin.end(call.input ?? "");
      child.on("error", (error) => reject(couldNotStart(call, error)));
      child.on("close", (code) => {
        if (code !== null && (call.accepts ?? [0]).includes(code)) resolve({ code, output: output.text() });
        else reject(new ForgeError(complain(call, code, complaint.text())));
      });
    });
}

class Collected {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** False when it is too much. */
  add(chunk: Buffer): boolean {
    this.#size += chunk.length;
    if (this.#size <= MOST_OUTPUT) this.#chunks.push(chunk);
    return this.#size <= MOST_OUTPUT;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

function complain({ args, directory }: GitCall, code: number | null, said: string): string {
  const reason = said.trim() === "" ? (code === null ? "it was ended" : `exit code ${code}`) : firstLines(said);
  return `git ${args[0] ?? ""} failed in ${directory}: ${reason}`;
}

function firstLines(text: string): string {
  return text.trim().split("\n").slice(0, 4).join("; ").slice(0, 1000);
}

function couldNotStart({ directory }: GitCall, error: NodeJS.ErrnoException): ForgeError {
  const message =
    error.code === "ENOENT"
      ? `git cannot be started in ${directory}: install it, and see that the folder exists`
      : `git cannot be started: ${error.message}`;
  return new ForgeError(message, false, { cause: error });
}
