import { type JsonPath, type JsonRecord, type JsonValue, isRecord, printPath } from "../../shared/json-value.ts";
import type { ContextPolicy, Runner } from "../definition.ts";
import { packetTokens } from "./context-windows.ts";
import { DEFAULTS } from "./defaults.ts";
import { numberOr, wordOr } from "./loose-values.ts";
import type { Problems } from "./problems.ts";
import { unknownKey } from "./unknown-keys.ts";

export const COMPLEXITIES = ["easy", "normal", "complex"] as const;
const CONTEXT_KEYS = ["tokens", "complexity"] as const;
export const MOST_CONTEXT_TOKENS = 200_000;

const HINT = "Write for example { tokens: 4000, complexity: normal }, or off.";

export const DEFAULT_CONTEXT: ContextPolicy = DEFAULTS.context;

/** As a file says it: tokens are null where it leaves them to the model. */
export interface ContextWish {
  readonly tokens: number | null;
  readonly complexity: ContextPolicy["complexity"];
}

export const NO_WISH: ContextWish = { tokens: null, complexity: DEFAULT_CONTEXT.complexity };

/** What holds for an agent that is run so. */
export function contextFor(wish: ContextWish | null, runner: Runner): ContextPolicy | null {
  return wish && { ...wish, tokens: wish.tokens ?? packetTokens(runner) ?? DEFAULT_CONTEXT.tokens };
}

/** How much of what is known an agent is given; what is not said is as it was above. */
export function readContext(
  value: JsonValue | undefined,
  above: ContextWish | null,
  path: JsonPath,
  problems: Problems,
): ContextWish | null {
  if (value === undefined) return above;
  if (value === "off" || value === false) return null;
  if (!isRecord(value)) {
    problems.add({ code: "wrong-type", path, message: `\`${printPath(path)}\` must be a record or off.`, hint: HINT });
    return above;
  }
  checkFields(value, path, problems);
  const { tokens, complexity } = value;
  const base = above ?? NO_WISH;
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
    tell(problems, [...path, "tokens"], `a whole number up to ${MOST_CONTEXT_TOKENS}`);
  if (complexity !== undefined && !COMPLEXITIES.some((word) => word === complexity))
    tell(problems, [...path, "complexity"], `one of ${COMPLEXITIES.join(", ")}`);
}

function isBudget(value: JsonValue | undefined): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_CONTEXT_TOKENS;
}

function tell(problems: Problems, path: JsonPath, wanted: string): void {
  problems.add({ code: "not-allowed", path, message: `\`${printPath(path)}\` must be ${wanted}.`, hint: HINT });
}
