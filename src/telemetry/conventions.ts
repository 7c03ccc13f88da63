import type { AgentKind } from "../workflow/agent-kinds.ts";

/**
 * Names of OpenTelemetry's conventions for generative AI. They are still in development and in no package,
 * so the version that is spoken here is pinned by hand; `handoff.*` is ours.
 */
export const SCHEMA = "https://opentelemetry.io/schemas/1.41.0";

export const OPERATIONS = { workflow: "invoke_workflow", agent: "invoke_agent", tool: "execute_tool" } as const;

export const ATTRIBUTES = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  workflow: "gen_ai.workflow.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  model: "gen_ai.request.model",
  tool: "gen_ai.tool.name",
  tokenType: "gen_ai.token.type",
  error: "error.type",

  run: "handoff.run",
  task: "handoff.task",
  step: "handoff.step",
  attempt: "handoff.attempt",
  iteration: "handoff.iteration",
  reason: "handoff.reason",
  end: "handoff.end",
  status: "handoff.status",
  steps: "handoff.steps",
  result: "handoff.result",
  dialect: "handoff.dialect",
  outcome: "handoff.outcome",
  source: "handoff.source",
  repaired: "handoff.repaired",
  confirmed: "handoff.claims.confirmed",
  refuted: "handoff.claims.refuted",
  unverifiable: "handoff.claims.unverifiable",
  verdict: "handoff.verdict",
  passed: "handoff.passed",
  tokens: "handoff.usage.tokens",
  money: "handoff.usage.cost_usd",
} as const;

export const METRICS = {
  tokens: "gen_ai.client.token.usage",
  duration: "gen_ai.client.operation.duration",
  runs: "handoff.runs",
  attempts: "handoff.attempts",
  handoffs: "handoff.handoffs",
  claims: "handoff.claims",
  gates: "handoff.gates",
} as const;

/** As the conventions give them; a step of an agent may take an hour, so the times go on. */
export const TOKEN_BUCKETS = Array.from({ length: 14 }, (_, power) => 4 ** power);
export const SECOND_BUCKETS = Array.from({ length: 20 }, (_, power) => 2 ** power / 100);

/** The provider behind each kind of agent; the kind itself where the operator chooses the provider. */
export const PROVIDERS: Readonly<Record<AgentKind, string>> = {
  process: "process",
  claude: "anthropic",
  codex: "openai",
  acp: "acp",
  function: "function",
  builtin: "builtin",
  human: "human",
};
