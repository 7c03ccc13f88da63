import { hash } from "node:crypto";
import type { Citation, Fact, FactKind, FactStatus, LearnedFact, FactSource } from "../knowledge/fact.ts";
import type { GivenFact } from "../workflow/attempt-record.ts";

/**
 * The facts learned from all runs.
 *
 * 1. `learn` is one transaction, and learning the same handoff again changes nothing.
 * 2. The same statement of the same kind is one fact, whatever its source; the opposite statement is linked to it.
 * 3. Ids are never reused. Facts learned from a handoff can be learned again from the log; changes made by a person are
 *    in the history, which is append-only but for facts that are forgotten because something else has altered them.
 * 4. The cost of a query does not grow with unrelated facts.
 * 5. An unproven statement does not change a trusted fact: it only adds its source, and the rest applies once its step
 *    is trusted. A statement that repeats a fact which its author was given is no source and proves nothing; a question
 *    is asked again by it. A statement whose own place was not confirmed stays unproven then. No handoff changes a fact
 *    that a person edited, or restores one that a person retired.
 * 6. Every change is sealed in its transaction: each row before and after it, signed where there is a key. What another
 *    program has changed is never sealed by the way.
 * 7. Any number of stores may have the same facts open at once: together they leave what one of them could have left
 *    alone.
 */
export interface KnowledgeStore {
  /** Returns the facts in their present form, in the order of the batch. */
  learn(batch: LearnedBatch): Promise<readonly Fact[]>;
  /**
   * Trusts what a step taught, after a gate passed or the run moved on; facts that a person retired stay retired.
   * Returns how many facts became trusted.
   */
  trust(run: string, step: string, at: number): Promise<number>;
  /**
   * Credits the facts that a successful step received. Each step counts once, even if it is reported again. Facts whose
   * text has changed, or that do not exist, are not credited. Returns how many were credited.
   */
  countHelp(run: string, step: string, facts: readonly GivenFact[]): Promise<number>;

  /**
   * Adds a person's answer to the blocking questions of a step. Repeating it changes nothing. Returns how many
   * questions were answered.
   */
  answer(answered: AnsweredStep): Promise<number>;

  /** A fact lists at most 50 sources: the first one and the newest. */
  find(id: string): Promise<Fact | null>;
  /**
   * Facts that contain all the words, in any form; if there are none, all but one of them; if there are none, some of
   * them. A word that no fact has stands for words that begin with most of it. The newest of these, many more than
   * requested, are ranked by the weight of each word (rare words weigh more, whole words more than prefixes), then by
   * trust, sources and help. Ties are ordered by id.
   */
  search(query: FactQuery): Promise<readonly FoundFact[]>;
  /**
   * Facts that may matter to a piece of work: a limited number for each kind of signal, in no particular order, without
   * retired facts. Of very long lists of signals the rarest are used; of files and tasks, the first.
   */
  candidates(signals: Signals): Promise<readonly Fact[]>;
  /**
   * The facts of a handoff in their present form, each with its place in the handoff, including edited, merged and
   * retired facts.
   */
  taught(handoff: Pick<FactSource, "run" | "task" | "handoff">): Promise<readonly HandoffFact[]>;
  /** Breadth-first search, limited by depth and number of nodes. */
  neighbours(node: NodeId, depth: number, max: number): Promise<Subgraph>;
  /** Tasks that stated a fact of this kind or about this topic, newest first. */
  tasks(query: {
    readonly tag?: string;
    readonly kind?: FactKind;
    readonly run?: string;
    readonly max: number;
  }): Promise<readonly KnownTask[]>;
  /** Newest first. */
  files(query: { readonly run?: string; readonly task?: string; readonly max: number }): Promise<readonly FileTouch[]>;

  /** Totals, for lists that show only some of the facts. */
  totals(): Promise<KnowledgeTotals>;

  /** Compares everything with the seals of the changes that this store has made. Public keys of others may be believed too. */
  check(keys?: readonly string[]): Promise<KnowledgeCheck>;
  /**
   * Removes facts that something else than this store has changed or added, so that they can be learned again, and seals
   * what is left. Returns their ids.
   */
  forgetAltered(): Promise<readonly string[]>;
  /** Seals everything as it is, where the operator vouches for it. */
  accept(): Promise<void>;

  change(change: FactChange): Promise<Fact>;
  history(id: string): Promise<readonly FactRecord[]>;
  /** All facts after this id, oldest first. */
  page(after: string | null, max: number): Promise<readonly Fact[]>;
  close(): Promise<void>;
}

/** The last seal of the knowledge, and the hash of it with its signature. */
export interface KnowledgeHead {
  readonly number: number;
  readonly digest: string;
}

export interface KnowledgeCheck {
  /** What is wrong with the seals themselves, in sentences. */
  readonly problems: readonly string[];
  /** Rows that are not as they were sealed: `fact 3`, `witness 3 1`, `lesson 2`, `record 7`. */
  readonly altered: readonly string[];
  /** Whether a key that is known has signed any of it. */
  readonly isSigned: boolean;
  readonly head: KnowledgeHead;
}

export interface AnsweredStep {
  readonly run: string;
  readonly step: string;
  readonly answer: string;
  readonly by: string;
  readonly at: number;
}

/** Identifies a fact by its text: after a rebuild of the store, its id may belong to another fact. */
export function factMarkOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}

export interface KnowledgeTotals {
  /** Facts of each kind that are not retired. */
  readonly facts: Readonly<Record<FactKind, number>>;
  readonly tasks: number;
  /** Number of different paths. */
  readonly files: number;
}

/** What is learned from one accepted handoff. */
export interface LearnedBatch {
  readonly source: Omit<FactSource, "where">;
  /** The task at the time of the handoff, or at its own time. */
  readonly task: Pick<KnownTask, "id" | "name" | "status" | "dependsOn"> & Partial<Pick<KnownTask, "at">>;
  readonly facts: readonly TaughtFact[];
  readonly files: readonly Pick<FileTouch, "path" | "change" | "lines" | "purpose">[];
  /** Facts that the author was given in its packet. */
  readonly given?: readonly GivenFact[];
  /** Of facts without a verdict of their own. */
  readonly status: Exclude<FactStatus, "retired">;
}

export interface TaughtFact extends LearnedFact {
  readonly citation: Citation | null;
  /** Whether the place that it names was found; absent when it names none that could be looked at. */
  readonly ownPlace?: "confirmed" | "unconfirmed";
}

export interface HandoffFact {
  readonly where: string;
  readonly fact: Fact;
}

export interface KnownTask {
  readonly run: string;
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly dependsOn: readonly string[];
  readonly at: number;
}

/** A file that a handoff claims to have created or changed. */
export interface FileTouch {
  readonly path: string;
  readonly change: string;
  readonly lines: string | null;
  readonly purpose: string | null;
  readonly run: string;
  readonly task: string;
  readonly agent: string;
  readonly at: number;
}

export interface FactQuery {
  /** Words in any order; prefixes match as well. */
  readonly text?: string;
  readonly tags?: readonly string[];
  readonly kinds?: readonly FactKind[];
  readonly file?: string;
  readonly task?: string;
  readonly run?: string;
  readonly status?: readonly FactStatus[];
  /** Learned at or after this time. */
  readonly since?: number;
  readonly max: number;
}

export interface FoundFact {
  readonly fact: Fact;
  /** Higher is a better match. */
  readonly score: number;
}

/** What a piece of work is about. */
export interface Signals {
  readonly tags: readonly string[];
  readonly words: readonly string[];
  readonly files: readonly string[];
  /** Tasks it depends on, with their runs. */
  readonly tasks: readonly { readonly run: string; readonly task: string }[];
  /** Only facts of these kinds; all when absent. */
  readonly kinds?: readonly FactKind[];
  /** Maximum number of facts each by tags, by words, by files and by tasks. */
  readonly max: number;
}

export interface FactRecord {
  readonly at: number;
  readonly by: string;
  readonly what: "learned" | "witnessed" | "trusted" | "answered" | FactChange["kind"];
  readonly why: string | null;
  /** The other fact of a merge. */
  readonly other: string | null;
  /** The previous values of the fields that changed. */
  readonly before: Partial<Fact> | null;
}

export type FactChange = {
  readonly id: string;
  readonly by: string;
  readonly at: number;
  readonly why: string | null;
} & (
  | { readonly kind: "promote" | "confirm" | "retire" }
  /** This fact is merged into `into`, with all its sources. */
  | { readonly kind: "merge"; readonly into: string }
  | { readonly kind: "edit"; readonly fields: Partial<Pick<Fact, "text" | "detail" | "severity" | "tags">> }
  /** The citation is moved to a new place. */
  | { readonly kind: "cite"; readonly citation: Citation | null }
);

/** `fact:pattern-001`, `task:RUN/ID`, `run:ID`, `agent:NAME`, `file:PATH`, `tag:NAME`. */
export type NodeId = `${"fact" | "task" | "run" | "agent" | "file" | "tag"}:${string}`;

export interface Subgraph {
  readonly nodes: readonly { readonly id: NodeId; readonly label: string }[];
  readonly edges: readonly { readonly from: NodeId; readonly to: NodeId; readonly as: string }[];
  /** True when there are more nodes than requested. */
  readonly isCut: boolean;
}
