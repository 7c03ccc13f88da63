import { type Infer, data } from "../protocol/shape.ts";
import { REMARK_KINDS } from "../workflow/state.ts";

export const RUN_STATUS_WORDS = [
  "running",
  "watched",
  "waiting",
  "stalled",
  "completed",
  "failed",
  "cancelled",
] as const;
export type RunStatusWord = (typeof RUN_STATUS_WORDS)[number];

export const runItemShape = data.record({
  run: data.text(),
  /** Name of the workflow. */
  workflow: data.text(),
  /**
   * `stalled` when the run should be working and had no event for long (24 h by default), `watched` for a session of a
   * client that has not ended.
   */
  status: data.oneOf(RUN_STATUS_WORDS),
  /** Of an open session: when its last sign came, if that is an hour ago or longer; else null. */
  idle_since: data.nullable(data.count()),
  /** Whether it is a session of a client, which Baton watches and does not drive. */
  is_observed: data.boolean(),
  /** Agents of a session that were let pass without a valid handoff. */
  failed_agents: data.list(data.text()),
  reason: data.nullable(data.text()),
  /** Of a run that has ended: blocking issues that are open, and so on. */
  remarks: data.table(REMARK_KINDS, data.count()),
  brief: data.text(),
  created_at: data.count(),
  updated_at: data.count(),
  iteration: data.count(),
  steps: data.count(),
  tasks: data.count(),
  tasks_done: data.count(),
  /** Agents that are working now. */
  agents: data.list(data.text()),
  asks: data.count(),
  open_issues: data.count(),
  /** True while a process drives the run. */
  is_driven: data.boolean(),
});
/** One run in a list. */
export type RunItem = Infer<typeof runItemShape>;

export const runListShape = data.record({
  runs: data.list(runItemShape),
  /** The value of `cursor` for the next page; null on the last page. */
  next: data.nullable(data.text()),
  /** Runs by status; all other filters apply. */
  counts: data.table(RUN_STATUS_WORDS, data.count()),
  /** Names of all workflows with runs, for the filter. */
  workflows: data.list(data.text()),
});
export type RunList = Infer<typeof runListShape>;
