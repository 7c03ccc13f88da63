import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import type { HookCall, HookClient } from "./hook-call.ts";

/** The tokens of one request, as the transcript of a client tells them. */
export interface UsageEntry {
  /** Tells requests apart: some clients write the same one several times. */
  readonly id: string;
  /** Input, cached input included, and output. */
  readonly tokens: number;
}

/**
 * How the transcript of a client tells what an agent has used. Each was compared with the client's own sums, with cached
 * input, by running the client (`test/real-clients`): what is not in here is unknown.
 */
interface TranscriptUsage {
  /** One of these stands in every line that counts: others are not parsed. */
  readonly marks: readonly string[];
  /** `each` has the tokens of one request, `sum` those of the whole thread so far. */
  readonly tells: "each" | "sum";
  entry(record: JsonRecord, call: HookCall): UsageEntry | null;
  /** Whether the end of the agent's turn stands in these records: what is written later would be missing. */
  isWhole(records: readonly JsonRecord[], call: HookCall): boolean;
}

/** Null for a client that keeps no transcript, or whose transcript says nothing of it. */
export const TRANSCRIPT_USAGE: Readonly<Record<HookClient, TranscriptUsage | null>> = {
  claude: {
    marks: ['"type":"assistant"'],
    tells: "each",
    entry(record, call) {
      const { id, usage } = recordOf(messageOf(record, call));
      if (typeof id !== "string" || !isRecord(usage)) return null;
      const input = numbersIn(usage, ["input_tokens"]);
      const cached = numbersIn(usage, ["cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"]);
      return input === null ? null : { id, tokens: input + (cached ?? 0) };
    },
    isWhole(records, call) {
      const last = records.findLast((record) => messageOf(record, call) !== null);
      return last !== undefined && endsWith(call.message, textOf(recordOf(messageOf(last, call))["content"]));
    },
  },
  codex: {
    marks: ['"token_count"', '"role":"assistant"'],
    tells: "sum",
    entry(record) {
      const { type, info } = recordOf(record["payload"]);
      const total = type === "token_count" ? recordOf(recordOf(info)["total_token_usage"])["total_tokens"] : null;
      return isAmount(total) ? { id: "thread", tokens: total } : null;
    },
    isWhole(records) {
      const said = records.findLastIndex(({ payload }) => recordOf(payload)["role"] === "assistant");
      const counted = records.findLastIndex(({ payload }) => recordOf(payload)["type"] === "token_count");
      return counted >= 0 && counted > said;
    },
  },
  // Subagents are in no transcript of their own that the hook is told of.
  gemini: {
    marks: ['"type":"gemini"', '"type":"user"'],
    tells: "each",
    entry({ type, id, tokens }) {
      const total = type === "gemini" ? recordOf(tokens)["total"] : null;
      return typeof id === "string" && isAmount(total) ? { id, tokens: total } : null;
    },
    isWhole(records, { message }) {
      const last = records.findLast(({ type }) => type === "gemini" || type === "user");
      return last?.["type"] === "gemini" && endsWith(message, textOf(last["content"]));
    },
  },
  copilot: {
    marks: ['"session.usage_record"', '"assistant.turn_'],
    tells: "each",
    entry(record, call) {
      const usage = recordOf(recordOf(record["data"])["usage"]);
      const { apiCallId: id } = usage;
      const tokens = numbersIn(usage, ["inputTokens", "outputTokens"]);
      const counts = record["type"] === "session.usage_record" && isOfAgent(record, call);
      return counts && typeof id === "string" && tokens !== null ? { id, tokens } : null;
    },
    isWhole(records, call) {
      const turns = records.filter(
        (record) => isOfAgent(record, call) && TURNS.some((turn) => record["type"] === turn),
      );
      return turns.at(-1)?.["type"] === "assistant.turn_end";
    },
  },
  opencode: null,
};

const TURNS = ["assistant.turn_start", "assistant.turn_end"];

/** A message of the model; those of subagents once stood in the transcript of the main agent. */
function messageOf(record: JsonRecord, { agentId }: HookCall): JsonRecord | null {
  const { type, message, isSidechain } = record;
  return type === "assistant" && isRecord(message) && (agentId !== null || isSidechain !== true) ? message : null;
}

/** Subagents of Copilot stand in the transcript of the main agent. */
function isOfAgent({ agentId = null }: JsonRecord, call: HookCall): boolean {
  return agentId === call.agentId;
}

/** Where the hook was told the last message, it must be there; at the end of a session it is not told. */
function endsWith(message: string | null, said: string): boolean {
  if (message === null || message.trim() === "") return said.trim() !== "";
  return said.trim() !== "" && message.trim().endsWith(said.trim());
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

/** The sum of those that are there; null when none is. */
function numbersIn(record: JsonRecord, names: readonly string[]): number | null {
  const found = names.map((name) => record[name]).filter(isAmount);
  return found.length === 0 ? null : found.reduce((sum, each) => sum + each, 0);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** What Claude Code says at the end of a session that all its agents have used; null when it has not written it yet. */
export function claudeSessionCost(
  records: readonly JsonRecord[],
  session: string,
): { readonly tokens: number | null; readonly money: number | null } | null {
  const at = records.findLastIndex(({ type, sessionId }) => type === "cost-state" && sessionId === session);
  const cost = records[at];
  if (cost === undefined || records.slice(at).some(({ type }) => type === "assistant")) return null;
  const models = Object.values(recordOf(cost["modelUsage"])).map(recordOf);
  const each = models.map((model) => numbersIn(model, CLAUDE_MODEL_TOKENS));
  const { totalCostUSD: money, hasUnknownModelCost: isUnknown } = cost;
  return {
    tokens: each.length === 0 || each.includes(null) ? null : each.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    money: typeof money === "number" && money >= 0 && Number.isFinite(money) && isUnknown === false ? money : null,
  };
}

const CLAUDE_MODEL_TOKENS = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];

/** Files that an agent of Claude Code has changed by its tools, absolute; a call that failed changed nothing. */
export function claudeChanges(records: readonly JsonRecord[]): string[] {
  const parts = records.flatMap(({ message }) => {
    const { content } = recordOf(message);
    return Array.isArray(content) ? content.filter(isRecord) : [];
  });
  const failed = new Set(parts.flatMap((part) => (part["is_error"] === true ? [part["tool_use_id"]] : [])));
  const paths = parts.flatMap(({ type, name, id, input }) => {
    const { file_path: file, notebook_path: notebook } = recordOf(input);
    const path = file ?? notebook;
    const isChange = type === "tool_use" && CHANGING.some((tool) => name === tool) && !failed.has(id);
    return isChange && typeof path === "string" ? [path] : [];
  });
  return [...new Set(paths)];
}

const CHANGING: readonly string[] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
