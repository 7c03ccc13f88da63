import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import { PAGE_POLICY } from "./headers.ts";
import { COOKIE, isSame, sessionOf } from "./tokens.ts";

interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
};

/** The built files of the page, held in memory. A path of a request is looked up among them and never opened as a file. */
export class PageFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, PageFile> = new Map();
  #readAt = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** By its path, `/assets/main.js`. */
  find(path: string): PageFile | null {
    return this.#current().get(path) ?? null;
  }

  /** Read again when the page was built anew. */
  #current(): ReadonlyMap<string, PageFile> {
    const changedAt = changeTime(join(this.#folder, "index.html"));
    if (changedAt !== this.#readAt) {
      this.#readAt = changedAt;
      this.#files = changedAt === 0 ? new Map() : readAll(this.#folder);
    }
    return this.#files;
  }
}

function changeTime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function readAll(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    files.set(`/${relative(folder, path).split(sep).join("/")}`, { bytes, type, etag });
  }
  return files;
}

/** A file of the page, or the page itself, which shows what its address says. */
export function answerPage({ incoming }: HttpBindings, path: string, files: PageFiles): Response {
  const file = path === "/" || path === "/index.html" ? null : files.find(path);
  if (file !== null) {
    const headers = { "content-type": file.type, etag: file.etag, "cache-control": cacheOf(path) };
    const isKnown = incoming.headers["if-none-match"] === file.etag;
    return isKnown
      ? new Response(null, { status: 304, headers })
      : new Response(new Uint8Array(file.bytes), { headers });
  }
  // A missing script or picture is not the page; ids of attempts have a dot, too, so only known endings count.
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

function plainPage(status: number, title: string, text: string): Response {
  return new Response(plainHtml(title, text), { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

function plainHtml(title: string, text: string): string {
  const metas = `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`;
  return `<!doctype html><html lang="en"><meta charset="utf-8">${metas}<title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
}

/** What a browser without a token sees of the page. */
export function answerUnknown(response: ServerResponse): void {
  response.writeHead(401, { "content-type": "text/html; charset=utf-8" });
  response.end(plainHtml("Baton does not know this browser", UNKNOWN_BROWSER));
}

const UNKNOWN_BROWSER =
  "Open the link that <code>baton serve</code> has printed: it contains the token. If it is lost, " +
  "<code>baton serve</code> in the same repository prints it again.";

/** The link with the token, opened in a browser: sets the cookie and redirects to the address without the token. */
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
