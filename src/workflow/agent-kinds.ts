import type { Runner } from "./definition.ts";

export type AgentKind = Runner["kind"];

/** Keys of `run` in a workflow file that say more about some kinds. */
export const RUN_COMPANIONS = ["prompt", "env", "inherit", "command", "options"] as const;
type RunCompanion = (typeof RUN_COMPANIONS)[number];

interface AgentKindFacts {
  readonly companions: readonly RunCompanion[];
  /** It costs neither tokens nor money. */
  readonly isFree: boolean;
  /** The model that the client takes when none is named; null where there is no usual one. */
  readonly usualModel: string | null;
}

/**
 * Every kind of agent. A new one gets a member of `Runner` and a row here; the type checker names the other places.
 */
export const AGENT_KINDS: Readonly<Record<AgentKind, AgentKindFacts>> = {
  process: { companions: ["prompt", "env", "inherit"], isFree: false, usualModel: null },
  claude: { companions: ["command"], isFree: false, usualModel: "claude" },
  codex: { companions: ["command"], isFree: false, usualModel: "gpt-5" },
  acp: { companions: ["options"], isFree: false, usualModel: null },
  function: { companions: [], isFree: false, usualModel: null },
  builtin: { companions: ["options"], isFree: true, usualModel: null },
  human: { companions: [], isFree: true, usualModel: null },
};

export const AGENT_KIND_NAMES = Object.keys(AGENT_KINDS) as readonly AgentKind[];

/** The kinds that a key of `run` belongs to. */
export function kindsWith(companion: RunCompanion): AgentKind[] {
  return AGENT_KIND_NAMES.filter((kind) => AGENT_KINDS[kind].companions.includes(companion));
}
