import { isRecord } from "../../shared/json-value.ts";
import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";

/** Answers what the other side asks; throws to refuse, null when the method is not known. */
type Answerer = (method: string, parameters: JsonRecord) => Promise<JsonValue> | null;

interface Waiting {
  readonly resolve: (result: JsonRecord) => void;
  readonly reject: (error: Error) => void;
}

const METHOD_NOT_FOUND = -32_601;
const REFUSED = -32_603;

/** One end of a JSON-RPC 2.0 connection over lines: all of it that the Agent Client Protocol needs. */
export class JsonRpcPeer {
  readonly #send: (line: string) => void;
  readonly #answer: Answerer;
  readonly #onNotice: (method: string, parameters: JsonRecord) => void;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(
    send: (line: string) => void,
    answer: Answerer,
    onNotice: (method: string, parameters: JsonRecord) => void,
  ) {
    this.#send = send;
    this.#answer = answer;
    this.#onNotice = onNotice;
  }

  /** Rejects with what the other side says went wrong. */
  request(method: string, parameters: JsonRecord): Promise<JsonRecord> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<JsonRecord>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#print({ id, method, params: parameters });
    return answered;
  }

  hear(message: JsonRecord): void {
    const { id, method } = message;
    const parameters = isRecord(message["params"]) ? message["params"] : {};
    if (typeof method !== "string") this.#settle(message);
    else if (id === undefined) this.#onNotice(method, parameters);
    else void this.#respond(id, method, parameters);
  }

  #settle(message: JsonRecord): void {
    const { id, result, error } = message;
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (waiting === undefined || typeof id !== "number") return;
    this.#waiting.delete(id);
    if (isRecord(error)) waiting.reject(new Error(describeError(error)));
    else waiting.resolve(isRecord(result) ? result : {});
  }

  async #respond(id: JsonValue, method: string, parameters: JsonRecord): Promise<void> {
    try {
      const answer = this.#answer(method, parameters);
      if (answer === null) {
        this.#print({ id, error: { code: METHOD_NOT_FOUND, message: `${method} is not known here` } });
        return;
      }
      this.#print({ id, result: await answer });
    } catch (error) {
      this.#print({ id, error: { code: REFUSED, message: error instanceof Error ? error.message : String(error) } });
    }
  }

  #print(message: JsonRecord): void {
    this.#send(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

/** The message alone is often "Internal error"; what happened stands in the data. */
function describeError(error: JsonRecord): string {
  const message = typeof error["message"] === "string" ? error["message"] : "an error without words";
  const data = error["data"];
  if (data === undefined || data === null) return message;
  const details = isRecord(data) && typeof data["details"] === "string" ? data["details"] : JSON.stringify(data);
  return `${message}: ${details}`;
}
