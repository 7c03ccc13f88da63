import type { Fact, FactKind, FactStatus } from "../../knowledge/fact.ts";
import type { AnsweredStep, FactRecord, FileTouch, KnownTask, LearnedBatch } from "../../ports/knowledge-store.ts";
import type { FactText, StatementKey } from "./fact-text.ts";
import type { StoredFact } from "./stored-fact.ts";

/**
 * What learning and changing facts reads and writes, in a transaction that no other writer is in. Each store has its
 * own; what is decided stands in `store-learned-batch.ts`, `change-fact.ts` and `write-fact.ts` for all of them.
 */
export interface FactTables {
  /** Refused as damage when it is missing. */
  fact(number: number): StoredFact;
  factById(id: string): StoredFact | null;
  /** The fact with this statement, or the one that it was merged into. */
  factByStatement(statement: StatementKey): StoredFact | null;
  /** With its sources and opposites. */
  wholeFact(number: number): Fact;
  /** Returns its number. */
  insertFact(fact: NewFactRow): number;
  /** The tokens and the files that it is found by follow. */
  updateFact(fact: StoredFact, now: FactColumns): void;
  addCounts(fact: number, counts: Partial<Pick<StoredFact, "witnesses" | "repeats" | "helped">>): void;

  /** The last number that was used for a kind. */
  lastNumber(kind: FactKind): number;
  setLastNumber(kind: FactKind, last: number): void;

  /** The number of what was learned from this handoff; null when nothing was. */
  lesson(source: LearnedBatch["source"]): number | null;
  insertLesson(source: LearnedBatch["source"], files: readonly LearnedFile[]): number;
  /** When the task was as it is stored; null when it is not. */
  taskTime(run: string, id: string): number | null;
  putTask(task: KnownTask): void;

  /** The fact that was learned from this place of the handoff. */
  witnessed(lesson: number, place: string): number | null;
  insertWitness(witness: NewWitness): void;
  /** What a step said that is not proven yet. */
  unproven(run: string, step: string): readonly Unproven[];
  questions(run: string, step: string): readonly AskedQuestion[];
  /** Null when it has become part of the fact. */
  setSaid(fact: number, ordinal: number, said: string | null): void;
  /** Every ordinal grows by `by`. */
  moveWitnesses(from: number, into: number, by: number): void;

  opposites(fact: number): readonly number[];
  /** In both directions. */
  oppose(fact: number, other: number): void;
  reconcile(fact: number, other: number): void;
  /** Facts that were merged into `from` are merged into `into`. */
  followMerge(from: number, into: number): void;

  appendRecord(fact: number, record: NewRecord): void;
  isAnswered(fact: number, answered: Pick<AnsweredStep, "at" | "by">): boolean;
  /** False when the step was counted before. */
  insertHelp(run: string, step: string): boolean;
}

export interface FactColumns {
  readonly status: FactStatus;
  readonly statement: StatementKey;
  readonly mergedInto: number | null;
  readonly isEdited: boolean;
  readonly tokens: string;
  readonly factText: FactText;
}

export interface NewFactRow extends Pick<FactColumns, "status" | "statement" | "tokens" | "factText"> {
  readonly id: string;
  readonly kind: FactKind;
  readonly at: number;
}

export interface NewWitness {
  readonly fact: number;
  readonly ordinal: number;
  readonly lesson: number;
  readonly place: string;
  readonly said: string | null;
  readonly isRepeat: boolean;
}

export interface Unproven {
  readonly fact: number;
  readonly ordinal: number;
  readonly said: string;
}

export interface AskedQuestion extends Omit<Unproven, "said"> {
  readonly said: string | null;
}

export interface NewRecord extends Omit<FactRecord, "other"> {
  readonly other?: number;
}

type LearnedFile = Pick<FileTouch, "path" | "change" | "lines" | "purpose">;
