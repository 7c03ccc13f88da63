import type { Runner } from "../definition.ts";

/** A family of models, known by the beginning of its names, and how much its models read at once. */
interface ModelFamily {
  /** Names that begin so; a provider before the name (`openai/gpt-5`) does not count. */
  readonly name: RegExp;
  /** In tokens: of all models of these names the smallest. */
  readonly window: number;
}

/** The first family that fits counts. docs/spec/workflow.md shows the same table. */
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

/** A client that is given no model takes one of these. */
const USUAL_MODELS: Readonly<Partial<Record<Runner["kind"], string>>> = { claude: "claude", codex: "gpt-5" };

/** Of the window, in percent: a packet helps to begin, and the work needs the rest. */
export const CONTEXT_SHARE = 2;
const LEAST_TOKENS = 500;

/** How many tokens a packet may have that the workflow sets no limit to; null when the model is not known. */
export function packetTokens(runner: Runner): number | null {
  const model = (modelOf(runner) ?? USUAL_MODELS[runner.kind] ?? "").toLowerCase();
  const name = model.slice(model.lastIndexOf("/") + 1);
  const family = MODEL_FAMILIES.find((one) => one.name.test(name));
  return family === undefined ? null : Math.max(LEAST_TOKENS, Math.floor((family.window * CONTEXT_SHARE) / 100));
}

/** What the workflow names: `{ claude: { model: opus } }`, or `--model` among the words of a command. */
function modelOf(runner: Runner): string | null {
  if (!("command" in runner)) return null;
  const model = runner.kind === "process" ? undefined : runner.options["model"];
  return typeof model === "string" ? model : argued(runner.command);
}

function argued(command: readonly string[]): string | null {
  const joined = command.find((word) => word.startsWith("--model="));
  if (joined !== undefined) return joined.slice("--model=".length);
  const at = command.indexOf("--model");
  return at === -1 ? null : (command[at + 1] ?? null);
}
