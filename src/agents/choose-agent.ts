import type { Agent } from "../ports/agent.ts";
import type { Runner } from "../workflow/definition.ts";
import { acpAgent } from "./acp/acp-agent.ts";
import { claudeAgent } from "./claude/claude-agent.ts";
import { codexAgent } from "./codex/codex-agent.ts";
import { functionAgent } from "./function/function-agent.ts";
import { processAgent } from "./process/process-agent.ts";

const AGENTS: readonly Agent[] = [processAgent, functionAgent, claudeAgent, codexAgent, acpAgent];

/** Null for a person, who is asked and not started. */
export function agentFor(kind: Runner["kind"]): Agent | null {
  return AGENTS.find((agent) => agent.kind === kind) ?? null;
}
