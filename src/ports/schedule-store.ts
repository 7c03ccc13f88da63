/**
 * What was decided on the times of schedules.
 *
 * 1. `decide` stores the first decision on a time, and answers with the stored one: of two processes that decide on the
 *    same time, both get the same answer.
 * 2. What was stored is on disk when the promise resolves.
 * 3. Of each schedule at least the newest 100 decisions to start are kept, and the newest 100 others: however many times
 *    are skipped, the run that was in the way is known.
 */
export interface ScheduleStore {
  decide(decision: NewDecision): Promise<{ readonly decision: ScheduleDecision; readonly isNew: boolean }>;
  /** Those on times up to this one, the newest time first. */
  decisions(schedule: string, until: number, limit: number): Promise<ScheduleDecision[]>;
  /** Decisions to start, the newest time first. */
  starts(schedule: string, limit: number): Promise<ScheduleDecision[]>;
  /** Why the run of a time could not be started so far; null when that has changed. */
  noteProblem(schedule: string, due: number, problem: string | null): Promise<void>;
}

export interface NewDecision {
  /** Tells the schedule from those of other workflow files and repositories. */
  readonly schedule: string;
  /** Milliseconds since 1970: a whole minute. */
  readonly due: number;
  /** `skip`: another run of the schedule had not ended. `miss`: it was too late. */
  readonly kind: "start" | "skip" | "miss";
  /** The run to start; of a skipped time the one that had not ended. */
  readonly run: string | null;
  /** How many times before this one, and after the last decision, passed without one. */
  readonly missed: number;
  /** The first of them. */
  readonly missedSince: number | null;
  readonly at: number;
}

export interface ScheduleDecision extends NewDecision {
  readonly problem: string | null;
}
