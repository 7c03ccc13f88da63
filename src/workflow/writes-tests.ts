import type { AgentDefinition, Workflow } from "./definition.ts";

/**
 * Whether an agent may change tests that are there. An agent without the key does so when its name or phase says that it
 * tests; where that is true of no agent of the workflow, all of them do.
 */
export function writesTests({ agents }: Workflow, name: string): boolean {
  const agent = agents[name];
  if (agent?.writesTests !== undefined) return agent.writesTests;
  return (agent !== undefined && isTester(agent)) || !Object.values(agents).some(isTester);
}

function isTester({ name, phase, writesTests: own }: AgentDefinition): boolean {
  return own ?? /test|qa\b|quality/i.test(`${name} ${phase ?? ""}`);
}
