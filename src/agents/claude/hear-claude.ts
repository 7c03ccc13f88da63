import { isRecord } from "../../shared/json-value.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { HeardWork } from "../heard-work.ts";
import { amountOf, jsonLines, listOf, recordOf, textOf } from "../json-lines.ts";
import { NOTHING_TOLD } from "../report-end.ts";
import type { Told } from "../report-end.ts";
import type { Listener } from "../run-client.ts";
import { sinceThen, writeSession } from "../session-token.ts";
import type { ClientSession } from "../session-token.ts";
import type { WatchedLines } from "../watched-lines.ts";
import { ClaudeWork } from "./claude-work.ts";

/** Understands `--output-format stream-json`. */
export function hearClaude(lines: WatchedLines, before: ClientSession | null, workspace: string): Listener {
  const work = new HeardWork(workspace);
  const calls = new ClaudeWork(work);
  let result: JsonRecord | null = null;
  let session: string | null = null;
  let lastText: string | null = null;

  const stream = jsonLines(
    (record) => {
      session = textOf(record["session_id"]) ?? session;
      if (record["type"] === "assistant") lastText = hearMessage(record, lines) ?? lastText;
      if (record["type"] === "result") result = record;
      calls.hear(record);
    },
    (line) => lines.tell(line),
  );
  return {
    hear: (chunk) => stream.add(chunk),
    told(ended) {
      stream.end();
      // The sums of a session that goes on are those of all its attempts.
      work.input = result === null || before !== null ? null : countInput(result);
      if (result !== null) return { ...toldByResult(result, session, before, lines), work: work.told() };
      const kept = session === null ? null : writeSession({ id: session, ...spentBefore(before) });
      const problem = ended.exitCode === 0 ? "claude ended without a result" : null;
      return { ...NOTHING_TOLD, lastMessage: lastText, session: kept, problem, work: work.told() };
    },
  };
}

function spentBefore(before: ClientSession | null): { tokens: number; money: number } {
  return { tokens: before?.tokens ?? 0, money: before?.money ?? 0 };
}

/** The text of the agent's own message; a subagent's is shown but is not its last word. */
function hearMessage(record: JsonRecord, lines: WatchedLines): string | null {
  const parts = listOf(recordOf(record["message"])["content"]).filter(isRecord);
  const text = parts.map((part) => (part["type"] === "text" ? (textOf(part["text"]) ?? "") : "")).join("");
  for (const part of parts) {
    if (part["type"] === "tool_use") lines.tell(`[${textOf(part["name"]) ?? "tool"}]`);
  }
  lines.tellAll(text);
  const isSubagent = textOf(record["parent_tool_use_id"]) !== null;
  return isSubagent || text === "" ? null : text;
}

/**
 * `subtype` may say success where `is_error` says otherwise, and a result may be empty with neither
 * (a stop gate that gave up): what counts is `is_error`, and then what was handed over.
 */
function toldByResult(
  result: JsonRecord,
  session: string | null,
  before: ClientSession | null,
  lines: WatchedLines,
): Omit<Told, "lastError" | "work"> {
  const tokenSum = countTokens(result);
  const moneySum = amountOf(result["total_cost_usd"]);
  const tokens = sinceThen(tokenSum, before?.tokens ?? 0);
  const money = sinceThen(moneySum, before?.money ?? 0);
  lines.usage(tokens, money);
  const text = textOf(result["result"]);
  const isError = result["is_error"] === true;
  return {
    lastMessage: isError ? null : text,
    tokens,
    money,
    session: session === null ? null : writeSession({ id: session, tokens: tokenSum ?? 0, money: moneySum ?? 0 }),
    problem: isError ? describeError(result, text) : null,
  };
}

function describeError(result: JsonRecord, text: string | null): string {
  const errors = listOf(result["errors"]).filter((error) => typeof error === "string");
  return [textOf(result["subtype"]) ?? "error", text, ...errors].filter((part) => part !== null).join(": ");
}

const MODEL_INPUT = ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
const LOOP_INPUT = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

function countTokens(result: JsonRecord): number | null {
  return countUsage(result, [...MODEL_INPUT, "outputTokens"], [...LOOP_INPUT, "output_tokens"]);
}

function countInput(result: JsonRecord): number | null {
  return countUsage(result, MODEL_INPUT, LOOP_INPUT);
}

/** `modelUsage` counts subagents too, `usage` only the main loop. */
function countUsage(result: JsonRecord, ofModel: readonly string[], ofLoop: readonly string[]): number | null {
  const models = Object.values(recordOf(result["modelUsage"])).filter(isRecord);
  if (models.length > 0) return models.reduce((sum, model) => sum + addUp(model, ofModel), 0);
  return isRecord(result["usage"]) ? addUp(result["usage"], ofLoop) : null;
}

function addUp(record: JsonRecord, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (amountOf(record[name]) ?? 0), 0);
}
