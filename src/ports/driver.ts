import type { TaskDefinition, Workflow } from "../workflow/definition.ts";
import type { ContinuedHandoff, RunInput, TrustedFile } from "../workflow/input.ts";
import type { RunState } from "../workflow/state.ts";

/**
 * An engine that drives runs.
 *
 * 1. When `start` has resolved, the run is stored: it continues even if this process dies.
 * 2. Each input to a run is processed once, in the order of its arrival, even if no process drives the run at that
 *    time. Only what a person trusts goes before the rest.
 * 3. A run continues by itself when agents end, timers fire or inbox messages arrive.
 * 4. After `stop`, another driver on the same store continues the runs of this one.
 */
export interface Driver {
  start(run: NewRunOptions): Promise<string>;
  /** False when an input with the same id was sent before. */
  send(run: string, input: RunInput, id?: string): Promise<boolean>;
  /** Resolves when the run has ended, or only a person can continue it. */
  settled(run: string): Promise<RunState>;
  /** Releases every run; agents of this process are stopped and count as lost. */
  stop(): Promise<void>;
}

export interface NewRunOptions {
  readonly workflow: Workflow;
  readonly brief: string;
  readonly tasks: readonly TaskDefinition[];
  /** Values known from the start, such as `issue.number` or `branch`. */
  readonly known: Readonly<Record<string, string>>;
  readonly id?: string;
  /** The last handoff of another run, with which this one begins. */
  readonly continues?: ContinuedHandoff;
  /** The workflow file, from the root of the repository. */
  readonly file?: string;
  /** The files that the operator trusts with it; those that are there now unless given. */
  readonly trusted?: readonly (TrustedFile & { readonly bytes: Uint8Array })[];
}
