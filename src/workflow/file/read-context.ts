import { AGENT_KINDS } from "../agent-kinds.ts";
import { type JsonPath, type JsonRecord, type JsonValue, isRecord, printPath } from "../../shared/json-value.ts";
import type { ContextPolicy, Runner } from "../definition.ts";
import { DEFAULTS } from "./defaults.ts";
import { numberOr, wordOr } from "./loose-values.ts";
import { type Problems, unknownKey } from "../../protocol/file-problems.ts";

export const COMPLEXITIES = ["easy", "normal", "complex"] as const;
const CONTEXT_KEYS = ["tokens", "complexity"] as const;
export const MAX_CONTEXT_TOKENS = 200_000;

const HINT = "Write for example { tokens: 4000, complexity: normal }, or off.";

export const DEFAULT_CONTEXT: ContextPolicy = DEFAULTS.context;

/** The context policy as written in a file: `tokens` is null when the model decides. */
export interface RequestedContext {
  readonly tokens: number | null;
  readonly complexity: ContextPolicy["complexity"];
}

export const NO_REQUESTED_CONTEXT: RequestedContext = { tokens: null, complexity: DEFAULT_CONTEXT.complexity };

/** The context policy of an agent with this runner. */
export function contextFor(requested: RequestedContext | null, runner: Runner): ContextPolicy | null {
  return requested && { ...requested, tokens: requested.tokens ?? packetTokens(runner) ?? DEFAULT_CONTEXT.tokens };
}

/** Reads how much of the known facts an agent receives. Missing values are inherited. */
export function readContext(
  value: JsonValue | undefined,
  above: RequestedContext | null,
  path: JsonPath,
  problems: Problems,
): RequestedContext | null {
  if (value === undefined) return above;
  if (value === "off" || value === false) return null;
  if (!isRecord(value)) {
    problems.add({ code: "wrong-type", path, message: `\`${printPath(path)}\` must be a record or off.`, hint: HINT });
    return above;
  }
  checkFields(value, path, problems);
  const { tokens, complexity } = value;
  const base = above ?? NO_REQUESTED_CONTEXT;
  return {
    tokens: isBudget(tokens) ? numberOr(tokens, base.tokens) : base.tokens,
    complexity: wordOr(complexity, COMPLEXITIES, base.complexity),
  };
}

function checkFields(value: JsonRecord, path: JsonPath, problems: Problems): void {
  for (const key of Object.keys(value))
    if (!CONTEXT_KEYS.some((known) => known === key)) unknownKey(key, CONTEXT_KEYS, path, problems);
  const { tokens, complexity } = value;
  if (tokens !== undefined && !isBudget(tokens))
    tell(problems, [...path, "tokens"], `a whole number up to ${MAX_CONTEXT_TOKENS}`);
  if (complexity !== undefined && !COMPLEXITIES.some((word) => word === complexity))
    tell(problems, [...path, "complexity"], `one of ${COMPLEXITIES.join(", ")}`);
}

function isBudget(value: JsonValue | undefined): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_CONTEXT_TOKENS;
}

function tell(problems: Problems, path: JsonPath, wanted: string): void {
  problems.add({ code: "not-allowed", path, message: `\`${printPath(path)}\` must be ${wanted}.`, hint: HINT });
}

/** A family of models, recognized by the beginning of their names, with the size of their context window. */
interface ModelFamily {
  /** Matches the beginning of a name; a provider in front of it (`openai/gpt-5`) is ignored. */
  readonly name: RegExp;
  /** In tokens: the smallest window among the models with such names. */
  readonly window: number;
}

/** The first family that matches is used. docs/spec/workflow.md shows the same table. */
export const MODEL_FAMILIES: readonly ModelFamily[] = [
  { name: /\[1m\]$/, window: 1_000_000 },
  { name: /^claude-(?:fable|mythos|(?:opus|sonnet|haiku)-5)/, window: 1_000_000 },
  { name: /^(?:claude|opus|sonnet|haiku|fable)/, window: 200_000 },
  { name: /^(?:gpt-4\.1|gemini)/, window: 1_000_000 },
  { name: /^gpt-5.*spark/, window: 128_000 },
  { name: /^gpt-5/, window: 272_000 },
  { name: /^(?:gpt-4o|o[134]|grok|kimi|glm|llama-?(?:3\.[1-9]|4))/, window: 128_000 },
  { name: /^deepseek/, window: 64_000 },
  { name: /^(?:qwen|mistral|mixtral|codestral|devstral)/, window: 32_000 },
  { name: /^llama/, window: 8_000 },
];

/** Percentage of the context window for a packet: the work needs the rest. */
export const CONTEXT_SHARE = 2;
const LEAST_TOKENS = 500;

/** Maximum number of tokens of a packet when the workflow sets no limit; null when the model is not known. */
function packetTokens(runner: Runner): number | null {
  const model = (modelOf(runner) ?? AGENT_KINDS[runner.kind].usualModel ?? "").toLowerCase();
  const name = model.slice(model.lastIndexOf("/") + 1);
  const family = MODEL_FAMILIES.find((one) => one.name.test(name));
  return family === undefined ? null : Math.max(LEAST_TOKENS, Math.floor((family.window * CONTEXT_SHARE) / 100));
}

/** The model that the workflow names: `{ claude: { model: opus } }`, or `--model` in a command. */
function modelOf(runner: Runner): string | null {
  switch (runner.kind) {
    case "human":
    case "builtin":
    case "function":
      return null;
    case "process":
      return argued(runner.command);
    case "claude":
    case "codex":
    case "acp": {
      const { model } = runner.options;
      return typeof model === "string" ? model : argued(runner.command);
    }
  }
}

function argued(command: readonly string[]): string | null {
  const joined = command.find((word) => word.startsWith("--model="));
  if (joined !== undefined) return joined.slice("--model=".length);
  const at = command.indexOf("--model");
  return at === -1 ? null : (command[at + 1] ?? null);
}
