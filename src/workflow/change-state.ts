import { ownValue } from "../shared/json-value.ts";
import type { RunState, Step, TaskState } from "./state.ts";
import type { Event } from "./event.ts";

/** The task of an event; the log names only tasks that it added. */
export function taskOf(state: RunState, id: string): TaskState {
  const task = ownValue(state.tasks, id);
  if (task === undefined) throw new Error(`The log names a task that was never added: ${id}`);
  return task;
}

export function withTask(state: RunState, id: string, change: Partial<TaskState>): RunState {
  return { ...state, tasks: { ...state.tasks, [id]: { ...taskOf(state, id), ...change } } };
}

export function withStep(state: RunState, id: string, change: Partial<Step>): RunState {
  const { step } = taskOf(state, id);
  return step === null ? state : withTask(state, id, { step: { ...step, ...change } });
}

export function omitKey<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!Object.hasOwn(record, key)) return record;
  const { [key]: _gone, ...rest } = record;
  return rest;
}

/** One handler for each kind of event: the state after it. */
export type Handlers<Kind extends Event["kind"]> = {
  readonly [K in Kind]: (state: RunState, event: Extract<Event, { kind: K }>) => RunState;
};
