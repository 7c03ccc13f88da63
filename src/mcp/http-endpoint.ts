import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
} from "@modelcontextprotocol/server";
import type { RequestSource } from "../runtime/request-source.ts";
import type { McpServerFactory } from "./build-server.ts";

/** Clients of the older era have a session each. One that has not been heard of for so long is forgotten. */
const SESSION_TIME = 30 * 60_000;
const MAX_SESSIONS = 64;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  lastUsed: number;
}

/** A request that has passed the guard of the HTTP server. */
interface GuardedRequest {
  readonly request: Request;
  /** Parsed; undefined when it is not JSON. */
  readonly body: unknown;
  readonly source: () => RequestSource;
}

/** Answers MCP over HTTP: without any state for clients of 2026-07-28, with sessions for those before. */
export class McpEndpoint {
  readonly #factory: McpServerFactory;
  readonly #modern: McpHttpHandler;
  readonly #notify: (trouble: unknown) => void;
  readonly #sessions = new Map<string, Session>();

  constructor(factory: McpServerFactory, notify: (trouble: unknown) => void) {
    this.#factory = factory;
    this.#notify = notify;
    // Rejected requests are told as well: they are the client's fault and no trouble of ours.
    this.#modern = createMcpHandler(factory, { legacy: "reject", maxSubscriptions: MAX_SESSIONS });
  }

  async answer({ request, body, source }: GuardedRequest): Promise<Response> {
    if (request.method === "POST" && body === undefined) return refusal(400, -32_700, "The body is not JSON.");
    const authInfo = callerInfo(source);
    if (!(await isLegacyRequest(request, body))) return this.#modern.fetch(request, { authInfo, parsedBody: body });
    const transport = await this.#transportFor(request, body);
    return transport instanceof Response ? transport : transport.handleRequest(request, { authInfo, parsedBody: body });
  }

  async close(): Promise<void> {
    await this.#modern.close();
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #transportFor(request: Request, body: unknown): Promise<WebStandardStreamableHTTPServerTransport | Response> {
    this.#forgetOld();
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : this.#sessions.get(id);
    if (known !== undefined) {
      known.lastUsed = performance.now();
      return known.transport;
    }
    if (id !== null) return refusal(404, -32_001, "There is no such session: begin a new one with initialize.");
    // A stream that the server may write into at any time is not offered.
    if (request.method !== "POST") return refusal(405, -32_000, "Only POST is served without a session.");
    if (!isInitializeRequest(body)) return refusal(400, -32_000, "A session begins with initialize.");
    if (this.#sessions.size >= MAX_SESSIONS) return refusal(503, -32_000, "There are too many sessions.");
    return this.#open();
  }

  async #open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void this.#sessions.set(session, { transport, lastUsed: performance.now() }),
      onsessionclosed: (session) => void this.#sessions.delete(session),
    });
    const server = await this.#factory({ era: "legacy" });
    await server.connect(transport);
    transport.onerror = (error) => this.#notify(error);
    return transport;
  }

  #forgetOld(): void {
    const oldest = performance.now() - SESSION_TIME;
    for (const [id, { transport, lastUsed }] of this.#sessions) {
      if (lastUsed >= oldest) continue;
      this.#sessions.delete(id);
      void transport.close();
    }
  }
}

/** The token was checked by the guard. Tools look for where a request comes from only when it matters. */
function callerInfo(source: () => RequestSource): AuthInfo {
  return { token: "", clientId: "", scopes: [], extra: { source } };
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
