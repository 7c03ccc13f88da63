import type { Redact } from "../shared/redact.ts";
import type { Runner } from "../workflow/definition.ts";
import type { Agent } from "./agent.ts";
import type { CommandRunner } from "./command-runner.ts";
import type { EventLog } from "./event-log.ts";
import type { KnowledgeStore } from "./knowledge-store.ts";
import type { Repository } from "./repository.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Workspace } from "./workspace.ts";
import type { TestCases } from "../evidence/test-cases.ts";
import type { Figures } from "../evidence/observations.ts";

/** All interfaces of the runtime to the outside. */
export interface Ports {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly workspace: Workspace;
  readonly commands: CommandRunner;
  readonly repository: Repository;
  readonly results: GateResults;
  readonly knowledge: KnowledgeStore;
  readonly redact: Redact;
  readonly telemetry: Telemetry;
  /** Environment variables with which an agent can submit its handoff over HTTP; absent when no server runs. */
  submission?(run: string, attempt: string): Readonly<Record<string, string>>;
  /** Texts that a person was shown or has trusted, to show later what is different. Losing them costs only that. */
  readonly seenTexts?: SeenTexts;
  agent(kind: Exclude<Runner["kind"], "human">): Agent;
  /**
   * Kills the remaining processes of an attempt whose baton process has died. Returns how many milliseconds the attempt
   * is known to have worked; null when that is not known.
   */
  killOrphans(attempt: string, scratch: string): Promise<number | null>;
}

/** Time and randomness, replaceable in tests. */
interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** A new id that cannot be guessed. */
  id(): string;
}

export interface SeenTexts {
  /** By its SHA-256; null when it was not kept. */
  find(hash: string): string | null;
  keep(text: Uint8Array): void;
}

/** Cache of gate results by state. Losing it costs only time. */
export interface GateResults {
  find(key: string): Promise<GateResult | null>;
  keep(key: string, result: GateResult): Promise<void>;
}

/**
 * Only results of gates that passed: a failure may be accidental, so it is not cached. The tests of a state before the
 * work are kept however the gate ended.
 */
export interface GateResult {
  readonly message: string;
  readonly output: string;
  readonly milliseconds: number;
  readonly figures: Figures | null;
  /** Its tests one by one; null when its reports do not name them. */
  readonly cases?: TestCases | null;
}
