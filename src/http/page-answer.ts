import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { PAGE_POLICY } from "./headers.ts";
import type { PageFiles } from "./page-files.ts";
import { COOKIE, isSame, sessionOf } from "./tokens.ts";

/** A file of the page, or the page itself: it finds out by its address what to show. */
export function answerPage({ incoming }: HttpBindings, path: string, files: PageFiles): Response {
  const file = path === "/" || path === "/index.html" ? null : files.find(path);
  if (file !== null) {
    const headers = { "content-type": file.type, etag: file.etag, "cache-control": cacheOf(path) };
    const isKnown = incoming.headers["if-none-match"] === file.etag;
    return isKnown
      ? new Response(null, { status: 304, headers })
      : new Response(new Uint8Array(file.bytes), { headers });
  }
  // A script or a picture that is not there is not the page; attempts have a dot in their names, too.
  if (/^\/assets\/|\.(?:css|html|ico|js|json|map|png|svg|txt|webmanifest|woff2)$/.test(path))
    return plainPage(404, "Not here", "There is no such file.");
  const page = files.find("/index.html");
  if (page === null)
    return plainPage(200, "Baton", "The page was not built: npm run build makes it. The API is at /api.");
  return new Response(new Uint8Array(page.bytes), {
    headers: {
      "content-type": page.type,
      "content-security-policy": PAGE_POLICY,
      "cache-control": "no-store",
    },
  });
}

function cacheOf(path: string): string {
  return path.startsWith("/assets/") ? "private, max-age=31536000, immutable" : "private, no-cache";
}

/** Without anything of ours but these words. */
function plainPage(status: number, title: string, text: string): Response {
  return new Response(plainHtml(title, text), { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

function plainHtml(title: string, text: string): string {
  const metas = `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`;
  return `<!doctype html><html lang="en"><meta charset="utf-8">${metas}<title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
}

/** What somebody without a token sees of the page. */
export function answerStranger(response: ServerResponse): void {
  response.writeHead(401, { "content-type": "text/html; charset=utf-8" });
  response.end(plainHtml("Baton does not know this browser", STRANGER));
}

const STRANGER =
  "Open the link that <code>baton serve</code> has printed: it brings the token along. Where it is lost, " +
  "<code>baton serve</code> in the same repository prints it again.";

/**
 * The link with the token, opened in a browser: the cookie takes its place, and the address is rid of it. False when
 * it is no such link.
 */
export function admit(request: IncomingMessage, response: ServerResponse, token: string): boolean {
  const url = new URL(request.url ?? "/", "http://here");
  const given = url.searchParams.get("token");
  if (given === null || request.method !== "GET" || !isSame(given, token)) return false;
  url.searchParams.delete("token");
  const path = `/${url.pathname.replace(/^\/+/, "")}`;
  response.writeHead(303, {
    location: `${path}${url.search}`,
    "set-cookie": `${COOKIE}=${sessionOf(token)}; Path=/; HttpOnly; SameSite=Strict`,
    "cache-control": "no-store",
  });
  response.end();
  return true;
}
