import { rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Git, type GitAnswer, type GitCall, gitWith } from "../git/run-git.ts";
import { ForgeError } from "../ports/forge.ts";

interface ForgeGitCall extends GitCall {
  /** Exit codes that are answers; 0 unless given. Others are thrown. */
  readonly accepts?: readonly number[];
}

/** Git as forges and built-in agents use it: failures are thrown, and stale locks of killed processes removed. */
export type ForgeGit = (call: ForgeGitCall) => Promise<GitAnswer>;

interface ForgeGitOptions {
  /** PATH, HOME. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether only Baton and the processes it starts ever lock this path: then an old lock is a killed process's. */
  readonly isOurs: (path: string) => boolean;
}

const TIMEOUT = 300_000;

export function forgeGit({ environment, isOurs }: ForgeGitOptions): ForgeGit {
  const git = gitWith({
    environment,
    operatorSettings: true,
    settings: [
      ["core.fsync", "committed"],
      ["advice.detachedHead", "false"],
    ],
    timeout: TIMEOUT,
  });
  return async (call) => {
    for (;;) {
      try {
        return await callOnce(git, call);
      } catch (error) {
        const lock = lockIn(error);
        if (lock === null || !isOurs(lock) || !(await waitForLock(lock))) throw error;
      }
    }
  };
}

/** Longer than git holds a lock for any of our calls. */
const STALE_AFTER = 5_000;
const POLL_INTERVAL = 250;

function lockIn(error: unknown): string | null {
  const found =
    error instanceof ForgeError ? /Unable to create '(\/[^']+\.lock)': File exists/.exec(error.message) : null;
  return found?.[1] ?? null;
}

/** True when another try is worth it: the lock is gone, or was stale and has been removed. */
async function waitForLock(lock: string): Promise<boolean> {
  for (const giveUpAt = Date.now() + 2 * STALE_AFTER; Date.now() < giveUpAt; await sleep(POLL_INTERVAL)) {
    const found = await stat(lock).catch(() => null);
    if (found === null) return true;
    if (Date.now() - found.mtimeMs < STALE_AFTER) continue;
    await rm(lock, { force: true });
    return true;
  }
  return false;
}

async function callOnce(git: Git, call: ForgeGitCall): Promise<GitAnswer> {
  const answer = await git(call).catch((error: Error) => {
    throw new ForgeError(error.message, false, { cause: error });
  });
  if ((call.accepts ?? [0]).includes(answer.code)) return answer;
  const { args, directory } = call;
  const reason = firstLines(answer.complaint) || `exit code ${answer.code}`;
  throw new ForgeError(`git ${args[0] ?? ""} failed in ${directory}: ${reason}`);
}

function firstLines(text: string): string {
  return text.trim().split("\n").slice(0, 4).join("; ").slice(0, 1000);
}
