import type { HookClient, HookMoment } from "./hook-call.ts";
import type { ObserverPorts } from "./observer.ts";
import type { Redact } from "../../shared/redact.ts";

/** What the hook uses of the machine. */
export interface HookMachine {
  /** The configuration folder of the operator. */
  readonly configFolder: string;
  /** Whether the client was started by a run of baton: then the run takes the handoff, and the hook has nothing to do. */
  readonly isDriven: boolean;
  readonly redact: Redact;
  now(): number;
  /** A random value that agents cannot guess. */
  nonce(): string;
  /** The repository in which a client works, and its state. The client tells a folder, or null. */
  place(client: HookClient, told: string | null): HookPlace;
  /** Milliseconds that an answer may take; null where the client waits for none. */
  maxTime(moment: HookMoment): number | null;
  /** Ends the process when it has answered. What is still at work is given up. */
  end(): void;
}

export interface HookPlace {
  /** Root of the repository, absolute. */
  readonly root: string;
  readonly stateFolder: string;
  /** By which the repository is told from every other one. */
  mark(): string;
  /** Opens the state, to record a session in it; git is asked at once where the repository stands, if it `looksAhead`. */
  openState(options?: { readonly looksAhead: boolean }): Promise<OpenState>;
}

export interface OpenState {
  readonly ports: ObserverPorts;
  /** Whether anything was learned yet: knowledge is not made only to look at it. */
  hasKnowledge(): boolean;
  close(): Promise<void>;
}
