// Builds the page of `baton serve` into a folder: hashed files, nothing inline, nothing from elsewhere.
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import react from "@vitejs/plugin-react";
import { build } from "vite";

const root = dirname(import.meta.dirname);
const source = join(root, "dashboard");

/**
 * The package says that its modules do nothing when they are loaded, which is true of what it ships. A module of the
 * page may bring only styles along, and would be left out.
 * @type {import("vite").Plugin}
 */
const keepEffects = {
  name: "keep-effects",
  transform: (_code, id) => (id.startsWith(source) ? { moduleSideEffects: true } : null),
};

/**
 * @param {string} folder
 * @returns {Promise<import("rolldown").OutputChunk[]>}
 */
export async function buildDashboard(folder) {
  const result = await build({
    root: source,
    configFile: false,
    envDir: false,
    logLevel: "warn",
    base: "/",
    plugins: [react(), keepEffects],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2023",
      // The Content-Security-Policy refuses data: and inline scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // Compressed and all together it has a limit of its own, which `test/architecture/dashboard.test.ts` keeps.
      chunkSizeWarningLimit: 1_000,
    },
  });
  if (Array.isArray(result) || !("output" in result)) throw new Error("the dashboard was not built as one page");
  return result.output.filter((file) => file.type === "chunk");
}

/** What the page is made of, as one hash: unchanged sources need no build. */
export async function dashboardStamp() {
  const files = await readdir(source, { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile() && !file.name.endsWith(".test.ts"))
    .map((file) => join(file.parentPath, file.name));
  const hash = createHash("sha256");
  for (const path of [...paths.sort(), join(root, "package-lock.json"), import.meta.filename]) {
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(await readFile(path))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * @param {string} folder
 * @param {string} stampFile
 * @param {string} stamp
 */
export async function isBuilt(folder, stampFile, stamp) {
  const [built, page] = await Promise.all([
    readFile(stampFile, "utf8").catch(() => null),
    stat(join(folder, "index.html")).catch(() => null),
  ]);
  return page !== null && built === stamp;
}
