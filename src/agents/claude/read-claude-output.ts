import { isRecord, type JsonRecord } from "../../shared/json-value.ts";
import { WorkRecorder, type FileCall } from "../work-recorder.ts";
import { EMPTY_CLIENT_REPORT, type ClientReport } from "../report-end.ts";
import type { Listener } from "../run-client.ts";
import { sinceThen, writeSession, type ClientSession } from "../session-token.ts";
import { type WatchedLines, amountOf, jsonLines, jsonList, jsonRecord, jsonText } from "../watched-lines.ts";

/** Understands `--output-format stream-json`. */
export function readClaudeOutput(lines: WatchedLines, before: ClientSession | null, workspace: string): Listener {
  const work = new WorkRecorder(workspace);
  const calls = new ClaudeWork(work);
  let result: JsonRecord | null = null;
  let session: string | null = null;
  let lastText: string | null = null;

  const stream = jsonLines(
    (record) => {
      session = jsonText(record["session_id"]) ?? session;
      if (record["type"] === "assistant") lastText = hearMessage(record, lines) ?? lastText;
      if (record["type"] === "result") result = record;
      calls.hear(record);
    },
    (line) => lines.tell(line),
  );
  return {
    hear: (chunk) => stream.add(chunk),
    report(ended) {
      stream.end();
      // The sums of a session that goes on are those of all its attempts.
      work.input = result === null || before !== null ? null : countInput(result);
      if (result !== null) return { ...toldByResult(result, session, before, lines), work: work.reported() };
      const kept = session === null ? null : writeSession({ id: session, ...spentBefore(before) });
      const problem = ended.exitCode === 0 ? "claude ended without a result" : null;
      return { ...EMPTY_CLIENT_REPORT, lastMessage: lastText, session: kept, problem, work: work.reported() };
    },
  };
}

function spentBefore(before: ClientSession | null): { tokens: number; money: number } {
  return { tokens: before?.tokens ?? 0, money: before?.money ?? 0 };
}

/** The text of the agent's own message; a subagent's is shown but is not its last word. */
function hearMessage(record: JsonRecord, lines: WatchedLines): string | null {
  const parts = jsonList(jsonRecord(record["message"])["content"]).filter(isRecord);
  const text = parts.map((part) => (part["type"] === "text" ? (jsonText(part["text"]) ?? "") : "")).join("");
  for (const part of parts) {
    if (part["type"] === "tool_use") lines.tell(`[${jsonText(part["name"]) ?? "tool"}]`);
  }
  lines.tellAll(text);
  const isSubagent = jsonText(record["parent_tool_use_id"]) !== null;
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
): Omit<ClientReport, "lastError" | "work"> {
  const tokenSum = countTokens(result);
  const moneySum = amountOf(result["total_cost_usd"]);
  const tokens = sinceThen(tokenSum, before?.tokens ?? 0);
  const money = sinceThen(moneySum, before?.money ?? 0);
  lines.usage(tokens, money);
  const text = jsonText(result["result"]);
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
  const errors = jsonList(result["errors"]).filter((error) => typeof error === "string");
  return [jsonText(result["subtype"]) ?? "error", text, ...errors].filter((part) => part !== null).join(": ");
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
  const models = Object.values(jsonRecord(result["modelUsage"])).filter(isRecord);
  if (models.length > 0) return models.reduce((sum, model) => sum + addUp(model, ofModel), 0);
  return isRecord(result["usage"]) ? addUp(result["usage"], ofLoop) : null;
}

function addUp(record: JsonRecord, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (amountOf(record[name]) ?? 0), 0);
}

const READING: readonly string[] = ["Read", "NotebookRead"];
const CHANGING: readonly string[] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
/** Who works for a subagent is not always told of. */
const DELEGATING: readonly string[] = ["Agent", "Task"];
const MAX_MESSAGES = 10_000;

/**
 * Files and tokens in the stream of Claude Code. A message comes in one record for each of its parts, with the same
 * usage in all of them; its input is counted there, its output is not (the record tells what was known when it began).
 */
class ClaudeWork {
  readonly #work: WorkRecorder;
  readonly #messages = new Set<string>();

  constructor(work: WorkRecorder) {
    this.#work = work;
  }

  hear(record: JsonRecord): void {
    const message = jsonRecord(record["message"]);
    const parts = jsonList(message["content"]).filter(isRecord);
    if (record["type"] === "user") for (const part of parts) this.#hearResult(part);
    if (record["type"] !== "assistant") return;
    this.#hearUsage(message);
    for (const part of parts) if (part["type"] === "tool_use") this.#hearCall(part);
  }

  #hearUsage(message: JsonRecord): void {
    const id = jsonText(message["id"]);
    if (id === null || this.#messages.size >= MAX_MESSAGES) return this.#work.loseCount();
    if (this.#messages.has(id)) return;
    this.#messages.add(id);
    this.#work.send(inputOf(jsonRecord(message["usage"])));
  }

  #hearCall(part: JsonRecord): void {
    const name = jsonText(part["name"]) ?? "";
    if (DELEGATING.includes(name)) this.#work.loseCount();
    const call = fileCall(name, jsonRecord(part["input"]));
    const id = jsonText(part["id"]);
    if (call !== null && id !== null) this.#work.ask(id, call);
  }

  #hearResult(part: JsonRecord): void {
    const id = jsonText(part["tool_use_id"]);
    if (part["type"] === "tool_result" && id !== null) this.#work.end(id, part["is_error"] !== true);
  }
}

function fileCall(name: string, input: JsonRecord): FileCall | null {
  const does = READING.includes(name) ? "read" : CHANGING.includes(name) ? "change" : null;
  const path = jsonText(input["file_path"]) ?? jsonText(input["notebook_path"]);
  return does === null ? null : { does, paths: path === null ? [] : [path] };
}

/** Fresh and cached: all of it was sent. */
function inputOf(usage: JsonRecord): number | null {
  const fresh = amountOf(usage["input_tokens"]);
  if (fresh === null) return null;
  return (
    fresh + (amountOf(usage["cache_read_input_tokens"]) ?? 0) + (amountOf(usage["cache_creation_input_tokens"]) ?? 0)
  );
}
