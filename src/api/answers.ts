import type { Judgement } from "../evidence/claim.ts";
import type { Fact } from "../knowledge/fact.ts";
import type { Freshness } from "../knowledge/freshness.ts";
import type { Diagnostic } from "../protocol/diagnostic.ts";
import type { DialectName, Handoff } from "../protocol/handoff.ts";
import type { Tone } from "../views/event-line.ts";
import type { RunView } from "../views/run-view.ts";
import type { Ask } from "../workflow/state.ts";

/** What the routes answer with. Times are milliseconds since 1970; null is not known, which is not zero. */

export type RunStatusWord = "running" | "waiting" | "stalled" | "completed" | "failed" | "cancelled";

/** One run in a list. */
export interface RunItem {
  readonly run: string;
  /** Of the workflow. */
  readonly workflow: string;
  /** `stalled` when it should be at work and nothing happened for long (24 h unless asked otherwise). */
  readonly status: RunStatusWord;
  readonly reason: string | null;
  readonly brief: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly iteration: number;
  readonly steps: number;
  readonly tasks: number;
  readonly tasks_done: number;
  /** At work now. */
  readonly agents: readonly string[];
  readonly asks: number;
  readonly open_issues: number;
  /** A process drives it at this moment. */
  readonly is_driven: boolean;
}

export interface RunList {
  readonly runs: readonly RunItem[];
  /** For `cursor` of the next page; null on the last. */
  readonly next: string | null;
  /** Of all runs that the other filters let through, whatever their status. */
  readonly counts: Readonly<Record<RunStatusWord, number>>;
  /** Names of all workflows that were run, for the filter. */
  readonly workflows: readonly string[];
}

/** One run, whole enough for its page. */
export interface RunPage {
  readonly item: RunItem;
  readonly view: RunView;
  readonly graph: RunGraph;
  readonly steps: readonly StepItem[];
  readonly rounds: readonly Round[];
  readonly budget: BudgetUse;
  /** Position of the newest event that is in here: live updates go on after it. */
  readonly position: number;
}

/** The workflow as drawn, with how often each way was taken. */
export interface RunGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  /** Name of the agent, or `start`, `end`, `person`, `fail`. */
  readonly id: string;
  readonly kind: "agent" | "start" | "end" | "person" | "fail";
  /** As in `AgentView.status`; null for what is no agent. */
  readonly status: string | null;
  readonly visits: number;
  /** Placed by the server, so that every reader sees the same picture; in pixels, the upper left corner. */
  readonly x: number;
  readonly y: number;
}

export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: "forward" | "loop" | "failure" | "blocked" | "gate" | "person";
  /** Outcomes that lead this way. */
  readonly label: string;
  /** How often it was taken in this run. */
  readonly taken: number;
}

/** One step of a run: an agent that was started, with all its attempts. */
export interface StepItem {
  readonly step: string;
  readonly task: string;
  readonly agent: string;
  readonly iteration: number;
  /** `first`, `forward`, `loop`, `retry`, ... */
  readonly reason: string;
  readonly started_at: number;
  /** When its handoff was accepted or its last attempt ended; null while it is at work. */
  readonly ended_at: number | null;
  readonly outcome: string | null;
  /** The dialect's own word. */
  readonly status_word: string | null;
  readonly summary: string | null;
  readonly attempts: readonly AttemptItem[];
  readonly gates: readonly GateItem[];
  readonly claims: { readonly confirmed: number; readonly refuted: number; readonly unverifiable: number };
}

export interface AttemptItem {
  readonly attempt: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly end: string | null;
  readonly message: string | null;
  readonly tokens: number | null;
  readonly money: number | null;
  /** It gave a handoff, accepted or refused. */
  readonly has_handoff: boolean;
  readonly was_refused: boolean;
}

export interface GateItem {
  readonly gate: string;
  readonly passed: boolean;
  readonly message: string;
  readonly output: string;
  readonly milliseconds: number;
  readonly at: number;
}

/** Texts of one attempt: what it was given and what it said. Null when it was not kept. */
export interface AttemptTexts {
  readonly attempt: string;
  readonly agent: string;
  readonly prompt: string | null;
  /** The part of the prompt that tells what is known. */
  readonly packet: string | null;
  readonly output: string | null;
}

/** The issue ledger at the end of each round: whether the loop converges. */
export interface Round {
  readonly iteration: number;
  readonly at: number;
  readonly open: number;
  readonly open_blocking: number;
  readonly opened: number;
  readonly fixed: number;
  readonly reopened: number;
}

export interface BudgetUse {
  readonly wall: Used;
  readonly agent: Used;
  readonly tokens: Used;
  readonly money: Used;
}

export interface Used {
  readonly used: number;
  /** Null when there is no limit. */
  readonly limit: number | null;
  /** Attempts whose cost nobody told. */
  readonly unknown: number;
}

/** One event in words, and as it is stored. */
export interface EventItem {
  /** Over all runs; only grows. */
  readonly position: number;
  readonly run: string;
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  readonly tone: Tone;
  /** Null for what only the machine cares about. */
  readonly text: string | null;
  /** Null once it was pruned. */
  readonly data: unknown;
}

export interface EventList {
  readonly events: readonly EventItem[];
  /** For `after` of the next page; null when there is nothing more yet. */
  readonly next: number | null;
}

/** One handoff as it was written, read, judged and compared. */
export interface HandoffPage {
  readonly run: string;
  readonly attempt: string;
  readonly step: string;
  readonly task: string;
  readonly agent: string;
  readonly at: number;
  readonly dialect: DialectName | null;
  readonly accepted: boolean;
  /** Why it was refused. */
  readonly problems: readonly { readonly message: string; readonly hint: string | null; readonly where: string | null }[];
  /** The text as it came; null when it was not kept. */
  readonly source: string | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly handoff: Handoff | null;
  readonly claims: readonly Judgement[];
  /** The handoff of the same agent before this one, to compare with. */
  readonly previous: { readonly attempt: string; readonly iteration: number; readonly diff: string } | null;
}

export interface ConvertedHandoff {
  readonly dialect: DialectName;
  readonly text: string;
  /** What the other dialect has no place for. */
  readonly losses: readonly Diagnostic[];
}

export interface Inbox {
  readonly asks: readonly InboxItem[];
}

export interface InboxItem {
  readonly run: string;
  readonly workflow: string;
  readonly ask: Ask;
  /** Exactly what is approved, to be shown byte by byte; null when it is not about a text. */
  readonly concerns: { readonly what: string; readonly text: string; readonly sha256: string } | null;
}

export interface FactList {
  readonly facts: readonly FactItem[];
  readonly total_shown: number;
}

export interface FactItem {
  readonly fact: Fact;
  readonly freshness: Freshness | null;
  readonly score: number | null;
}

export interface FactPage {
  readonly fact: Fact;
  readonly freshness: Freshness | null;
  readonly opposes: readonly Pick<Fact, "id" | "text" | "status">[];
  readonly history: readonly FactChangeItem[];
}

export interface FactChangeItem {
  readonly at: number;
  readonly by: string;
  readonly what: string;
  readonly why: string | null;
  readonly other: string | null;
}

export interface FactGraph {
  readonly nodes: readonly { readonly id: string; readonly label: string; readonly kind: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly as: string }[];
  readonly is_cut: boolean;
}

/** The log as the audit page lists it. */
export interface AuditList {
  readonly entries: readonly {
    readonly position: number;
    readonly run: string;
    readonly sequence: number;
    readonly at: number;
    readonly kind: string;
    readonly hash: string;
    readonly is_pruned: boolean;
  }[];
  readonly next: number | null;
}

/** Every error has this shape, whatever the status. */
export interface ErrorAnswer {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
  };
}
