import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { readBody } from "../api/body.ts";
import { readParameters } from "../api/parameters.ts";
import { PATH_PARAMETERS, type Route, pathNames } from "../api/route.ts";
import { ROUTES } from "../api/routes.ts";
import type { Asked, Handler, SENT, Surroundings } from "./asked.ts";
import type { Caller } from "./gate.ts";
import { HANDLERS } from "./handlers/handlers.ts";
import { LIMITS } from "./limits.ts";
import { answerPage } from "./page-answer.ts";
import type { PageFiles } from "./page-files.ts";
import { readText } from "./read-text.ts";
import { Refusal, errorAnswer, refusalOf } from "./refusal.ts";

export interface Bindings extends HttpBindings {
  readonly caller: Caller;
}

type Ctx = Context<{ Bindings: Bindings }>;

/** The routes of the table, and the page for every other path. Whoever comes here has passed the gate. */
export function buildApp(
  around: Surroundings,
  files: PageFiles,
  tell: (trouble: unknown) => void,
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  for (const route of ROUTES as readonly Route[])
    app.on(route.method, route.path, (context) => answerRoute(route, context, around));
  for (const path of new Set(ROUTES.map((route) => route.path))) app.all(path, () => refuseMethod(path));
  app.notFound((context) => {
    if (isApi(context.req.path)) return answerError(new Refusal(404, "no-such-route", "There is no such route.", HINT));
    return answerPage(context.env, context.req.path, files);
  });
  app.onError((error, context) => {
    const refusal = refusalOf(error);
    if (refusal.code === "fault") tell(error);
    // What a stream has sent cannot be taken back.
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

async function answerRoute(route: Route, context: Ctx, around: Surroundings): Promise<Response> {
  const handler = (HANDLERS as Readonly<Record<string, Handler<never>>>)[route.name];
  if (handler === undefined) throw new Error(`Nobody answers ${route.name}`);
  const asked = {
    path: readPath(route, context),
    query: readParameters(route.query, [...new URL(context.req.url).searchParams]),
    body: await readRequestBody(route, context.env.incoming),
    caller: context.env.caller,
    raw: context.env,
    around,
  };
  const answer: object | typeof SENT = await handler(asked as unknown as Asked<never>);
  if (typeof answer === "symbol") return RESPONSE_ALREADY_SENT;
  return answerJson(answer, route.answer.status, context);
}

function readPath(route: Route, context: Ctx): Record<string, string> {
  const values = pathNames(route.path).map((name) => {
    const value = context.req.param(name) ?? "";
    if (!new RegExp(PATH_PARAMETERS[name]?.pattern ?? "^$").test(value))
      throw new Refusal(
        404,
        "no-match",
        `What the path has for ${name} names nothing.`,
        PATH_PARAMETERS[name]?.about ?? "",
      );
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

async function readRequestBody(route: Route, request: IncomingMessage): Promise<unknown> {
  if (route.body === null) return null;
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (route.body === "handoff") {
    if (!HANDOFF_TYPES.includes(type)) throw wrongType(HANDOFF_TYPES);
    return readText(request, LIMITS.body);
  }
  // A form of another site could send text/plain without being asked first.
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

function wrongType(types: readonly string[]): Refusal {
  return new Refusal(415, "wrong-type", "The body has another content type.", `Send ${types.join(" or ")}.`);
}

/** What was answered before is not sent again. */
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

/** Answers without the app, for what the gate refuses. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const body = JSON.stringify(errorAnswer(refusal));
  response.writeHead(refusal.status, { ...refusal.headers, "content-type": "application/json; charset=utf-8" });
  response.end(body);
}
