import type { Redact } from "../shared/redact.ts";
import type { Runner } from "../workflow/definition.ts";
import type { Agent } from "./agent.ts";
import type { Clock } from "./clock.ts";
import type { CommandRunner } from "./command-runner.ts";
import type { EventLog } from "./event-log.ts";
import type { GateResults } from "./gate-results.ts";
import type { KnowledgeStore } from "./knowledge-store.ts";
import type { Repository } from "./repository.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Workspace } from "./workspace.ts";

/** Everything the runtime needs of the world around it. */
export interface Machine {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly workspace: Workspace;
  readonly commands: CommandRunner;
  readonly repository: Repository;
  readonly results: GateResults;
  readonly knowledge: KnowledgeStore;
  readonly redact: Redact;
  readonly telemetry: Telemetry;
  /** What an agent's environment holds so that it can hand in over HTTP; absent where nobody serves. */
  submission?(run: string, attempt: string): Readonly<Record<string, string>>;
  agent(kind: Exclude<Runner["kind"], "human">): Agent;
  /** Ends whatever is left of an attempt that nobody watches any more. */
  endSurvivors(attempt: string, scratch: string): Promise<void>;
}
