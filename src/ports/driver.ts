import type { TaskDefinition, Workflow } from "../workflow/definition.ts";
import type { Input } from "../workflow/input.ts";
import type { RunState } from "../workflow/state.ts";

/**
 * An engine that moves runs on.
 *
 * 1. When `start` has resolved, the run is stored: it goes on even if this process dies now.
 * 2. What is told to a run is taken once, in the order it was told, also while nobody drives it.
 * 3. A run moves on without being asked: agents' ends, timers and letters do it.
 * 4. After `stop`, another driver on the same store finishes what this one began.
 */
export interface Driver {
  start(run: NewRunOptions): Promise<string>;
  /** False when the same id was told before. */
  tell(run: string, told: Told, id?: string): Promise<boolean>;
  /** Resolves when the run has ended, or only a person can move it on. */
  settled(run: string): Promise<RunState>;
  /** Lets go of every run; agents of this process are ended and count as lost. */
  stop(): Promise<void>;
}

export interface NewRunOptions {
  readonly workflow: Workflow;
  readonly brief: string;
  readonly tasks: readonly TaskDefinition[];
  /** What is known from the start, `issue.number` or `branch`. */
  readonly known: Readonly<Record<string, string>>;
  readonly id?: string;
}

type WithoutTime<I> = I extends Input ? Omit<I, "at"> : never;
/** What a run is told; the time is told when it is taken in. */
export type Told = WithoutTime<Input>;
