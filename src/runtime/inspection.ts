import type { Machine } from "../ports/machine.ts";

/** What verification without a run works with. It notes what it must in a folder of its own, gone when it is closed. */
export interface Inspection {
  readonly machine: InspectionMachine;
  /** Root of the repository, absolute. */
  readonly root: string;
  /** Where there is a repository that git cannot be used on: why, in git's own words, and what to do. */
  whyNoRepository(): Promise<{ readonly says: string; readonly hint: string } | null>;
  close(): Promise<void>;
}

export type InspectionMachine = Pick<Machine, "clock" | "workspace" | "commands" | "repository" | "results" | "redact">;
