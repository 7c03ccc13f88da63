/**
 * Times at which runs of a workflow are started. It is written in the workflow file and is no part of the definition that
 * a run is pinned to: a run does not change with the times of the next one.
 */
export interface Schedule {
  readonly name: string;
  /** Five fields: minute, hour, day of the month, month, weekday. */
  readonly cron: string;
  /** A name of the IANA time zone database. */
  readonly timezone: string;
  readonly brief: string;
  /** What happens at a time at which another run of the schedule has not ended. */
  readonly overlap: Overlap;
  /** What happens with times that passed while no server was there to start a run. */
  readonly missed: MissedTimes;
}

export const OVERLAPS = ["skip", "allow"] as const;
type Overlap = (typeof OVERLAPS)[number];

export const MISSED_TIMES = ["skip", "latest"] as const;
type MissedTimes = (typeof MISSED_TIMES)[number];
