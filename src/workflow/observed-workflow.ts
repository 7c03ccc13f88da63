import { DEFAULT_POLICY } from "../evidence/policy.ts";
import type { DialectName } from "../protocol/handoff-words.ts";
import type { AgentDefinition, PinnedFormat, Runner, Workflow } from "./definition.ts";
import { DEFAULT_LOOP } from "./file/defaults.ts";
import { DEFAULT_CONTEXT } from "./file/read-context.ts";
import { MAIN_AGENT, type SessionsSection, sessionAgents } from "./file/sessions-section.ts";

interface ObservedBy {
  readonly client: string;
  readonly section: SessionsSection;
  /** Hash of the file with the section. */
  readonly hash: string;
  readonly formats: Readonly<Record<string, PinnedFormat>>;
  /** The workflow whose expectations hold; null when there is none. */
  readonly followed: Workflow | null;
}

/** What a session is pinned to: the agents that owe a handoff. Nothing of it is ever started. */
export function observedWorkflow({ client, section, hash, formats, followed }: ObservedBy): Workflow {
  const owing = sessionAgents(section).map(({ as, format }) =>
    observedAgent(as, format ?? "task-yaml", client, section),
  );
  const named = Object.fromEntries(owing.map((agent) => [agent.name, agent]));
  // A workflow has an agent, also where none owes a handoff.
  const agents = owing.length > 0 ? named : { [MAIN_AGENT]: observedAgent(MAIN_AGENT, "task-yaml", client, section) };
  return {
    name: `${client}-session`,
    description: `A session of ${client} that is watched.`,
    hash,
    mode: "autonomous",
    start: followed?.start ?? startOf(agents),
    agents: { ...agents, ...followed?.agents },
    gates: followed?.gates ?? {},
    loop: followed?.loop ?? DEFAULT_LOOP,
    blocked: {},
    budget: { wall: null, agent: null, tokens: null, money: null, steps: MAX_STEPS },
    parallel: MAX_AT_ONCE,
    asks: { timeout: null, silence: "remind" },
    workspace: "in-place",
    verify: section.verify ? DEFAULT_POLICY : null,
    learns: true,
    commands: "never",
    tasks: [],
    ...(Object.keys(formats).length > 0 && { formats }),
    forge: null,
  };
}

function startOf(agents: Workflow["agents"]): string {
  return Object.hasOwn(agents, MAIN_AGENT) ? MAIN_AGENT : (Object.keys(agents)[0] ?? MAIN_AGENT);
}

const MAX_STEPS = 1_000_000;
const MAX_AT_ONCE = 64;

function observedAgent(name: string, dialect: DialectName, client: string, section: SessionsSection): AgentDefinition {
  return {
    name,
    runner: runnerOf(client),
    dialect,
    domain: name.split("-")[0] ?? name,
    phase: null,
    prompt: "",
    routes: { done: [{ when: null, action: { kind: "end" } }] },
    retry: { most: 0, delay: 0 },
    repairs: section.blocks,
    timeout: 0,
    output: 0,
    onFailure: null,
    verify: section.verify ? DEFAULT_POLICY : null,
    context: section.context ? DEFAULT_CONTEXT : null,
    gates: [],
    approve: null,
    loop: DEFAULT_LOOP,
    needs: null,
    gives: {},
    cost: { tokens: null, money: null },
    file: null,
    hub: false,
  };
}

function runnerOf(client: string): Runner {
  if (client === "claude" || client === "codex") return { kind: client, command: [client], options: {} };
  return { kind: "acp", command: [client], options: {} };
}
