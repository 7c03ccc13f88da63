import type { Judgement } from "../evidence/claim.ts";
import type { Figures } from "../evidence/sightings.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { TaskDefinition } from "./definition.ts";

/** What the world tells a run. Time and ids arrive here; the core has neither. */
export type Input = { readonly at: number } & (
  | StartRun
  | ReportAttempt
  | ReportGate
  | { readonly kind: "fire-timer"; readonly timer: string }
  | Answer
  | { readonly kind: "cancel-run"; readonly by: string; readonly reason: string }
  | { readonly kind: "retry-run"; readonly by: string; readonly note: string | null }
);

export interface StartRun {
  readonly kind: "start-run";
  readonly run: string;
  /** Hash of the workflow file. */
  readonly workflow: string;
  readonly name: string;
  readonly brief: string;
  readonly tasks: readonly TaskDefinition[];
  /** What is known from the start, `issue.number` or `branch`: later handoffs must not contradict it. */
  readonly known: Readonly<Record<string, string>>;
}

/** How one attempt of an agent ended. */
export interface ReportAttempt {
  readonly kind: "report-attempt";
  readonly attempt: string;
  readonly end: AttemptEnd;
  /** What the operator should read about it. */
  readonly message: string;
  /** To try again would change nothing, as with a program that is not installed. */
  readonly isPermanent?: true;
  readonly delivery: Delivery | null;
  /** What was seen of the claims of the delivery; the claims that gates settle are judged after them. */
  readonly judgements: readonly Judgement[];
  /** Why the delivery, or its absence, cannot be used. */
  readonly problems: readonly Problem[];
  readonly usage: Usage;
  /** With which a client can be asked to go on. */
  readonly session: string | null;
  /** Absent when it never began, when nobody watched it, and in logs from before there was one. */
  readonly record?: AttemptRecord;
}

const ATTEMPT_ENDS = [
  "finished",
  "crashed",
  "timed-out",
  "flooded",
  "could-not-start",
  /** Whoever watched it died; nobody knows how it ended. */
  "lost",
  "stopped",
] as const;
export type AttemptEnd = (typeof ATTEMPT_ENDS)[number];

/** A handoff that was read without an error. */
export interface Delivery {
  readonly handoff: Handoff;
  /** SHA-256 of the text it was read from, which is kept. */
  readonly text: string;
  readonly source: "message" | "file";
  readonly repaired: boolean;
  readonly warnings: number;
}

/** One thing wrong with a handoff, in words that can be sent back to its author. */
export interface Problem {
  readonly message: string;
  readonly hint: string | null;
  /** `line:column`, or the name of the field. */
  readonly where: string | null;
  readonly rule: string | null;
}

/** Null is not known, which is not zero. */
export interface Usage {
  readonly milliseconds: number;
  readonly tokens: number | null;
  readonly money: number | null;
}

export interface ReportGate {
  readonly kind: "report-gate";
  /** Which gate of which step, as the effect named it. */
  readonly gateRun: string;
  readonly passed: boolean;
  /** What happened, in a line. */
  readonly message: string;
  /** The end of its output. */
  readonly output: string;
  readonly milliseconds: number;
  /** Out of its reports; null when it wrote none. */
  readonly figures: Figures | null;
  /** Claims of the last handoff that it has settled. */
  readonly judgements: readonly Judgement[];
}

export interface Answer {
  readonly kind: "answer";
  readonly ask: string;
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
}
