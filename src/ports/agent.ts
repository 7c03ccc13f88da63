import type { Handoff, Outcome } from "../protocol/handoff.ts";
import type { ForgeDefinition, Runner, Workflow } from "../workflow/definition.ts";
import type { AttemptEnd, Usage } from "../workflow/input.ts";
import type { ReviewedCommit } from "../workflow/reviewed-commit.ts";
import type { Collector } from "./telemetry.ts";

/**
 * One kind of agent: how its program is started, observed and stopped.
 *
 * 1. `start` never throws and `ended` never rejects: every result is an `AgentReport`.
 * 2. When `ended` has resolved, no process of the attempt is left.
 * 3. The program receives no environment variables except those that the job names.
 * 4. Output beyond the limit ends the attempt as `flooded`, a timeout as `timed-out`, `stop` as `stopped`.
 * 5. After `pause`, no process of the attempt works until `resume`; time meanwhile does not count for the timeout. `stop`
 *    ends a paused attempt, too. An agent without `pause` cannot be held.
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
  /** The content of the prompt as data, for agents that read no prose. */
  readonly input: AgentInput;
  /** Absolute; the program's working directory. */
  readonly workspace: string;
  /** Folder for the files of this attempt: prompt file, logs, marker. */
  readonly scratch: string;
  /** Added to the environment: BATON_RUN, BATON_STEP, ... */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly outputLimit: number;
  /** Session of the same client to continue. */
  readonly session: string | null;
  /** Maximum cost of one attempt, for clients that support a limit. */
  readonly money: number | null;
  /** Where clients send their telemetry; null when the operator collects none. */
  readonly collector: Collector | null;
}

/** What a run knows when an agent starts. Plain JSON. Text of agents is included unchanged. */
export interface AgentInput {
  readonly run: string;
  readonly task: string;
  readonly brief: string;
  readonly startedAt: number;
  /** Agents that were started for this task, in order, this one included. */
  readonly trail: readonly string[];
  /** `issue.number`, `branch`, ... */
  readonly known: Readonly<Record<string, string>>;
  readonly last: Handoff | null;
  /** The agent that follows an outcome, if no condition decides. */
  readonly next: Readonly<Partial<Record<Outcome, string>>>;
  readonly workspace: Workflow["workspace"];
  readonly forge: ForgeDefinition | null;
  /** The commit that may be merged; null when no agent worked before this one. */
  readonly reviewed: ReviewedCommit | null;
}

export interface AgentSession {
  readonly ended: Promise<AgentReport>;
  stop(): void;
  pause?(): void;
  resume?(): void;
}

export type AgentUpdate =
  /** A line to show to people. */
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "usage"; readonly tokens: number | null; readonly money: number | null };

export interface AgentReport {
  readonly end: AttemptEnd;
  readonly message: string;
  /** True when a retry cannot help. */
  readonly isPermanent?: true;
  /** The agent's last message; null when there was none. */
  readonly lastMessage: string | null;
  readonly usage: Usage;
  readonly session: string | null;
  /** Absent or null when this kind of client does not report its work. */
  readonly work?: ReportedWork | null;
}

/** The client's report about its work. Null means not reported, not zero. */
export interface ReportedWork {
  /** Tokens of its first request to the model: the prompt and what the client adds. */
  readonly firstInput: number | null;
  /** Tokens of all requests of this attempt, including cached ones. */
  readonly input: number | null;
  /** The same up to the request whose answer first changed a file. */
  readonly inputBeforeChange: number | null;
  /** Calls that changed files. Changes made by commands are not counted. */
  readonly changes: number;
  /** Files of the workspace that it read, as relative paths, each once. The number of entries is limited. */
  readonly reads: readonly string[];
  /** Reads of files beyond those listed. */
  readonly moreReads: number;
  /** Reads outside of the workspace, or with a name that is not safe to repeat. */
  readonly readsElsewhere: number;
}
