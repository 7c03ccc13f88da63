import type { Machine } from "../ports/machine.ts";

/** What the commands work with: the machine, and where its repository and state are. */
export interface Engine {
  readonly machine: Machine;
  /** Root of the repository, absolute. */
  readonly root: string;
  readonly stateFolder: string;
  close(): Promise<void>;
}
