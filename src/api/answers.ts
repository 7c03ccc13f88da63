import type { Judgement } from "../evidence/claim.ts";
import type { Fact } from "../knowledge/fact.ts";
import type { Freshness } from "../knowledge/freshness.ts";
import type { Standing } from "../knowledge/standing.ts";
import type { Diagnostic } from "../protocol/diagnostic.ts";
import type { DialectName, Handoff } from "../protocol/handoff.ts";
import type { AskView } from "../views/choice-effect.ts";
import type { EventItem } from "../views/event-item.ts";

/** What the routes answer with. Times are milliseconds since 1970; null is not known, which is not zero. */

export type { AskView } from "../views/choice-effect.ts";
export type { BudgetUse, Used } from "../views/budget-use.ts";
export type { EventItem } from "../views/event-item.ts";
export type { Tone } from "../views/event-line.ts";
export type { Round } from "../views/rounds.ts";
export type { GraphEdge, GraphNode, RunGraph } from "../views/run-graph.ts";
export type { RunItem, RunList, RunStatusWord } from "../views/run-item.ts";
export type { RunPage } from "../views/run-page.ts";
export type { AttemptItem, GateItem, StepItem } from "../views/step-items.ts";

/** Texts of one attempt: what it was given and what it said. Null when it was not kept. */
export interface AttemptTexts {
  readonly attempt: string;
  readonly agent: string;
  readonly prompt: string | null;
  /** It is composed again from the log, and by its hash it is what the agent was given; null when there is none. */
  readonly prompt_is_exact: boolean | null;
  /** The part of the prompt that tells what is known. */
  readonly packet: string | null;
  readonly output: string | null;
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
  readonly problems: readonly {
    readonly message: string;
    readonly hint: string | null;
    readonly where: string | null;
  }[];
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
  readonly ask: AskView;
  /** Exactly what is approved, to be shown byte by byte; null when it is not about a text. */
  readonly concerns: { readonly what: string; readonly text: string; readonly sha256: string } | null;
  /** What becomes of it at `dueAt` when nobody answers. */
  readonly silence: "remind" | "reject" | "fail";
  /** What was answered and not taken in yet; null while it waits for a person. */
  readonly answered: { readonly choice: string; readonly by: string } | null;
}

export interface FactList {
  readonly facts: readonly FactItem[];
  readonly total_shown: number;
}

export interface FactItem {
  readonly fact: Fact;
  readonly freshness: Freshness | null;
  readonly standing: Standing;
  readonly score: number | null;
}

export interface FactPage {
  readonly fact: Fact;
  readonly freshness: Freshness | null;
  readonly standing: Standing;
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
