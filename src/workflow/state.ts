import type { Judgement, Verdict } from "../evidence/claim.ts";
import type { VerdictCounts } from "../evidence/policy.ts";
import type { Figures } from "../evidence/observations.ts";
import type { Handoff, Outcome } from "../protocol/handoff.ts";
import { type Infer, data } from "../protocol/shape.ts";
import type { GivenFact } from "./attempt-record.ts";
import type { RaisedBudget, TaskDefinition } from "./definition.ts";
import type { AttemptHeads, ForeignChanges, ObservedSession, Problem, SessionUsage, TrustedFile } from "./input.ts";

/** The state of a run, folded from its events. Plain JSON. */
export interface RunState {
  readonly run: string;
  readonly name: string;
  readonly workflow: string;
  readonly status: RunStatus;
  /** Why it ended, or what it waits for. */
  readonly reason: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly brief: string;
  readonly beganInRepository: boolean;
  /** Round of the run, from 1; every loop of any task starts another. */
  readonly iteration: number;
  readonly tasks: Readonly<Record<string, TaskState>>;
  /** Steps started so far. */
  readonly steps: number;
  readonly ledger: Readonly<Record<string, LedgerIssue>>;
  readonly loops: readonly LoopRecord[];
  readonly asks: Readonly<Record<string, Ask>>;
  /** Number of questions asked so far. */
  readonly asked: number;
  readonly timers: Readonly<Record<string, Timer>>;
  readonly spent: Spending;
  readonly known: Readonly<Record<string, KnownFact>>;
  /** Notes about failures, by the agent they are for, until a step has used them. */
  readonly notices: Readonly<Record<string, readonly string[]>>;
  /** Commands from handoffs that a person approved. */
  readonly approved: readonly string[];
  /** Limits that a person raised while the run stood; they replace those of the workflow. */
  readonly raised: RaisedBudget;
  /** What was let through although it is not proven good; it is shown wherever the end of the run is. */
  readonly waived: readonly Waiver[];
  readonly unknowns: readonly UnknownCondition[];
  /** The last attempt that ended found no repository where one had been. */
  readonly isRepositoryGone?: true;
  /** What others have changed in the workspace, until a handoff was accepted after it. */
  readonly foreignChanges?: ForeignChanges;
  /** The files that its agents and gates may run; absent in a run from before they were recorded. */
  readonly trusted?: readonly TrustedFile[];
  /** The session that is watched; absent in a run that is driven. */
  readonly observed?: ObservedSession;
  /** Agents of the session that are at work and owe no handoff, by id; absent when there was never one. */
  readonly others?: Readonly<Record<string, string>>;
  /** What the client says that the session has used; absent until it does. */
  readonly sessionUsage?: SessionUsage;
}

/**
 * What a run that has ended well does not prove: blocking issues that are `open`, what a person or the workflow
 * `waived`, claims that were `refuted` and let through, conditions whose value was `unknown`, checks that are said to
 * pass and that no gate has proven (`unproven`), changed files that a handoff does not name (`undeclared`), and what was
 * not checked in a session that was watched: a handoff that was not read, or none at all (`unchecked`).
 */
export const REMARK_KINDS = ["open", "waived", "refuted", "unknown", "unproven", "undeclared", "unchecked"] as const;
export type RemarkKind = (typeof REMARK_KINDS)[number];

export type RemarkCounts = Readonly<Record<RemarkKind, number>>;

export type RunStatus = "running" | "completed" | "failed" | "cancelled";

export interface TaskState extends TaskDefinition {
  readonly status: TaskStatus;
  /** Why it ended. */
  readonly reason: string | null;
  /** What runs next, as soon as `parallel` allows it. */
  readonly next: Next | null;
  readonly step: Step | null;
  /** Retries of the current agent; reset to 0 when the task moves on. */
  readonly retries: number;
  /** Failures of each agent since its last success, as `escalate_after` counts them. */
  readonly failures: Readonly<Record<string, number>>;
  /** Agents that delegated the work and wait for its return; the last one is next. */
  readonly callers: readonly string[];
  readonly last: LastHandoff | null;
  /** The handoff that the author of the last handoff had received: a retry needs it again. */
  readonly received: LastHandoff | null;
  /** The first step of each agent in its latest series of consecutive steps. */
  readonly began: Readonly<Record<string, string>>;
  /**
   * The first step of each agent in its latest series of consecutive steps, also where a person was asked between them:
   * what was done to gates and tests since then must not become the state that it is compared with.
   */
  readonly since: Readonly<Record<string, string>>;
  /** Claims of each agent that were confirmed in accepted handoffs. */
  readonly confirmed: Readonly<Record<string, readonly string[]>>;
  /** Agents that were started, in order. */
  readonly trail: readonly string[];
  readonly blockers: readonly Blocker[];
  readonly answers: readonly GivenAnswer[];
  /** Round of this task, from 1. Loop limits count these, so one task never uses up the rounds of another. */
  readonly round: number;
  /** Open issues at the start of its last loop, with how often each had been reopened; null before the first. */
  readonly before: Readonly<Record<string, number>> | null;
  /** Rounds beyond the limit that people granted. */
  readonly granted: number;
  /** Who was sent to help each blocked agent, and for which reason, since that agent last ended without a block. */
  readonly helps: readonly Help[];
  /** Refuted claims of accepted handoffs, by the first step of their series. */
  readonly refuted: Readonly<Record<string, RefutedStep>>;
  /** Checks that no gate proves and files that are not named, in accepted handoffs, likewise; absent when there are none. */
  readonly unproven?: Readonly<Record<string, UnprovenStep>>;
  /** The commits between which each agent worked in its last step, as far as they are known. */
  readonly heads?: Readonly<Record<string, StepHeads>>;
  /** Refuted claims that a person has accepted, and of which agent. */
  readonly acceptedClaims: readonly AcceptedClaim[];
  /** Gates that had no result, and the agents that were told of it, until the gate passes. */
  readonly unusable: readonly UnusableGate[];
  /** Tokens that its agent has used so far in an observed session; absent when that is not known. */
  readonly counted?: number;
}

interface AcceptedClaim extends JudgedClaim {
  readonly agent: string;
  readonly by: string;
}

interface UnusableGate {
  readonly agent: string;
  readonly gate: string;
}

interface StepHeads extends AttemptHeads {
  readonly step: string;
}

export type TaskStatus = "waiting" | "working" | "asking" | "done" | "failed" | "cancelled";

export interface Next {
  readonly agent: string;
  readonly reason: StepReason;
  /** True when a person has approved the start. */
  readonly approved: boolean;
}

/** Why an agent runs, and what it receives in addition to the last handoff. */
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
  /** Issues to fix, by their id in the ledger. */
  readonly issues: readonly string[];
  readonly problems: readonly Problem[];
}

export interface Step {
  readonly id: string;
  readonly agent: string;
  readonly phase: "working" | "delay" | "gates" | "asking";
  readonly attempt: string;
  /** When this attempt began, where the event says it. */
  readonly attemptAt?: number;
  /** Attempts of this step so far. */
  readonly attempts: number;
  readonly repairs: number;
  readonly reason: StepReason;
  readonly startedAt: number;
  /** Round of the run when it started. */
  readonly iteration: number;
  readonly session: string | null;
  /** Notes that it received. */
  readonly notices: readonly string[];
  /** Facts that were in the prompts of its attempts. */
  readonly given: readonly GivenFact[];
  /** The outcome to route by instead of the handoff's own: a loop that has ended continues as done. */
  readonly routeAs: Outcome | null;
  /** A gate rejected the work: only a person can let it continue. */
  readonly gateFailed: boolean;
  /** Accepted handoffs of this step: more than one when a gate refuted a claim. */
  readonly accepted: number;
  /** Index of the next gate, and how often that gate has passed. */
  readonly gate: number;
  readonly passes: number;
  /** Verdicts on the claims of its handoff. */
  readonly claims: VerdictCounts;
  /** Verdicts on the claims that gates settled, by kind and place. */
  readonly settled: Readonly<Record<string, Verdict>>;
  /** Claims that are refuted, by kind and place. */
  readonly refuted: Readonly<Record<string, JudgedClaim>>;
  /** Checks that no gate proves and files that it does not name, by kind and place; absent when there are none. */
  readonly unproven?: Readonly<Record<string, JudgedClaim>>;
  /** Claims that inspecting the workspace confirmed, by the key under which a later handoff may repeat them. */
  readonly retold: readonly string[];
  /** Results of the gates of its handoff so far. */
  readonly shown: readonly ShownGate[];
  /** Figures that gates measured. */
  readonly figures: Figures | null;
  /** The command of its handoff was dealt with. */
  readonly commandDone: boolean;
  /** Budget reserved for the running attempt. */
  readonly held: { readonly tokens: number | null; readonly money: number | null; readonly milliseconds: number };
}

export type JudgedClaim = Pick<Judgement, "kind" | "says" | "evidence" | "isImplied">;

interface UnprovenStep {
  readonly agent: string;
  /** By kind and place. */
  readonly claims: Readonly<Record<string, JudgedClaim>>;
}

interface RefutedStep {
  readonly agent: string;
  readonly claims: readonly JudgedClaim[];
}

interface ShownGate {
  readonly gate: string;
  readonly message: string;
  readonly figures: Figures | null;
}

interface LastHandoff {
  readonly agent: string;
  readonly step: string;
  readonly text: string;
  readonly handoff: Handoff;
}

export interface Help {
  readonly agent: string;
  readonly reason: string;
  readonly helper: string;
}

/** Work that continued although something spoke against it. It counts until the agent works on the task again. */
export interface Waiver {
  readonly task: string;
  readonly agent: string;
  /** What spoke against it: a gate, a loop that ended without its goal, a failure, or another question to a person. */
  readonly what: "gate" | "loop" | "failure" | "question";
  /** The name of the gate, why the loop ended or the agent failed, or the question. */
  readonly name: string;
  /** The person; null when the workflow itself says `continue`. */
  readonly by: string | null;
}

/** A condition of a route that could not be decided, because a value in it was missing or not a number. */
export interface UnknownCondition {
  readonly task: string;
  readonly agent: string;
  readonly condition: string;
}

export interface Blocker {
  readonly description: string;
  readonly by: string;
}

interface GivenAnswer {
  readonly question: string;
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
}

const ledgerChangeShape = data.record({
  status: data.oneOf(["open", "fixed", "wontfix", "reopened", "claimed"]),
  by: data.text(),
  at: data.count(),
});

export const ledgerIssueShape = data.record({
  id: data.text(),
  status: data.oneOf(["open", "fixed", "wontfix"]),
  severity: data.text(),
  category: data.nullable(data.text()),
  location: data.nullable(data.text()),
  description: data.text(),
  remediation: data.nullable(data.text()),
  /** File, category and text; null when an agent asked for a loop and listed no issue. */
  signature: data.nullable(data.text()),
  openedBy: data.text(),
  task: data.text(),
  reopened: data.count(),
  history: data.list(ledgerChangeShape),
  /** The agent that reported it last, if that is not the one that found it. */
  seenBy: data.optional(data.text()),
  /** The person who let the run continue although it was open. */
  waivedBy: data.optional(data.text()),
  /** An agent that did not report it says that it is settled. It is open until the agent that did has looked again. */
  claimed: data.optional(data.record({ status: data.oneOf(["fixed", "wontfix"]), by: data.text() })),
  /** The check whose failure it is: a gate that proves the check can close it. */
  check: data.optional(data.text()),
  /** The files as they were when it was last reported, as a tree of git. */
  tree: data.optional(data.text()),
});
export type LedgerIssue = Infer<typeof ledgerIssueShape>;

export interface LoopRecord {
  readonly iteration: number;
  readonly task: string;
  readonly asker: string;
  readonly target: string;
  /** Open blocking issues at its start, and their signatures. */
  readonly open: number;
  readonly signatures: readonly string[];
  /** How far the condition of its route was from being false; absent when the condition has no figure. */
  readonly distance?: number;
}

/**
 * `before` and `after` a step, a `review` requested by the agent, its `question`s, an `escalation` by the workflow, or
 * refuted `claims` that a person may accept.
 */
const ASK_KINDS = [
  "before",
  "after",
  "review",
  "question",
  "escalation",
  "blocked",
  "human",
  "command",
  "claims",
] as const;
export type AskKind = (typeof ASK_KINDS)[number];

export const askShape = data.record({
  id: data.text(),
  kind: data.oneOf(ASK_KINDS),
  task: data.text(),
  agent: data.text(),
  title: data.text(),
  details: data.list(data.text()),
  choices: data.list(data.text()),
  openedAt: data.count(),
  dueAt: data.nullable(data.count()),
  reminders: data.count(),
  /** The agent that the choice `round` sends the work to. */
  roundTo: data.optional(data.text()),
  /** The commit that the answer is about; any other is not merged by it. */
  commit: data.optional(data.text()),
  /** The files that may be run with this content once the question is answered with `approve`; null: it is gone. */
  files: data.optional(data.list(data.record({ path: data.text(), hash: data.nullable(data.text()) }))),
  /** The gate run that waits for these files; absent when an agent does. */
  gateRun: data.optional(data.text()),
});
export type Ask = Infer<typeof askShape>;

export interface Timer {
  readonly id: string;
  readonly dueAt: number;
  readonly purpose: "retry" | "ask" | "wall";
  readonly subject: string;
}

export const spendingShape = data.record({
  agent: data.number(),
  tokens: data.number(),
  money: data.number(),
  /** Attempts whose cost is not known. */
  unknownTokens: data.count(),
  unknownMoney: data.count(),
  /** Maximum that these attempts may have cost. */
  possibleTokens: data.number(),
  possibleMoney: data.number(),
});
export type Spending = Infer<typeof spendingShape>;

interface KnownFact {
  readonly value: string;
  readonly by: string;
}
