import { isRecord } from "../../shared/json-value.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { FileCall, HeardWork } from "../heard-work.ts";
import { amountOf, listOf, recordOf, textOf } from "../json-lines.ts";

const READING: readonly string[] = ["Read", "NotebookRead"];
const CHANGING: readonly string[] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
/** Who works for a subagent is not always told of. */
const DELEGATING: readonly string[] = ["Agent", "Task"];
const MOST_MESSAGES = 10_000;

/**
 * Files and tokens in the stream of Claude Code. A message comes in one record for each of its parts, with the same
 * usage in all of them; its input is counted there, its output is not (the record tells what was known when it began).
 */
export class ClaudeWork {
  readonly #work: HeardWork;
  readonly #messages = new Set<string>();

  constructor(work: HeardWork) {
    this.#work = work;
  }

  hear(record: JsonRecord): void {
    const message = recordOf(record["message"]);
    const parts = listOf(message["content"]).filter(isRecord);
    if (record["type"] === "user") for (const part of parts) this.#hearResult(part);
    if (record["type"] !== "assistant") return;
    this.#hearUsage(message);
    for (const part of parts) if (part["type"] === "tool_use") this.#hearCall(part);
  }

  #hearUsage(message: JsonRecord): void {
    const id = textOf(message["id"]);
    if (id === null || this.#messages.size >= MOST_MESSAGES) return this.#work.loseCount();
    if (this.#messages.has(id)) return;
    this.#messages.add(id);
    this.#work.send(inputOf(recordOf(message["usage"])));
  }

  #hearCall(part: JsonRecord): void {
    const name = textOf(part["name"]) ?? "";
    if (DELEGATING.includes(name)) this.#work.loseCount();
    const call = fileCall(name, recordOf(part["input"]));
    const id = textOf(part["id"]);
    if (call !== null && id !== null) this.#work.ask(id, call);
  }

  #hearResult(part: JsonRecord): void {
    const id = textOf(part["tool_use_id"]);
    if (part["type"] === "tool_result" && id !== null) this.#work.end(id, part["is_error"] !== true);
  }
}

function fileCall(name: string, input: JsonRecord): FileCall | null {
  const does = READING.includes(name) ? "read" : CHANGING.includes(name) ? "change" : null;
  const path = textOf(input["file_path"]) ?? textOf(input["notebook_path"]);
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
