import type { Agent } from "../ports/agent.ts";
import type { AgentKind } from "../workflow/agent-kinds.ts";
import { acpAgent } from "./acp/acp-agent.ts";
import { type BuiltinHome, builtinAgent } from "./builtin/builtin-agent.ts";
import { claudeAgent } from "./claude/claude-agent.ts";
import { codexAgent } from "./codex/codex-agent.ts";
import { functionAgent } from "./function/function-agent.ts";
import { processAgent } from "./process/process-agent.ts";

/** Starts agents of each kind; a person is asked and not started. */
type AgentTable = Readonly<Record<Exclude<AgentKind, "human">, Agent>>;

export function agentTable(home: BuiltinHome): AgentTable {
  return {
    process: processAgent,
    claude: claudeAgent,
    codex: codexAgent,
    acp: acpAgent,
    function: functionAgent,
    builtin: builtinAgent(home),
  };
}
