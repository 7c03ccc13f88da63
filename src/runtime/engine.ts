import type { Machine } from "../ports/machine.ts";
import type { Notary } from "../ports/notary.ts";

/** What the commands work with: the machine, and where its repository and state are. */
export interface Engine {
  readonly machine: Machine;
  /** Root of the repository, absolute. */
  readonly root: string;
  readonly stateFolder: string;
  /** Whether the log may only be read. */
  readonly isReadOnly?: boolean;
  /** Who signs the log; absent where nobody does. */
  readonly notary?: Notary;
  close(): Promise<void>;
}
