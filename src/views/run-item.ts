export const RUN_STATUS_WORDS = ["running", "waiting", "stalled", "completed", "failed", "cancelled"] as const;
export type RunStatusWord = (typeof RUN_STATUS_WORDS)[number];

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
