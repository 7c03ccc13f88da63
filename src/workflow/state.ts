import type { Verdict } from "../evidence/claim.ts";
import type { VerdictCounts } from "../evidence/policy.ts";
import type { Figures } from "../evidence/sightings.ts";
import type { Handoff, Outcome } from "../protocol/handoff.ts";
import type { GivenFact } from "./attempt-record.ts";
import type { TaskDefinition } from "./definition.ts";
import type { Problem } from "./input.ts";

/** A run, folded from its events. Plain JSON. */
export interface RunState {
  readonly run: string;
  readonly name: string;
  readonly workflow: string;
  readonly status: RunStatus;
  /** Why it ended or what it waits for. */
  readonly reason: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly brief: string;
  /** Round of the run, from 1: every loop back raises it. */
  readonly iteration: number;
  readonly tasks: Readonly<Record<string, TaskState>>;
  /** Steps begun so far. */
  readonly steps: number;
  readonly ledger: Readonly<Record<string, LedgerIssue>>;
  readonly loops: readonly LoopRecord[];
  readonly asks: Readonly<Record<string, Ask>>;
  /** Asks opened so far. */
  readonly asked: number;
  readonly timers: Readonly<Record<string, Timer>>;
  readonly spent: Spending;
  readonly known: Readonly<Record<string, KnownFact>>;
  /** Notes for agents that are told of a failure, until they have worked with them. */
  readonly notices: Readonly<Record<string, readonly string[]>>;
  /** Commands out of handoffs that a person lets run. */
  readonly approved: readonly string[];
}

export type RunStatus = "running" | "completed" | "failed" | "cancelled";

export interface TaskState extends TaskDefinition {
  readonly status: TaskStatus;
  /** Why it ended so. */
  readonly reason: string | null;
  /** What runs next, once there is room. */
  readonly next: Next | null;
  readonly step: Step | null;
  /** Retries of the present agent; back to 0 when the task moves on. */
  readonly retries: number;
  /** Failures of each agent since it last did its work, as `escalate_after` counts them. */
  readonly failures: Readonly<Record<string, number>>;
  /** Hubs that wait for the work to come back, the last one first in line. */
  readonly callers: readonly string[];
  readonly last: LastHandoff | null;
  /** What the author of the last handoff had been given by another agent: who tries again needs it again. */
  readonly received: LastHandoff | null;
  /** Of each agent the first of its steps that followed each other without anybody else's work. */
  readonly began: Readonly<Record<string, string>>;
  /** What was confirmed of each agent in handoffs that were accepted. */
  readonly confirmed: Readonly<Record<string, readonly string[]>>;
  /** Agents that were started, in order; for loops and the record. */
  readonly trail: readonly string[];
  readonly blockers: readonly Blocker[];
  readonly answers: readonly GivenAnswer[];
}

export type TaskStatus = "waiting" | "working" | "asking" | "done" | "failed" | "cancelled";

export interface Next {
  readonly agent: string;
  readonly reason: StepReason;
  /** A person has said that it may start. */
  readonly approved: boolean;
}

/** Why an agent runs, and what it is given beside the last handoff. */
export interface StepReason {
  readonly kind:
    | "first"
    | "forward"
    | "loop"
    | "retry"
    | "repair"
    | "failure"
    | "unblock"
    | "return"
    | "gate"
    | "person";
  readonly from: string | null;
  readonly note: string | null;
  /** Issues to fix, by id in the ledger. */
  readonly issues: readonly string[];
  readonly problems: readonly Problem[];
}

export interface Step {
  readonly id: string;
  readonly agent: string;
  readonly phase: "working" | "delay" | "gates" | "asking";
  readonly attempt: string;
  /** Attempts of this step so far. */
  readonly attempts: number;
  readonly repairs: number;
  readonly reason: StepReason;
  readonly startedAt: number;
  readonly session: string | null;
  /** Notes that it was given. */
  readonly notices: readonly string[];
  /** Facts that stood in the prompts of its attempts. */
  readonly given: readonly GivenFact[];
  /** By which outcome it is routed instead of the handoff's own: a loop that has ended goes on as done. */
  readonly routeAs: Outcome | null;
  /** A gate refused the work: nothing but a person lets it go on. */
  readonly gateFailed: boolean;
  /** Handoffs of this step that were accepted: more than one when a gate refuted a claim. */
  readonly accepted: number;
  /** Next gate to pass, and how often it has passed. */
  readonly gate: number;
  readonly passes: number;
  /** Of the claims of its handoff. */
  readonly claims: VerdictCounts;
  /** Of those that gates have settled, by kind and place. */
  readonly settled: Readonly<Record<string, Verdict>>;
  /** What was confirmed by looking, as it may be said again. */
  readonly retold: readonly string[];
  /** What the gates of its handoff have shown so far. */
  readonly shown: readonly ShownGate[];
  /** What gates have measured. */
  readonly figures: Figures | null;
  /** The command of its handoff was looked into. */
  readonly commandDone: boolean;
  /** Held for the attempt that is at work. */
  readonly held: { readonly tokens: number | null; readonly money: number | null; readonly milliseconds: number };
}

export interface ShownGate {
  readonly gate: string;
  readonly message: string;
  readonly figures: Figures | null;
}

export interface LastHandoff {
  readonly agent: string;
  readonly step: string;
  readonly text: string;
  readonly handoff: Handoff;
}

export interface Blocker {
  readonly description: string;
  readonly by: string;
}

export interface GivenAnswer {
  readonly question: string;
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
}

export interface LedgerIssue {
  readonly id: string;
  readonly status: "open" | "fixed" | "wontfix";
  readonly severity: string;
  readonly category: string | null;
  readonly location: string | null;
  readonly description: string;
  readonly remediation: string | null;
  /** File, category and words; null when an agent asked for a loop and listed nothing. */
  readonly signature: string | null;
  readonly openedBy: string;
  readonly task: string;
  readonly reopened: number;
  readonly history: readonly LedgerChange[];
}

export interface LedgerChange {
  readonly status: "open" | "fixed" | "wontfix" | "reopened";
  readonly by: string;
  readonly at: number;
}

export interface LoopRecord {
  readonly iteration: number;
  readonly task: string;
  readonly asker: string;
  readonly target: string;
  /** Open blocking issues when it began, and their signatures. */
  readonly open: number;
  readonly signatures: readonly string[];
}

export interface Ask {
  readonly id: string;
  readonly kind: AskKind;
  readonly task: string;
  readonly agent: string;
  readonly title: string;
  readonly details: readonly string[];
  readonly choices: readonly string[];
  readonly openedAt: number;
  readonly dueAt: number | null;
  readonly reminders: number;
}

/** `before` and `after` a step, a `review` the agent wants, its `question`s, or the workflow's own `escalation`. */
export type AskKind = "before" | "after" | "review" | "question" | "escalation" | "blocked" | "human" | "command";

export interface Timer {
  readonly id: string;
  readonly dueAt: number;
  readonly purpose: "retry" | "ask" | "wall";
  readonly subject: string;
}

export interface Spending {
  readonly agent: number;
  readonly tokens: number;
  readonly money: number;
  /** Attempts whose cost is not known. */
  readonly unknownTokens: number;
  readonly unknownMoney: number;
  /** What such attempts may have cost at most. */
  readonly possibleTokens: number;
  readonly possibleMoney: number;
}

export interface KnownFact {
  readonly value: string;
  readonly by: string;
}
