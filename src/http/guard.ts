import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";
import { bearerIn, cookieIn, isSame, sessionOf } from "./tokens.ts";

/** Who sends a request: `server` with the server's token, `cookie` from a browser that was given it, `unknown` otherwise. */
export type Caller =
  | { readonly is: "server" }
  | { readonly is: "cookie" }
  /** It may be the token of an attempt: the one route that accepts it checks that. */
  | { readonly is: "unknown"; readonly bearer: string | null };

/** What every request must fulfil, before its route is looked up and before its body is read. */
export function checkRequest(request: IncomingMessage, hosts: ReadonlySet<string>): void {
  checkMethod(request);
  checkHeaders(request);
  checkAddress(request.url ?? "");
  checkHost(request, hosts);
  checkOrigin(request);
  checkSite(request);
}

/** Where the Model Context Protocol is served. */
export const MCP_PATH = "/mcp";

function checkMethod({ method, url }: IncomingMessage): void {
  if (method === "GET" || method === "HEAD" || method === "POST") return;
  // Ends a session of MCP.
  if (method === "DELETE" && url === MCP_PATH) return;
  throw new Refusal(405, "wrong-method", "The server does not know this method.", "Routes take GET and POST.", {
    allow: "GET, HEAD, POST",
  });
}

/** Programs differ in which of two equal headers they believe, so these are refused when they are given twice. */
const ONCE = new Set([
  "host",
  "origin",
  "authorization",
  "cookie",
  "content-length",
  "content-type",
  "transfer-encoding",
  "idempotency-key",
  "last-event-id",
  "sec-fetch-site",
  "sec-fetch-mode",
  "x-baton",
  "mcp-session-id",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
]);

function checkHeaders(request: IncomingMessage): void {
  checkTwice(request.rawHeaders);
  const { headers, method } = request;
  const { "transfer-encoding": encoding, "content-length": length } = headers;
  if ((encoding !== undefined || (length ?? "0") !== "0") && method !== "POST")
    throw malformed("A GET or HEAD request has a body.");
  if (encoding !== undefined && length !== undefined) throw malformed("The body has two lengths.");
  if (headers.upgrade !== undefined) throw malformed("The server upgrades no connections.");
}

function checkTwice(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (ONCE.has(name) && seen.has(name)) throw malformed(`The header ${name} is given twice.`);
    seen.add(name);
  }
}

const MAX_ADDRESS = 4_096;

/** Only paths, never whole addresses; and only what decodes to plain text. */
function checkAddress(url: string): void {
  if (!url.startsWith("/") || url.length > MAX_ADDRESS)
    throw malformed("The address is not a path, or it is too long.");
  const path = url.replace(/[?#].*$/s, "");
  try {
    const text = decodeURIComponent(path);
    if (!/[\u0000-\u001f\u007f\\]/.test(text) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(text)) return;
  } catch {
    // Refused below.
  }
  throw malformed("The path cannot be decoded.");
}

function malformed(message: string): Refusal {
  return new Refusal(400, "malformed", message, "Send a plain request.");
}

/** Another site can make its own name resolve to this machine (DNS rebinding): only our own names are accepted. */
function checkHost({ headers }: IncomingMessage, hosts: ReadonlySet<string>): void {
  if (headers.host !== undefined && hosts.has(headers.host.toLowerCase())) return;
  throw new Refusal(403, "wrong-host", "This server has another name.", "Use the address that `baton serve` prints.");
}

function checkOrigin({ headers }: IncomingMessage): void {
  const { origin, host } = headers;
  // Exactly as a browser writes it; `null` is the origin of a sandboxed page.
  if (origin === undefined || origin === `http://${host}`) return;
  throw foreign();
}

/** Browsers say where a request comes from. A page on another port of this machine is `same-site`, and is refused. */
function checkSite({ headers, method }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  // `none`: the person typed the address. That may read, and never change anything.
  if (site === "none" && method !== "POST") return;
  throw foreign();
}

function foreign(): Refusal {
  return new Refusal(
    403,
    "wrong-origin",
    "The request comes from another site.",
    "Open the address that `baton serve` prints in a new tab.",
  );
}

export function findCaller({ headers }: IncomingMessage, token: string): Caller {
  const bearer = bearerIn(headers.authorization);
  // A request with a token is judged by it alone.
  if (headers.authorization !== undefined)
    return bearer !== null && isSame(bearer, token) ? { is: "server" } : { is: "unknown", bearer };
  const session = cookieIn(headers.cookie);
  return session !== null && isSame(session, sessionOf(token)) ? { is: "cookie" } : { is: "unknown", bearer: null };
}

/** A browser sends the cookie by itself; it sends our header only for our own page. */
export function checkWrite({ method, headers }: IncomingMessage, caller: Caller): void {
  if (method !== "POST" || caller.is !== "cookie" || headers["x-baton"] === "1") return;
  throw new Refusal(403, "wrong-origin", "The request does not come from the page.", "Send the header X-Baton: 1.");
}

export function needsToken(): Refusal {
  return new Refusal(
    401,
    "no-token",
    "The server's token is missing or wrong.",
    "Open the link that `baton serve` prints, or send Authorization: Bearer TOKEN.",
    { "www-authenticate": "Bearer" },
  );
}
