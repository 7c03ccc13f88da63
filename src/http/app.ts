import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { fitsPath, readBody, readQuery } from "../api/read-request.ts";
import { type ApiRoute, PATH_FIELDS, pathNames } from "../api/route.ts";
import { ROUTES } from "../api/routes.ts";
import { type Caller, MCP_PATH, needsToken } from "./guard.ts";
import { type RouteRequest, type HandlerContext, type SENT, sourceOf } from "./handler.ts";
import { HANDLERS } from "./handlers/handlers.ts";
import { findOwnAttempt } from "./handlers/submit-handoff.ts";
import { LIMITS } from "./limits.ts";
import { type PageFiles, answerPage } from "./page.ts";
import { Refusal, errorAnswer, refusalOf } from "./refusal.ts";

export interface Bindings extends HttpBindings {
  readonly caller: Caller;
  /** The refusal of a caller whose token is good for nothing. */
  readonly refuseUnknown: () => Refusal;
}

type Ctx = Context<{ Bindings: Bindings }>;

/** The routes of the table, and the page for every other path. Every request here has passed the guard. */
export function buildApp(
  handlerContext: HandlerContext,
  files: PageFiles,
  report: (fault: unknown) => void,
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  for (const route of ROUTES as readonly ApiRoute[])
    app.on(route.method, route.path, (context) => answerRoute(route, context, handlerContext));
  for (const path of new Set(ROUTES.map((route) => route.path))) app.all(path, () => refuseMethod(path));
  app.all(MCP_PATH, (context) => answerMcp(context, handlerContext));
  app.notFound((context) => {
    if (isApi(context.req.path)) return answerError(new Refusal(404, "no-such-route", "There is no such route.", HINT));
    return answerPage(context.env, context.req.path, files);
  });
  app.onError((error, context) => {
    const refusal = refusalOf(error);
    if (refusal.code === "fault") report(error);
    // The status of a stream is sent already: its connection is cut.
    if (context.env.outgoing.headersSent) {
      context.env.outgoing.destroy();
      return RESPONSE_ALREADY_SENT;
    }
    return answerError(refusal);
  });
  return app;
}

const HINT = "GET /api/openapi.json lists them.";

export function isApi(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

function refuseMethod(path: string): Response {
  const methods = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return answerError(new Refusal(405, "wrong-method", "The route does not take this method.", HINT, { allow }));
}

function answerError(refusal: Refusal): Response {
  const headers = { "content-type": "application/json; charset=utf-8", ...refusal.headers };
  return new Response(JSON.stringify(errorAnswer(refusal)), { status: refusal.status, headers });
}

type AnyHandler = (request: object) => Promise<object | typeof SENT>;

async function answerRoute(route: ApiRoute, context: Ctx, handlerContext: HandlerContext): Promise<Response> {
  const handler = (HANDLERS as unknown as Readonly<Record<string, AnyHandler>>)[route.name];
  if (handler === undefined) throw new Error(`The route ${route.name} has no handler`);
  const path = readPath(route, context);
  const { caller, refuseUnknown } = context.env;
  // Before the body is waited for: whoever has no token sends nothing.
  if (caller.is === "unknown" && (await findOwnAttempt({ path, caller, context: handlerContext })) === null)
    throw withoutBody(refuseUnknown());
  const request: Readonly<Record<keyof RouteRequest, unknown>> = {
    path,
    query: readQuery(route.query, [...new URL(context.req.url).searchParams]),
    body: await readRequestBody(route, context.env.incoming),
    caller,
    raw: context.env,
    context: handlerContext,
  };
  const answer = await handler(request);
  if (typeof answer === "symbol") return RESPONSE_ALREADY_SENT;
  return answerJson(answer, route.answer.status, context);
}

/** For programs only: the cookie of the page is not taken. */
async function answerMcp(context: Ctx, handlerContext: HandlerContext): Promise<Response> {
  const { incoming, caller } = context.env;
  if (caller.is !== "server") throw withoutBody(needsToken());
  const { method, url, headers, signal } = context.req.raw;
  const body = method === "POST" ? await readMcpBody(incoming) : undefined;
  const request = new Request(url, { method, headers, signal });
  return handlerContext.mcp.answer({
    request,
    body,
    source: () => sourceOf({ raw: context.env, context: handlerContext }),
  });
}

async function readMcpBody(incoming: IncomingMessage): Promise<unknown> {
  if (typeOf(incoming) !== "application/json") throw wrongType(["application/json"]);
  const text = await readText(incoming, LIMITS.mcpBody);
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    // Not JSON: the protocol has an answer of its own for it.
    return undefined;
  }
}

function readPath(route: ApiRoute, context: Ctx): Record<string, string> {
  const values = pathNames(route.path).map((name) => {
    const value = context.req.param(name) ?? "";
    if (!fitsPath(name, value))
      throw new Refusal(404, "no-match", `The path has no valid ${name}.`, PATH_FIELDS[name]?.about ?? "");
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

const HANDOFF_TYPES = [
  "text/plain",
  "text/markdown",
  "application/json",
  "application/yaml",
  "application/xml",
  "text/xml",
];

async function readRequestBody(route: ApiRoute, request: IncomingMessage): Promise<unknown> {
  if (route.body === null) return null;
  const type = typeOf(request);
  if (route.body === "handoff") {
    if (!HANDOFF_TYPES.includes(type)) throw wrongType(HANDOFF_TYPES);
    return readText(request, LIMITS.body);
  }
  // A form of another site can send text/plain without asking this server first.
  if (
    type !== "application/json" &&
    request.headers["content-length"] !== "0" &&
    request.headers["content-length"] !== undefined
  )
    throw wrongType(["application/json"]);
  if (type !== "application/json" && request.headers["transfer-encoding"] !== undefined)
    throw wrongType(["application/json"]);
  return readBody(route.body, await readText(request, LIMITS.jsonBody));
}

function typeOf({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function wrongType(types: readonly string[]): Refusal {
  return new Refusal(415, "wrong-type", "The body has another content type.", `Send ${types.join(" or ")}.`);
}

/** The body of a request as text. A body whose length is too large is not read; one without a length is cut off. */
async function readText(request: IncomingMessage, max: number): Promise<string> {
  const length = Number(request.headers["content-length"] ?? 0);
  if (!(length <= max)) throw tooLarge(max);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > max) throw tooLarge(max);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "malformed", "The body did not arrive whole.", "Send it again.");
  }
  return decode(Buffer.concat(parts));
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Refusal(400, "wrong-encoding", "The body is not UTF-8.", "Send it as UTF-8.");
  }
}

function tooLarge(max: number): Refusal {
  return withoutBody(new Refusal(413, "too-large", "The body is too large.", `At most ${max} bytes are read.`));
}

/** The body, or the rest of it, is not read: the connection cannot be used again. */
function withoutBody({ status, code, message, hint, headers }: Refusal): Refusal {
  return new Refusal(status, code, message, hint, { ...headers, connection: "close" });
}

/** An answer that the client has already (by its ETag) is not sent again. */
function answerJson(answer: object, status: number, context: Ctx): Response {
  const body = JSON.stringify(answer);
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (context.req.method !== "POST") {
    const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
    headers["etag"] = etag;
    if (context.req.header("if-none-match") === etag) return new Response(null, { status: 304, headers: { etag } });
  }
  return new Response(body, { status, headers });
}

/** For requests that the guard refuses, before the app is asked. */
export function refuseRequest(response: ServerResponse, refusal: Refusal): void {
  const body = JSON.stringify(errorAnswer(refusal));
  response.writeHead(refusal.status, { ...refusal.headers, "content-type": "application/json; charset=utf-8" });
  response.end(body);
}
