import { isRecord } from "../../shared/json-value.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { FileCall, WorkRecorder } from "../work-recorder.ts";
import { LineSplitter } from "../process-group/program-output.ts";
import { type WatchedLines, amountOf, jsonList, jsonRecord, jsonText } from "../watched-lines.ts";

/** What `session/update` tells: messages in pieces, tool calls, costs. */
export class ReceivedUpdates {
  readonly #lines: WatchedLines;
  readonly #work: WorkRecorder;
  #line: LineSplitter;
  #pieces: string[] = [];
  #messageId: string | null = null;
  #lastMessage: string | null = null;
  /** Updates so far. */
  count = 0;
  /** Of the whole session. */
  money: number | null = null;
  /** A session that is loaded first tells all that was said in it. */
  isReplay = false;

  constructor(lines: WatchedLines, work: WorkRecorder) {
    this.#lines = lines;
    this.#work = work;
    this.#line = this.#newLine();
  }

  hear(update: JsonRecord): void {
    this.count += 1;
    const kind = jsonText(update["sessionUpdate"]);
    if (kind === "usage_update") this.#hearCost(jsonRecord(update["cost"]));
    if (this.isReplay) return;
    if (kind === "agent_message_chunk") this.#hearPiece(update);
    if (kind === "tool_call") {
      this.#endMessage();
      this.#lines.tell(`[${jsonText(update["kind"]) ?? "tool"}] ${jsonText(update["title"]) ?? ""}`);
    }
    if (kind === "tool_call" || kind === "tool_call_update") this.#hearCall(update);
  }

  /** Not the client's own words. */
  tell(line: string): void {
    this.#lines.tell(line);
  }

  /** The last message that was not empty: what came after the last tool call, as a rule. */
  lastMessage(): string | null {
    this.#endMessage();
    return this.#lastMessage;
  }

  #hearPiece(update: JsonRecord): void {
    const id = jsonText(update["messageId"]);
    if (id !== null && this.#messageId !== null && id !== this.#messageId) this.#endMessage();
    this.#messageId = id ?? this.#messageId;
    const piece = jsonText(jsonRecord(update["content"])["text"]) ?? "";
    this.#pieces.push(piece);
    this.#line.add(Buffer.from(piece));
  }

  /** A call is told of several times; its files may only be known with its result. */
  #hearCall(update: JsonRecord): void {
    const id = jsonText(update["toolCallId"]);
    if (id === null) return;
    const paths = jsonList(update["locations"])
      .filter(isRecord)
      .map((place) => jsonText(place["path"]) ?? "");
    const does = CALLS.get(jsonText(update["kind"]) ?? "") ?? null;
    this.#work.ask(id, { does, paths: paths.filter((path) => path !== "") });
    const status = jsonText(update["status"]);
    if (status === "completed" || status === "failed") this.#work.end(id, status === "completed");
  }

  #endMessage(): void {
    const message = this.#pieces.join("");
    if (message.trim() !== "") this.#lastMessage = message;
    this.#pieces = [];
    this.#line.end();
    this.#line = this.#newLine();
  }

  #hearCost(cost: JsonRecord): void {
    if (jsonText(cost["currency"]) === "USD") this.money = amountOf(cost["amount"]) ?? this.money;
  }

  #newLine(): LineSplitter {
    return new LineSplitter((line) => this.#lines.tell(line), MAX_LINE);
  }
}

const MAX_LINE = 16_384;

/** Kinds of tool calls that read files or change them. */
const CALLS: ReadonlyMap<string, FileCall["does"]> = new Map([
  ["read", "read"],
  ["edit", "change"],
  ["delete", "change"],
  ["move", "change"],
]);
