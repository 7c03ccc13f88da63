import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

export interface PageFile {
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

/** The built files of the page, held in memory: what is asked for is looked up by its name and never opened by it. */
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
