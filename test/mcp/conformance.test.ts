import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { projectRoot } from "../cli/run-baton.ts";
import { openMcpServer } from "./mcp-servers.ts";

/** Where `npm run conformance` has installed the public programs that check servers. */
const tools = process.env["BATON_MCP_TOOLS"] ?? "";
const suite = join(tools, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const inspector = join(tools, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");

function isMissing(program: string): boolean {
  if (tools !== "" && existsSync(program)) return false;
  console.log("left out: the public MCP programs are not installed (`npm run conformance` installs and runs them)");
  return true;
}

const run = async (args: readonly string[]): Promise<string> => {
  const options = { cwd: tools, maxBuffer: 64 * 1_048_576 };
  const done = await promisify(execFile)(process.execPath, [...args], options).catch((error: unknown) => error);
  return String((done as { stdout?: string }).stdout);
};

/** Scenarios with whether they passed, and those that count for the revision. */
async function requirements(url: string, revision: string): Promise<{ passed: string[]; failed: string[] }> {
  const said = await run([suite, "server", "--url", url, "--requirements", revision]);
  const [, summary = ""] = said.split("=== SUMMARY ===");
  const [scored = "", unscored = ""] = summary.split("Not scored for");
  const optional = new Set([...unscored.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const lines = [...scored.matchAll(/^([✓✗]) (\S+): /gm)].map(([, sign, name = ""]) => ({ sign, name }));
  return {
    passed: lines.filter(({ sign }) => sign === "✓").map(({ name }) => name),
    failed: lines.filter(({ sign, name }) => sign === "✗" && !optional.has(name)).map(({ name }) => name),
  };
}

/** What a server must do under whatever names its tools, resources and prompts have. */
const WITHOUT_NAMES = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
    "server-session-lifecycle",
  ],
  "2026-07-28": [
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "sep-2164-resource-not-found",
    "prompts-list",
    "dns-rebinding-protection",
    "caching",
    "input-required-result-unsupported-methods",
    "http-header-validation",
  ],
} as const;
const SKILLS = ["sep-2640-skills-directory", "sep-2640-skills-enumeration", "sep-2640-skills-manifest"];
const REVISIONS = [
  ["2025-11-25", 30],
  ["2026-07-28", 37],
] as const;

describe.skipIf(isMissing(suite))("the public conformance suite", { timeout: 120_000 }, async () => {
  const [fixture, baton] = [await openMcpServer("fixture"), await openMcpServer("baton")];
  afterAll(async () => {
    await Promise.all([fixture.close(), baton.close()]);
  });

  it.concurrent.each(REVISIONS)(
    "passes what %s requires, on a fixture of our factory, transports and guard",
    async (revision, count) => {
      const { passed, failed } = await requirements(fixture.url, revision);
      expect(failed).toEqual([]);
      expect(passed.length).toBeGreaterThanOrEqual(count);
    },
  );

  it.concurrent.each(REVISIONS)(
    "passes what %s requires without fixed names, on the server of Baton",
    async (revision) => {
      const { passed } = await requirements(baton.url, revision);
      expect(passed).toEqual(expect.arrayContaining([...WITHOUT_NAMES[revision]]));
    },
  );

  it.concurrent.each(SKILLS)("passes %s on the server of Baton", async (scenario) => {
    const said = await run([suite, "server", "--url", baton.url, "--scenario", scenario]);
    const [, passed = "0", all = "1"] = /Passed: (\d+)\/(\d+), 0 failed/.exec(said) ?? [];
    expect(Number(passed)).toBe(Number(all));
  });
});

describe.skipIf(isMissing(inspector))("the inspector", { timeout: 120_000 }, () => {
  const command = ["--cli", process.execPath, join(projectRoot, "dist/cli/baton.cjs"), "mcp"];
  const inspect = async (...args: string[]): Promise<Record<string, unknown>> =>
    JSON.parse(await run([inspector, ...command, ...args])) as Record<string, unknown>;

  it("lists the tools and calls them", async () => {
    const { tools: listed } = (await inspect("--method", "tools/list")) as { tools: { name: string }[] };
    expect(listed.map(({ name }) => name)).toContain("submit_handoff");
    const text = "no handoff";
    const called = await inspect(
      "--method",
      "tools/call",
      "--tool-name",
      "validate_handoff",
      "--tool-arg",
      `text=${text}`,
    );
    expect(called).toMatchObject({ structuredContent: { valid: false } });
  });
});
