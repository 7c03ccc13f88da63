import { hash } from "node:crypto";
import type { Citation, Fact, FactKind, FactStatus, LearnedFact, Witness } from "../knowledge/fact.ts";
import type { GivenFact } from "../workflow/attempt-record.ts";

/**
 * What was learned, over all runs.
 *
 * 1. `learn` is one transaction, and learning the same handoff again changes nothing.
 * 2. The same statement of the same kind is one fact, whoever says it; the opposite one is linked to it.
 * 3. Ids are never used twice. What was learned by a handoff can be learned again from the log; what a person
 *    changed stands in the history, which is only ever appended to.
 * 4. What a query costs does not grow with facts that have nothing to do with it.
 * 5. What nobody has proven changes nothing that is trusted: an unproven saying adds its witness, and the rest of it
 *    counts once its step is trusted. What a person has edited, no handoff changes; what a person has retired stays
 *    retired, however often it is said.
 */
export interface KnowledgeStore {
  /** Gives the facts as they stand now, in the order of the lesson. */
  learn(lesson: Lesson): Promise<readonly Fact[]>;
  /**
   * A gate has passed, or the run has gone on: what a step taught is trusted; not what a person has retired.
   * Gives how many facts became trusted by it.
   */
  trust(run: string, step: string, at: number): Promise<number>;
  /**
   * The work of a step went well, and it was given these facts. Each step counts once, whenever it is told again. Of
   * facts that say something else now, or are not known, nothing is counted. Gives how many were.
   */
  countHelp(run: string, step: string, facts: readonly GivenFact[]): Promise<number>;

  /**
   * A person has answered what a step asked: the answer stands with its blocking questions from then on. Told again, it
   * changes nothing. Gives how many were answered.
   */
  answer(answered: AnsweredStep): Promise<number>;

  /** A fact names at most 50 witnesses: the first one and the newest. */
  find(id: string): Promise<Fact | null>;
  /**
   * Facts that have all the words, or, where there is none, some of them. The newest of these are ranked, many more
   * than were asked for: by what each word weighs (the rarer the more; whole words more than beginnings), then by
   * trust, witnesses and help. Equal ones come in the order of their ids.
   */
  search(query: FactQuery): Promise<readonly FoundFact[]>;
  /**
   * Facts that could matter to a piece of work, a bounded number of each kind of nearness, in no order. Retired ones
   * never do. Of very long lists of signals the rarest count, of files and tasks the first.
   */
  candidates(signals: Signals): Promise<readonly Fact[]>;
  /**
   * What a handoff taught, each with where it says it, as it stands now: edited, merged into another or retired, too.
   */
  taught(handoff: Pick<Witness, "run" | "task" | "handoff">): Promise<readonly TaughtFact[]>;
  /** Breadth first, to a depth, at most so many nodes. */
  neighbours(node: NodeId, depth: number, most: number): Promise<Subgraph>;
  /** Those that said a fact of this kind, or about this: the newest first. */
  tasks(query: {
    readonly tag?: string;
    readonly kind?: FactKind;
    readonly run?: string;
    readonly most: number;
  }): Promise<readonly KnownTask[]>;
  /** The newest first. */
  files(query: { readonly run?: string; readonly task?: string; readonly most: number }): Promise<readonly FileTouch[]>;

  /** How many there are in all, for lists that show some of them. */
  totals(): Promise<KnowledgeTotals>;

  change(change: FactChange): Promise<Fact>;
  history(id: string): Promise<readonly FactRecord[]>;
  /** All facts, oldest first, from after this id. */
  page(after: string | null, most: number): Promise<readonly Fact[]>;
  close(): Promise<void>;
}

export interface AnsweredStep {
  readonly run: string;
  readonly step: string;
  readonly answer: string;
  readonly by: string;
  readonly at: number;
}

/** By which a fact is known again that says this; its id alone may be another one's in a store that was built anew. */
export function markOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}

export interface KnowledgeTotals {
  /** Of each kind, those that are not retired. */
  readonly facts: Readonly<Record<FactKind, number>>;
  readonly tasks: number;
  /** Each path once. */
  readonly files: number;
}

/** What one accepted handoff teaches. */
export interface Lesson {
  readonly source: Omit<Witness, "where">;
  /** As it stood when it was said, or at a time of its own. */
  readonly task: Pick<KnownTask, "id" | "name" | "status" | "dependsOn"> & Partial<Pick<KnownTask, "at">>;
  readonly facts: readonly (LearnedFact & { readonly citation: Citation | null })[];
  readonly files: readonly Pick<FileTouch, "path" | "change" | "lines" | "purpose">[];
  readonly status: Exclude<FactStatus, "retired">;
}

export interface TaughtFact {
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

/** A file that a handoff says it made or changed. */
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
  /** In any order; words that begin so count too. */
  readonly text?: string;
  readonly tags?: readonly string[];
  readonly kinds?: readonly FactKind[];
  readonly file?: string;
  readonly task?: string;
  readonly run?: string;
  readonly status?: readonly FactStatus[];
  /** Learned then or later. */
  readonly since?: number;
  readonly most: number;
}

export interface FoundFact {
  readonly fact: Fact;
  /** Higher is nearer. */
  readonly score: number;
}

/** What a piece of work is about. */
export interface Signals {
  readonly tags: readonly string[];
  readonly words: readonly string[];
  readonly files: readonly string[];
  /** Tasks it stands on, and the run they belong to. */
  readonly tasks: readonly { readonly run: string; readonly task: string }[];
  /** Only facts of these kinds; all, when absent. */
  readonly kinds?: readonly FactKind[];
  /** Most facts by tags, by words, by files and by tasks, each. */
  readonly most: number;
}

export interface FactRecord {
  readonly at: number;
  readonly by: string;
  readonly what: "learned" | "witnessed" | "trusted" | "answered" | FactChange["kind"];
  readonly why: string | null;
  /** The other fact of a merge. */
  readonly other: string | null;
  /** What was different before. */
  readonly before: Partial<Fact> | null;
}

export type FactChange = {
  readonly id: string;
  readonly by: string;
  readonly at: number;
  readonly why: string | null;
} & (
  | { readonly kind: "promote" | "confirm" | "retire" }
  /** This one goes on as `into`, with all its witnesses. */
  | { readonly kind: "merge"; readonly into: string }
  | { readonly kind: "edit"; readonly fields: Partial<Pick<Fact, "text" | "detail" | "severity" | "tags">> }
  /** Found elsewhere: the citation follows it. */
  | { readonly kind: "cite"; readonly citation: Citation | null }
);

/** `fact:pattern-001`, `task:RUN/ID`, `run:ID`, `agent:NAME`, `file:PATH`, `tag:NAME`. */
export type NodeId = `${"fact" | "task" | "run" | "agent" | "file" | "tag"}:${string}`;

export interface Subgraph {
  readonly nodes: readonly { readonly id: NodeId; readonly label: string }[];
  readonly edges: readonly { readonly from: NodeId; readonly to: NodeId; readonly as: string }[];
  /** More was there than was wanted. */
  readonly isCut: boolean;
}
