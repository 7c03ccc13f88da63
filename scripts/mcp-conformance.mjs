// Installs the public programs that check MCP servers into a temporary folder and runs our tests with them: the
// conformance suite and, unless --suite-only is given, the inspector. They bring more packages than all of our tools
// together, so they are no dependencies. Where they cannot be had, that is said, and nothing is run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

const root = dirname(import.meta.dirname);
const wanted = process.argv.includes("--suite-only") ? [SUITE] : [SUITE, INSPECTOR];
const folder = mkdtempSync(join(tmpdir(), "baton-mcp-tools-"));
try {
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", ...wanted];
  const installed = spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  if (installed.status === 0) {
    const tests = [join(root, "node_modules/vitest/vitest.mjs"), "run", "test/mcp/conformance.test.ts"];
    const env = { ...process.env, BATON_MCP_TOOLS: folder };
    process.exitCode = spawnSync(process.execPath, tests, { cwd: root, env, stdio: "inherit" }).status ?? 1;
  } else process.stdout.write(`left out: ${wanted.join(" and ")} could not be installed.\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
