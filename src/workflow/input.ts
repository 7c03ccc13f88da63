import type { Judgement } from "../evidence/claim.ts";
import type { Figures } from "../evidence/observations.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { RaisedBudget, TaskDefinition } from "./definition.ts";

/** Something that happened outside of the core. Time and ids come from inputs, because the core generates neither. */
export type Input = { readonly at: number } & (
  | StartRun
  | ReportAttempt
  | ReportGate
  | { readonly kind: "fire-timer"; readonly timer: string }
  | Answer
  | { readonly kind: "cancel-run"; readonly by: string; readonly reason: string }
  | { readonly kind: "retry-run"; readonly by: string; readonly note: string | null }
  | RaiseBudget
  | ({ readonly kind: "report-changes" } & ForeignChanges)
  | TrustFiles
  | Observe
);

type WithoutTime<I> = I extends Input ? Omit<I, "at"> : never;
/** An input without its time, which is set when the input is processed. Inbox messages contain these. */
export type RunInput = WithoutTime<Input>;

export interface StartRun {
  readonly kind: "start-run";
  readonly run: string;
  /** Hash of the workflow file. */
  readonly workflow: string;
  /** The workflow file, from the root of the repository; absent when it is none of the repository, and in older logs. */
  readonly file?: string;
  readonly name: string;
  readonly brief: string;
  readonly tasks: readonly TaskDefinition[];
  /** Present when the run begins in a git repository: it must not go on without one. */
  readonly inRepository?: true;
  /** Values known from the start, such as `issue.number` or `branch`: later handoffs must not contradict them. */
  readonly known: Readonly<Record<string, string>>;
  /** The files that the commands of the workflow name, as they were trusted; absent in older logs. */
  readonly trusted?: readonly TrustedFile[];
  /** Present for a session of a client that is watched and not driven. */
  readonly observed?: ObservedSession;
  /** The last handoff of another run, with which this one begins. */
  readonly continues?: ContinuedHandoff;
}

/** A handoff that another run has accepted. */
export interface ContinuedHandoff {
  readonly run: string;
  readonly agent: string;
  readonly delivery: Delivery;
}

/** A session of a client, such as Claude Code, in which agents work without being started by us. */
export interface ObservedSession {
  readonly client: string;
  /** The client's own id of it. */
  readonly session: string;
  /** The workflow whose expectations hold; absent when there is none. */
  readonly follows?: string;
}

/** Something that a hook of a client has told about an observed session. */
interface Observe {
  readonly kind: "observe";
  readonly seen: Observation;
}

export type Observation =
  | {
      readonly kind: "prompt";
      readonly text: string;
      /** The main agent, where it owes a handoff: its turn begins. */
      readonly agent?: string;
    }
  /** An agent has begun: each has a task of its own. */
  | { readonly kind: "agent-started"; readonly task: string; readonly agent: string }
  | ObservedStop
  /** An agent that owes no handoff: it is shown, and nothing of it is checked. */
  | { readonly kind: "other-started"; readonly id: string; readonly agent: string }
  | ({ readonly kind: "other-ended"; readonly id: string; readonly agent: string } & OtherWork)
  | { readonly kind: "session-ended"; readonly reason: string; readonly usage?: SessionUsage };

/** What the client says of the work of an agent that owes no handoff; what it does not say is absent. */
export interface OtherWork {
  readonly usage?: ObservedUsage;
  /** Files that it has changed by the tools of its client; a command may have changed others. */
  readonly files?: readonly string[];
}

/** Tokens of all requests of an agent in its session so far, cached input included, as its client counts them. */
export interface ObservedUsage {
  readonly tokens: number;
  /** Not all that it used since its last stop was read: the transcript is too long, or was not written to its end. */
  readonly isPart?: true;
}

/** What a client says at the end of a session that the session has used; null where it does not say. */
export interface SessionUsage {
  readonly tokens: number | null;
  /** In USD. */
  readonly money: number | null;
  /** All agents of the session, or the main agent alone. */
  readonly covers: "session" | "main";
  /** Not all of it was read: there is more. */
  readonly isPart?: true;
}

/** An agent of an observed session has stopped. */
export interface ObservedStop {
  readonly kind: "agent-stopped";
  readonly task: string;
  readonly agent: string;
  readonly result: ObservedResult;
  /** What it handed over, also where it was sent back; null when that could not be read. */
  readonly delivery: Delivery | null;
  /** SHA-256 of the text that holds no handoff that can be used, where it is kept. */
  readonly text?: string;
  readonly usage?: ObservedUsage;
  readonly judgements: readonly Judgement[];
  readonly problems: readonly Problem[];
  /** What the operator is told. */
  readonly message: string;
  readonly tree?: string;
}

/**
 * What became of the handoff of an agent that stopped: it was `sent-back`, let go without a valid one (`given-up`), or
 * its last message could not be read.
 */
export const OBSERVED_RESULTS = ["accepted", "sent-back", "given-up", "unread"] as const;
export type ObservedResult = (typeof OBSERVED_RESULTS)[number];

/** A file of the repository that may be run with exactly this content. */
export interface TrustedFile {
  readonly path: string;
  /** SHA-256 of its content. */
  readonly hash: string;
}

/** A file that an agent or a gate would have run, with another content than the trusted one. */
export interface UntrustedFile {
  readonly path: string;
  /** Null when it is gone. */
  readonly hash: string | null;
  /** What is different, for a person. */
  readonly says: string;
}

/** A person trusts the files that a stored run names, as they are now. */
export interface TrustFiles {
  readonly kind: "trust-files";
  readonly files: readonly TrustedFile[];
  readonly by: string;
}

/** Files in the workspace that others have changed while no agent of the run was at work. */
export interface ForeignChanges {
  /** The first of them. */
  readonly paths: readonly string[];
  /** How many more there are. */
  readonly more: number;
  /** The run that worked there last; null when it was this one, and so perhaps a person. */
  readonly by: string | null;
}

export interface AttemptHeads {
  readonly from: string;
  readonly to: string;
}

/** How one attempt of an agent ended. */
export interface ReportAttempt {
  readonly kind: "report-attempt";
  readonly attempt: string;
  readonly end: AttemptEnd;
  /** A message for the operator. */
  readonly message: string;
  /** True when a retry cannot help, as with a program that is not installed. */
  readonly isPermanent?: true;
  /** The repository was there when the agent started, or at an earlier attempt, and git can no longer read it. */
  readonly isRepositoryGone?: true;
  /** The commit of HEAD when the attempt began and when it ended; only where the workflow has a forge to merge in. */
  readonly heads?: AttemptHeads;
  /** Why it was not started: these are not the files that were trusted. */
  readonly untrusted?: readonly UntrustedFile[];
  readonly delivery: Delivery | null;
  /**
   * Verdicts on the claims of the delivery from inspecting the workspace. Claims that gates settle are judged later.
   */
  readonly judgements: readonly Judgement[];
  /** The files when the attempt ended, as a tree of git; present when its handoff reports issues. */
  readonly tree?: string;
  /** Why the delivery is missing or cannot be used. */
  readonly problems: readonly Problem[];
  readonly usage: Usage;
  /** Id of the client's session, with which it can be continued. */
  readonly session: string | null;
  /** Absent when the attempt never started or was not observed, and in logs from before records existed. */
  readonly record?: AttemptRecord;
}

export const ATTEMPT_ENDS = [
  "finished",
  "crashed",
  "timed-out",
  "flooded",
  "could-not-start",
  /** The process that observed it died, so its end is not known. */
  "lost",
  "stopped",
] as const;
export type AttemptEnd = (typeof ATTEMPT_ENDS)[number];

/** A handoff that was read without an error. */
export interface Delivery {
  readonly handoff: Handoff;
  /** SHA-256 of the original text, which is kept. */
  readonly text: string;
  readonly source: "message" | "file";
  readonly repaired: boolean;
  readonly warnings: number;
}

/** One problem of a handoff, in words that can be sent back to its author. */
export interface Problem {
  readonly message: string;
  readonly hint: string | null;
  /** `line:column`, or the name of the field. */
  readonly where: string | null;
  readonly rule: string | null;
}

/** Null means unknown, not zero. */
export interface Usage {
  readonly milliseconds: number;
  readonly tokens: number | null;
  readonly money: number | null;
}

export interface ReportGate {
  readonly kind: "report-gate";
  /** The gate and step, as named by the effect. */
  readonly gateRun: string;
  readonly passed: boolean;
  /** The result in one line. */
  readonly message: string;
  /** The end of its output. */
  readonly output: string;
  readonly milliseconds: number;
  /** It could not start, or wrote no report of the tests that it is to prove: it shows nothing. */
  readonly isUnusable?: true;
  /** Figures from its reports; null when it wrote none. */
  readonly figures: Figures | null;
  /** Claims of the last handoff that it settled. */
  readonly judgements: readonly Judgement[];
  /** Why it was not run: these are not the files that were trusted. */
  readonly untrusted?: readonly UntrustedFile[];
}

/** Raises limits of a run that is running or has failed. A limit is never lowered. */
export interface RaiseBudget {
  readonly kind: "raise-budget";
  readonly by: string;
  readonly budget: RaisedBudget;
}

export interface Answer {
  readonly kind: "answer";
  readonly ask: string;
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
  /** When the person gave it; absent in older logs. It may be processed much later. */
  readonly givenAt?: number;
}
