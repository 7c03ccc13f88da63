import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot } from "../cli/run-baton.ts";

export type Json = Record<string, unknown>;
type Era = "2025-11-25" | "2026-07-28";
export const ERAS: readonly Era[] = ["2025-11-25", "2026-07-28"];

/** What the person in the client answers to a question; null when the client shows none. */
type Person = ((request: Json) => Json) | null;

/** The smallest client that speaks both eras. */
interface McpClient {
  /** The result, or `{ error }`. */
  ask(method: string, params?: Json): Promise<Json>;
  /** The result of a tool: its structured content, its text and whether it is an error. */
  call(name: string, given?: Json): Promise<{ data: Json; text: string; isError: boolean }>;
  /** Notifications that came with answers. */
  readonly told: Json[];
  close(): Promise<void>;
}

const CLIENT = { name: "test-client", version: "1.2.3" };

type Send = (message: Json, onRequest: (request: Json) => void) => Promise<Json>;

function clientOver(send: Send, era: Era, person: Person, told: Json[], close: () => Promise<void>): McpClient {
  let id = 0;
  const capabilities = person === null ? {} : { elicitation: { form: {} } };
  const ask = async (method: string, params: Json = {}): Promise<Json> => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": era,
      "io.modelcontextprotocol/clientInfo": CLIENT,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    const given = params["_meta"] ?? {};
    const whole = era === "2026-07-28" ? { ...params, _meta: { ...meta, ...(given as Json) } } : params;
    id += 1;
    const answer = await send({ jsonrpc: "2.0", id, method, params: whole }, (request) => told.push(request));
    const result = (answer["result"] ?? { error: answer["error"] }) as Json;
    if (result["resultType"] !== "input_required" || person === null) return result;
    const requests = Object.entries((result["inputRequests"] ?? {}) as Record<string, Json>);
    const inputResponses = Object.fromEntries(requests.map(([key, request]) => [key, person(request)]));
    return ask(method, { ...params, inputResponses, requestState: result["requestState"] });
  };
  return {
    ask,
    told,
    close,
    async call(name, given = {}) {
      const result = await ask("tools/call", { name, arguments: given });
      const content = (result["content"] ?? []) as { text?: string }[];
      const text = result["error"] === undefined ? (content[0]?.text ?? "") : JSON.stringify(result["error"]);
      const isError = result["isError"] === true || result["error"] !== undefined;
      return { data: (result["structuredContent"] ?? {}) as Json, text, isError };
    },
  };
}

interface Place {
  readonly origin: string;
  readonly token: string;
}

/** Over HTTP, with the token of the server. */
export async function httpClient({ origin, token }: Place, era: Era, person: Person = null): Promise<McpClient> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = (message: Json): Promise<Response> => {
    const params = (message["params"] ?? {}) as { name?: string; uri?: string };
    const named = params.name ?? params.uri;
    const about: Record<string, string> =
      era === "2026-07-28"
        ? { "mcp-protocol-version": era, "mcp-method": String(message["method"]), ...(named && { "mcp-name": named }) }
        : {};
    return fetch(`${origin}/mcp`, { method: "POST", headers: { ...headers, ...about }, body: JSON.stringify(message) });
  };
  const send: Send = async (message, tell) => {
    const response = await post(message);
    for await (const found of messagesOf(response)) {
      if (found["id"] === message["id"] && found["method"] === undefined) return found;
      if (found["id"] === undefined || person === null) tell(found);
      else void (await post({ jsonrpc: "2.0", id: found["id"], result: person(found) }));
    }
    throw new Error(`No answer, but ${response.status}`);
  };
  if (era === "2025-11-25") {
    const params = {
      protocolVersion: era,
      capabilities: person === null ? {} : { elicitation: {} },
      clientInfo: CLIENT,
    };
    const begun = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    headers["mcp-session-id"] = begun.headers.get("mcp-session-id") ?? "";
    headers["mcp-protocol-version"] = era;
    await begun.text();
    await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  return clientOver(send, era, person, [], async () => {
    if (era === "2025-11-25") await fetch(`${origin}/mcp`, { method: "DELETE", headers });
  });
}

async function* messagesOf(response: Response): AsyncGenerator<Json> {
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    yield (await response.json()) as Json;
    return;
  }
  let text = "";
  for await (const part of response.body ?? []) {
    text += new TextDecoder().decode(part);
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = /^data: (.+)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data) as Json;
    }
  }
}

interface Started extends McpClient {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

/** The built command, as a client starts it. */
export async function stdioClient(
  folder: string,
  env: Readonly<Record<string, string>>,
  era: Era,
  person: Person = null,
): Promise<Started> {
  const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), "mcp"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const waiting = new Map<unknown, (message: Json) => void>();
  const told: Json[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Json;
    const answer = message["method"] === undefined ? waiting.get(message["id"]) : undefined;
    if (answer !== undefined) answer(message);
    else if (message["id"] !== undefined && message["method"] !== undefined && person !== null)
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: message["id"], result: person(message) })}\n`);
    else told.push(message);
  });
  const send: Send = (message) =>
    new Promise((resolve) => {
      waiting.set(message["id"], resolve);
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  if (era === "2025-11-25") {
    const params = {
      protocolVersion: era,
      capabilities: person === null ? {} : { elicitation: {} },
      clientInfo: CLIENT,
    };
    await send({ jsonrpc: "2.0", id: "init", method: "initialize", params }, () => undefined);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  }
  const close = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  return { ...clientOver(send, era, person, told, close), child, ended };
}
