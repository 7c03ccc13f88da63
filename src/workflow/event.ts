import type { Judgement } from "../evidence/claim.ts";
import type { Figures } from "../evidence/observations.ts";
import type { AttemptRecord, GivenFact } from "./attempt-record.ts";
import type { RaisedBudget, TaskDefinition } from "./definition.ts";
import type {
  AttemptEnd,
  AttemptHeads,
  ContinuedHandoff,
  Delivery,
  ForeignChanges,
  ObservedUsage,
  OtherWork,
  Problem,
  SessionUsage,
  StartRun,
  TrustedFile,
  Usage,
} from "./input.ts";
import type {
  Ask,
  Blocker,
  Help,
  LedgerIssue,
  LoopRecord,
  Next,
  JudgedClaim,
  RemarkCounts,
  StepReason,
  Timer,
  UnknownCondition,
} from "./state.ts";

/** A decision, in the past tense. The log of a run consists of these. */
export type Event =
  | (Omit<StartRun, "kind" | "continues"> & { readonly kind: "run-started"; readonly at: number })
  | {
      readonly kind: "run-completed";
      readonly at: number;
      readonly reason: string;
      /** What the run does not prove, counted by kind; absent when there is nothing. */
      readonly remarks?: Partial<RemarkCounts>;
    }
  | { readonly kind: "run-failed"; readonly at: number; readonly reason: string }
  | { readonly kind: "run-cancelled"; readonly at: number; readonly by: string; readonly reason: string }
  | { readonly kind: "run-reopened"; readonly at: number; readonly by: string }
  | { readonly kind: "task-added"; readonly task: TaskDefinition }
  | { readonly kind: "task-advanced"; readonly task: string; readonly next: Next; readonly callers: readonly string[] }
  | {
      readonly kind: "task-finished";
      readonly task: string;
      readonly status: "done" | "failed" | "cancelled";
      readonly reason: string;
    }
  | { readonly kind: "task-blocked"; readonly task: string; readonly blocker: Blocker }
  | { readonly kind: "task-released"; readonly task: string; readonly by: string }
  | StepStarted
  | AttemptStarted
  | AttemptEnded
  | { readonly kind: "attempt-delayed"; readonly task: string; readonly until: number; readonly reason: StepReason }
  | {
      readonly kind: "handoff-accepted";
      readonly task: string;
      readonly step: string;
      readonly agent: string;
      readonly delivery: Delivery;
    }
  | {
      readonly kind: "handoff-refused";
      readonly task: string;
      readonly step: string;
      readonly agent: string;
      readonly attempt: string;
      readonly problems: readonly Problem[];
    }
  | {
      /** A handoff gives another number for its round than the run has. */
      readonly kind: "round-misstated";
      readonly task: string;
      readonly agent: string;
      readonly said: number;
      readonly round: number;
    }
  | {
      /** A handoff names tasks that the run does not have, or that are not complete. */
      readonly kind: "dependencies-unmet";
      readonly task: string;
      readonly agent: string;
      readonly unknown: readonly string[];
      readonly unfinished: readonly string[];
    }
  | {
      /** The claims of a handoff were judged: before it is accepted, and again when a gate settled some of them. */
      readonly kind: "claims-verified";
      readonly task: string;
      readonly step: string;
      readonly agent: string;
      readonly attempt: string;
      /** The gate that settled them; null when they were judged by inspecting the workspace. */
      readonly gate: string | null;
      readonly judgements: readonly Judgement[];
    }
  | {
      /** A person lets the work go on although these claims are refuted. */
      readonly kind: "claims-waived";
      readonly task: string;
      readonly step: string;
      readonly agent: string;
      readonly claims: readonly JudgedClaim[];
      readonly by: string;
    }
  | {
      /** A person has read and approved a command from a handoff. The approval applies to exactly these bytes. */
      readonly kind: "command-approved";
      readonly task: string;
      readonly command: string;
      readonly by: string;
    }
  | {
      readonly kind: "command-ended";
      readonly task: string;
      readonly command: string;
      readonly passed: boolean;
      readonly message: string;
      readonly output: string;
      readonly milliseconds: number;
    }
  | {
      /** What became of a command from a handoff that was not run (000-R37). */
      readonly kind: "command-skipped";
      readonly task: string;
      readonly command: string;
      readonly why: string;
    }
  | {
      readonly kind: "wish-overruled";
      readonly task: string;
      readonly agent: string;
      readonly wish: string;
      readonly instead: string;
      readonly why: string;
    }
  | {
      readonly kind: "gate-passed";
      readonly task: string;
      readonly gate: string;
      /** True when the gate has passed as often as required. */
      readonly isLast: boolean;
      readonly message: string;
      readonly milliseconds: number;
      readonly figures: Figures | null;
    }
  | {
      readonly kind: "gate-failed";
      readonly task: string;
      readonly gate: string;
      readonly message: string;
      readonly output: string;
      readonly milliseconds: number;
      /** It has no result: it could not start, or wrote no report. */
      readonly isUnusable?: true;
    }
  | { readonly kind: "loop-began"; readonly loop: LoopRecord; readonly issues: readonly string[]; readonly why: string }
  | {
      readonly kind: "loop-ended";
      readonly task: string;
      readonly asker: string;
      readonly end: LoopVerdict;
      /** Whether the work continues as done; gates and approvals come first. */
      readonly goesOn: boolean;
      readonly why: string;
    }
  | {
      /** A person grants one more round, beyond the limit or although the loop gets nowhere. */
      readonly kind: "round-granted";
      readonly task: string;
      readonly to: string;
      readonly by: string;
    }
  | { readonly kind: "issue-opened"; readonly issue: LedgerIssue }
  /** An issue that is open already was reported again, perhaps by another agent. */
  | { readonly kind: "issue-seen"; readonly id: string; readonly by: string; readonly tree?: string }
  | {
      /** An agent that did not report the issue says that it is settled; the issue stays open. */
      readonly kind: "fix-claimed";
      readonly id: string;
      readonly status: "fixed" | "wontfix";
      readonly by: string;
      readonly at: number;
      readonly why: string;
    }
  | {
      readonly kind: "issue-changed";
      readonly id: string;
      readonly status: "fixed" | "wontfix" | "reopened";
      readonly by: string;
      readonly at: number;
      readonly why: string;
      /** The files when it was found again, as a tree of git. */
      readonly tree?: string;
    }
  /** A person let the work continue although these issues were open. */
  | {
      readonly kind: "issues-waived";
      readonly task: string;
      readonly issues: readonly string[];
      readonly by: string;
    }
  /** The work continues although this gate refused it. */
  | {
      readonly kind: "gate-waived";
      readonly task: string;
      readonly step: string;
      readonly agent: string;
      readonly gate: string;
      /** Null when the workflow itself lets the work go on. */
      readonly by: string | null;
    }
  | {
      /** The workflow ends the task although its last agent failed, is blocked or has not finished. */
      readonly kind: "failure-waived";
      readonly task: string;
      readonly step: string;
      readonly agent: string;
      readonly why: string;
    }
  | ({
      /** A condition could not be decided. Either a person was asked, or its route was passed over. */
      readonly kind: "condition-unknown";
      readonly step: string;
      /** The values in it that were missing or not numbers. */
      readonly names: readonly string[];
      readonly isAsked: boolean;
    } & UnknownCondition)
  /** A blocked agent gets a helper. */
  | ({ readonly kind: "help-requested"; readonly task: string } & Help)
  | { readonly kind: "fact-learned"; readonly name: string; readonly value: string; readonly by: string }
  | {
      /** A step that received these facts has succeeded. */
      readonly kind: "facts-helped";
      readonly task: string;
      readonly step: string;
      readonly facts: readonly GivenFact[];
    }
  | {
      readonly kind: "failure-counted";
      readonly task: string;
      readonly agent: string;
      readonly class: FailureClass;
      readonly why: string;
    }
  | { readonly kind: "agent-notified"; readonly agent: string; readonly text: string; readonly by: string }
  | { readonly kind: "ask-opened"; readonly ask: Ask }
  | {
      readonly kind: "ask-answered";
      readonly ask: string;
      readonly choice: string;
      readonly text: string | null;
      readonly by: string;
      readonly at: number;
    }
  | { readonly kind: "ask-reminded"; readonly ask: string; readonly dueAt: number }
  | { readonly kind: "ask-expired"; readonly ask: string; readonly consequence: string }
  | { readonly kind: "timer-set"; readonly timer: Timer }
  | { readonly kind: "timer-cleared"; readonly timer: string }
  | {
      readonly kind: "budget-refused";
      readonly task: string;
      readonly agent: string;
      readonly budget: string;
      readonly why: string;
    }
  | { readonly kind: "budget-raised"; readonly at: number; readonly by: string; readonly budget: RaisedBudget }
  | { readonly kind: "budget-overrun"; readonly budget: string; readonly why: string }
  | ({ readonly kind: "workspace-changed" } & ForeignChanges)
  | {
      /** A person lets agents and gates run these files as they are now. */
      readonly kind: "files-trusted";
      readonly files: readonly TrustedFile[];
      /** Files that are gone and were named. */
      readonly gone: readonly string[];
      readonly by: string;
      /** The task whose gates go on; absent when no gate waited for it. */
      readonly gatesOf?: string;
    }
  | ({
      /** The run begins with a handoff that another one has accepted. */
      readonly kind: "handoff-continued";
      readonly task: string;
    } & ContinuedHandoff)
  | {
      /** Something was seen in an observed session that is no step of it. */
      readonly kind: "session-noted";
      readonly what: SessionNote;
      /** The agent that it is about; null when it is about the session. */
      readonly agent: string | null;
      readonly says: string;
    }
  | ({
      /** An agent of an observed session that owes no handoff has begun or ended. It is no step, and nothing of it is checked. */
      readonly kind: "other-agent-seen";
      readonly id: string;
      readonly agent: string;
      readonly has: "started" | "ended";
    } & OtherWork)
  /** The client of an observed session has told what the session has used. */
  | { readonly kind: "session-measured"; readonly usage: SessionUsage }
  | { readonly kind: "input-ignored"; readonly input: string; readonly why: string };

/**
 * A `prompt` of a person, an agent that passed without a valid handoff (`given-up`) or whose message could not be read
 * (`unread`), a `deviation` from the workflow whose expectations hold, and the agent that it would take next.
 */
export const SESSION_NOTES = ["prompt", "given-up", "unread", "deviation", "suggestion"] as const;
export type SessionNote = (typeof SESSION_NOTES)[number];

export const FAILURE_CLASSES = ["BUGS_IN_CODE", "INSUFFICIENT_TESTS", "FLAKY_TESTS", "UNKNOWN"] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

export type LoopVerdict = "converged" | "recurring" | "not-falling" | "capped";

interface StepStarted {
  readonly kind: "step-started";
  readonly task: string;
  readonly step: string;
  readonly agent: string;
  readonly reason: StepReason;
  readonly iteration: number;
  readonly at: number;
}

interface AttemptStarted {
  readonly kind: "attempt-started";
  readonly task: string;
  readonly attempt: string;
  readonly reason: StepReason;
  readonly timeout: number;
  readonly held: { readonly tokens: number | null; readonly money: number | null; readonly milliseconds: number };
  /** When it began, in an observed session. */
  readonly at?: number;
}

export interface AttemptEnded {
  readonly kind: "attempt-ended";
  readonly task: string;
  readonly attempt: string;
  readonly end: AttemptEnd;
  readonly message: string;
  readonly usage: Usage;
  readonly session: string | null;
  readonly isRepositoryGone?: true;
  readonly heads?: AttemptHeads;
  /** Absent in the same cases as in the input. */
  readonly record?: AttemptRecord;
  /** In an observed session: what the agent has used so far, of which `usage` has the part of this attempt. */
  readonly counted?: ObservedUsage;
  /** In an observed session: its beginning was not heard of, so its time is not known. */
  readonly isBeginUnknown?: true;
  readonly at: number;
}
