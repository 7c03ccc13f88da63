import type { Ports } from "../ports/ports.ts";
import type { ScheduleStore } from "../ports/schedule-store.ts";
import type { LogSigner } from "../ports/log-signer.ts";

/** What the commands work with: the ports, the repository and its state folder. */
export interface Engine {
  readonly ports: Ports;
  /** Root of the repository, absolute. */
  readonly root: string;
  readonly stateFolder: string;
  /** What was decided on the times of schedules. */
  readonly schedules: ScheduleStore;
  /** Whether the log may only be read. */
  readonly isReadOnly?: boolean;
  /** Whether there is knowledge yet: it is not made only to look at it. */
  readonly hasKnowledge?: () => boolean;
  /** Signs the log; absent when the log is not signed. */
  readonly logSigner?: LogSigner;
  /** Set where workers drive the runs, and this process only gives them work. */
  readonly shared?: {
    /** Gives a run a job, also one that was given up because workers were lost with it. */
    wake(run: string): Promise<void>;
    /** Runs that no worker takes by itself any more, because workers were lost with them. */
    givenUp(): Promise<readonly string[]>;
  };
  close(): Promise<void>;
}

/** What verification without a run works with. Its notes are in a temporary folder, which is removed on close. */
export interface VerifyContext {
  readonly ports: VerifyPorts;
  /** Root of the repository, absolute. */
  readonly root: string;
  /** Why git cannot be used on an existing repository, in git's words, and what to do; null otherwise. */
  whyNoRepository(): Promise<{ readonly says: string; readonly hint: string } | null>;
  close(): Promise<void>;
}

type VerifyPorts = Pick<Ports, "clock" | "workspace" | "commands" | "repository" | "results" | "redact">;

/** The repository of the working directory, as far as it matters before a run. It is only read. */
export interface RepositoryInfo {
  /** Absolute; agents work here unless they have a worktree. */
  readonly root: string;
  /** By which this repository is told from every other one, also from one that is at the same place later. */
  readonly mark: string;
  /**
   * Which of these files are in the last commit, each with its git mode (that of the link if a folder on its path is
   * one); null when git cannot tell.
   */
  committed(paths: readonly string[]): Promise<ReadonlyMap<string, string> | null>;
  /** Which of these files git ignores: builds or installations create such files. Null when git cannot tell. */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string> | null>;
}
