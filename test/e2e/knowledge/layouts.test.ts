import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { SaxesParser } from "saxes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECT_NAMES } from "../../../src/protocol/handoff-words.ts";
import { baton } from "../../cli/run-baton.ts";

/** Four tasks of four dialects, then one task of each dialect that stands on all of them. */
const room = mkdtempSync(join(tmpdir(), "baton-layouts-"));
const folder = join(room, "shop");
const env = { HOME: room, XDG_CONFIG_HOME: join(room, ".config"), USER: "tester" };
afterAll(() => rmSync(room, { recursive: true, force: true }));

beforeAll(async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, ".gitignore"), ".prompts\n");
  for (const name of ["layout-agent.mjs", "layouts.yaml"])
    copyFileSync(join(import.meta.dirname, name), join(folder, name));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Example");
  git("config", "user.email", "example@localhost");
  git("config", "commit.gpgsign", "false");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
  await baton(["trust", "layouts.yaml"], { cwd: folder, env });
  const run = await baton(["run", "layouts.yaml"], { cwd: folder, env });
  expect(run.code, run.stderr + run.stdout).toBe(0);
}, 120_000);

function promptOf(task: string): string {
  return readFileSync(join(folder, ".prompts", `${task}.md`), "utf8");
}

/** What the prompt of a task tells to be known, without what differs from run to run. */
function packetOf(task: string): string {
  const found = /^<<<context (\w+)\n([\s\S]*?)\n\1 end of context>>>$/m.exec(promptOf(task));
  return (found?.[2] ?? "").replaceAll(/\b[0-9a-f]{8}\b/g, "HANDOFF");
}

describe("what is known, in the layout of the agent's own dialect", () => {
  it.each(DIALECT_NAMES)("%s", async (dialect) => {
    await expect(`${packetOf(`in-${dialect}`)}\n`).toMatchFileSnapshot(`golden/layout-${dialect}.txt`);
  });

  it("is well-formed where the dialect has a syntax", () => {
    expect(JSON.parse(packetOf("in-pipeline-json"))).toHaveProperty("previous_handoffs");
    expect(load(packetOf("in-phase-yaml"))).toHaveProperty("context.dependencies");
    const parser = new SaxesParser();
    parser.on("error", (error) => {
      throw error;
    });
    expect(() => parser.write(packetOf("in-issue-xml")).close()).not.toThrow();
  });

  it("says of every line with an agent's words where it comes from", () => {
    const words = ["cents", "session", "currency", "Prices are", "Adding up", "empty cart", "Shop", "docs/"];
    for (const dialect of DIALECT_NAMES)
      for (const line of packetOf(`in-${dialect}`).split("\n"))
        if (words.some((word) => line.includes(word)))
          expect(line).toMatch(/\[(?:plan|build|check|look), [\w-]+, HANDOFF(?:, [a-z-]+-\d+)?\]/);
  });
});

/** `baton context`, without what differs from run to run. */
async function context(...args: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await baton(["context", ...args], { cwd: folder, env });
  expect(code, stderr).toBe(0);
  return { stdout: stdout.replaceAll(/\b[0-9a-f]{8}\b/g, "HANDOFF"), stderr };
}

describe("baton context", () => {
  it.each(DIALECT_NAMES)("prints for an agent of %s what its prompt told, field and all", async (dialect) => {
    const { stdout } = await context("--task", `in-${dialect}`);
    for (const line of packetOf(`in-${dialect}`)
      .split("\n")
      .filter((text) => text.includes("[build, ")))
      // Markdown is printed as it is; the rest of the layouts, too.
      expect(stdout).toContain(line.trim());
  });

  it("shows any layout on demand, whoever would be given it", async () => {
    const { stdout } = await context("--task", "in-task-yaml", "--layout", "output-json");
    expect(stdout).toContain("CONTEXT FROM ARCHITECTURE PHASE:\n- Planned the cart");
    expect((await context("--about", "the cart", "--layout", "phase-yaml")).stdout).toMatch(
      /^context:\n {2}project:\n/,
    );
  });

  it("says in JSON which layout it is, with the text of it and the parts that it is made of", async () => {
    const { stdout } = await context("--task", "in-task-yaml", "--layout", "issue-xml", "--json");
    const told = JSON.parse(stdout) as { layout: string; text: string; markdown: string; sections: object[] };
    expect(told.layout).toBe("issue-xml");
    expect(told.text).toMatch(/^<context>\n/);
    expect(told.markdown).toMatch(/## From Task plan: Plan the cart\n/);
    expect(told.sections).toContainEqual(
      expect.objectContaining({
        from: { task: "plan", name: "Plan the cart", phase: "architecture", outcome: "done" },
      }),
    );
  });

  it("refuses a layout that there is not", async () => {
    const { code, stderr } = await baton(["context", "--layout", "markdown"], { cwd: folder, env });
    expect(code).toBe(2);
    expect(stderr).toContain("task-yaml");
  });
});

it("baton journal lists everything with --all, and here that is what it lists anyway", async () => {
  const usual = await baton(["journal"], { cwd: folder, env });
  const all = await baton(["journal", "--all"], { cwd: folder, env });
  expect(all).toEqual(usual);
  expect(all.stdout).toContain("| build.md | docs/build.md | artifact: The cart | build |");
  expect(all.stdout).not.toContain("not listed here");
  const { stdout } = await baton(["journal", "--json"], { cwd: folder, env });
  const { journal } = JSON.parse(stdout) as { journal: { left_out: object } };
  expect(journal.left_out).toEqual({ tasks: 0, decisions: 0, context_map: 0, patterns: 0, gotchas: 0 });
});

describe("issues to fix and fields of the run", () => {
  /** A tester sends the work back once; the builder cannot go on with it. */
  const LOOP = `baton: 1
name: loop
mode: autonomous
start: Builder
verify: { default: record }
agents:
  Builder:
    run: { process: [node, loop-agent.mjs] }
    dialect: pipeline-json
    retry: { most: 0 }
    routes: { done: Tester }
  Tester:
    run: { process: [node, loop-agent.mjs] }
    dialect: pipeline-json
    routes: { done: end, needs-fixes: { loop: Builder } }
`;
  const AGENT = `import { readFileSync, writeFileSync } from "node:fs";
const me = process.env.BATON_AGENT;
writeFileSync(\`.prompts/\${me}-\${process.env.BATON_ITERATION}.md\`, readFileSync(0, "utf8"));
if (process.env.BATON_REASON === "loop") process.exit(1);
const issue = {
  id: "BUG-001", severity: "high", category: "bug", location: "src/cart.ts:245",
  description: "Sums are rounded twice", remediation: "Round at the end", status: "open",
};
const made = { type: "source_file", path: "loop-agent.mjs", purpose: "All of it", priority: "high" };
console.log(JSON.stringify({
  from_agent: me, to_agent: me === "Builder" ? "Tester" : "Builder", timestamp: new Date().toISOString(),
  status: me === "Builder" ? "PASS" : "PASS_WITH_FIXES", iteration: 1,
  loop_required: me === "Tester", loop_target: me === "Tester" ? "Builder" : null, loop_reason: me === "Tester" ? "BUGS_FOUND_IN_TESTS" : null,
  artifacts: me === "Tester" ? [] : [made], context: {}, issues: me === "Tester" ? [issue] : [], metrics: { coverage: 91 },
  validation: { command: "true", expected_result: "passes", checklist: ["done"] },
}));
`;

  it("000-R35, 000-R14: stand in what baton context prints, and in the prompt once, in sections of their own", async () => {
    writeFileSync(join(folder, "loop.yaml"), LOOP);
    writeFileSync(join(folder, "loop-agent.mjs"), AGENT);
    await baton(["trust", "loop.yaml"], { cwd: folder, env });
    const run = await baton(["run", "loop.yaml"], { cwd: folder, env });
    expect(run.stdout + run.stderr).toContain("Builder");
    const told = JSON.parse((await context()).stdout) as object;
    expect(told).toMatchObject({
      issues_to_fix: [
        {
          id: "BUG-001",
          severity: "high",
          file: "src/cart.ts",
          line: 245,
          description: "Sums are rounded twice",
          remediation: "Round at the end",
          source: "[main, Tester, BUG-001]",
        },
      ],
      run: [{ name: "coverage", value: "91", source: "[Builder]" }],
      // Not in the handoff before, which is the tester's.
      project: { artifacts: [{ path: "loop-agent.mjs", source: "[main, Builder]" }] },
    });
    const prompt = readFileSync(join(folder, ".prompts/Builder-2.md"), "utf8");
    expect(prompt).toContain("## Issues to fix");
    const packet = /^<<<context (\w+)\n([\s\S]*?)\n\1 end of context>>>$/m.exec(prompt)?.[2] ?? "";
    expect(packet).not.toContain("issues_to_fix");
    expect(packet).not.toContain("coverage");
    expect(packet).toContain("loop-agent.mjs");
    const tester = readFileSync(join(folder, ".prompts/Tester-1.md"), "utf8");
    expect(tester.split('"loop-agent.mjs"')).toHaveLength(2);
  });
});
