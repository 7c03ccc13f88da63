import type { Handoff, Outcome } from "../protocol/handoff.ts";
import type { ForgeDefinition, Runner, Workflow } from "../workflow/definition.ts";
import type { AttemptEnd, Usage } from "../workflow/input.ts";
import type { Collector } from "./telemetry.ts";

/**
 * One kind of agent: how its program is started, watched and ended.
 *
 * 1. `start` never throws and `ended` never rejects: whatever happens is an `AgentReport`.
 * 2. When `ended` has resolved, no process of the attempt is left.
 * 3. Nothing of our own environment reaches the program but what the job names.
 * 4. Output beyond the cap ends the attempt as `flooded`; a timeout as `timed-out`; `stop` as `stopped`.
 */
export interface Agent {
  readonly kind: Runner["kind"];
  start(job: AgentJob, watch: (update: AgentUpdate) => void): AgentSession;
}

export interface AgentJob {
  readonly attempt: string;
  readonly agent: string;
  readonly runner: Runner;
  readonly prompt: string;
  /** The same as data, for agents that read no prose. */
  readonly situation: Situation;
  /** Absolute; the program's working directory. */
  readonly workspace: string;
  /** Folder of our own for this attempt: prompt file, logs, marker. */
  readonly scratch: string;
  /** Added to the environment: BATON_RUN, BATON_STEP, ... */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly outputLimit: number;
  /** Go on with this session of the same client. */
  readonly session: string | null;
  /** Most money one attempt may cost, for clients that can be told. */
  readonly money: number | null;
  /** Where the operator collects what clients tell of themselves; null when nobody does. */
  readonly collector: Collector | null;
}

/** What a run knows when an agent starts. Plain JSON; what agents wrote is in it as they wrote it. */
export interface Situation {
  readonly run: string;
  readonly task: string;
  readonly brief: string;
  readonly startedAt: number;
  /** Agents that were started for this task, in order, this one included. */
  readonly trail: readonly string[];
  /** `issue.number`, `branch`, ... */
  readonly known: Readonly<Record<string, string>>;
  readonly last: Handoff | null;
  /** Where the work goes after an outcome, when that is an agent and no condition decides. */
  readonly next: Readonly<Partial<Record<Outcome, string>>>;
  readonly workspace: Workflow["workspace"];
  readonly forge: ForgeDefinition | null;
}

export interface AgentSession {
  readonly ended: Promise<AgentReport>;
  stop(): void;
}

export type AgentUpdate =
  /** A line for people to see. */
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "usage"; readonly tokens: number | null; readonly money: number | null };

export interface AgentReport {
  readonly end: AttemptEnd;
  readonly message: string;
  /** To try again would change nothing. */
  readonly isPermanent?: true;
  /** The agent's last message; null when it said nothing. */
  readonly lastMessage: string | null;
  readonly usage: Usage;
  readonly session: string | null;
  /** Absent or null when a client of this kind tells nothing of its work. */
  readonly work?: ToldWork | null;
}

/** How a client says that it went about its work. Null is not told, which is not zero. */
export interface ToldWork {
  /** Tokens of what it sent to the model first: our prompt, and whatever the client adds of its own. */
  readonly firstInput: number | null;
  /** Tokens of all that it sent in this attempt, cached ones counted. */
  readonly input: number | null;
  /** The same up to the request that was answered with its first change of a file. */
  readonly inputBeforeChange: number | null;
  /** Calls that changed files; what a command changes is not seen. */
  readonly changes: number;
  /** Files of the workspace that it read, as paths from there, each once. A bounded number of them. */
  readonly reads: readonly string[];
  /** Reads of more files than are listed. */
  readonly moreReads: number;
  /** Reads outside the workspace, or by a name that cannot be repeated safely. */
  readonly readsElsewhere: number;
}
