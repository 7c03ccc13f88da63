import type { Machine } from "../ports/machine.ts";

/** What verification without a run works with. It notes what it must in a folder of its own, gone when it is closed. */
export interface Inspection {
  readonly machine: InspectionMachine;
  /** Root of the repository, absolute. */
  readonly root: string;
  close(): Promise<void>;
}

export type InspectionMachine = Pick<Machine, "clock" | "workspace" | "commands" | "repository" | "results" | "redact">;
