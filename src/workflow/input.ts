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
  readonly delivery: Delivery | null;
  /**
   * Verdicts on the claims of the delivery from inspecting the workspace. Claims that gates settle are judged later.
   */
  readonly judgements: readonly Judgement[];
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
  /** Figures from its reports; null when it wrote none. */
  readonly figures: Figures | null;
  /** Claims of the last handoff that it settled. */
  readonly judgements: readonly Judgement[];
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
