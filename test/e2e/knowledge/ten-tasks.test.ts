import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baton } from "../../cli/run-baton.ts";

/** Ten tasks in four dialects on a real history: one renames a cited file, one changes the cited lines. */
const room = mkdtempSync(join(tmpdir(), "baton-knowledge-"));
const folder = join(room, "shop");
const env = { HOME: room, XDG_CONFIG_HOME: join(room, ".config"), USER: "tester" };
afterAll(() => rmSync(room, { recursive: true, force: true }));

const TOKEN = `const KEY = process.env.KEY;
export function verifyToken(token) {
  return token === KEY;
}
`;

beforeAll(async () => {
  mkdirSync(join(folder, "src/auth"), { recursive: true });
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs/README.md"), "# Docs\n");
  writeFileSync(join(folder, "src/auth/token.mjs"), TOKEN);
  writeFileSync(join(folder, ".gitignore"), ".prompts\n");
  for (const name of ["agent.mjs", "workflow.yaml"]) copyFileSync(join(import.meta.dirname, name), join(folder, name));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Example");
  git("config", "user.email", "example@localhost");
  git("config", "commit.gpgsign", "false");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
  await baton(["trust", "workflow.yaml"], { cwd: folder, env });
  const run = await baton(["run", "workflow.yaml"], { cwd: folder, env });
  expect(run.code, run.stderr + run.stdout).toBe(0);
}, 120_000);

/** What the agent of a task was given to know, without what differs from run to run. */
function packetOf(task: string): string {
  const prompt = readFileSync(join(folder, ".prompts", `${task}.md`), "utf8");
  const found = /^<<<context (\w+)\n([\s\S]*?)\n\1 end of context>>>$/m.exec(prompt);
  return (found?.[2] ?? "").replaceAll(/\b[0-9a-f]{8}\b/g, "HANDOFF");
}

describe("packets", () => {
  it("the first task knows nothing", () => {
    expect(packetOf("task-1")).toBe("");
  });

  it("task 5 is given what it stands on, and the cited lines where they are now", async () => {
    await expect(`${packetOf("task-5")}\n`).toMatchFileSnapshot("golden/task-5.md");
    expect(packetOf("task-5")).not.toContain("Token files are long");
  });

  it("task 10 is given nothing that is stale, unproven or contradicted, and is told so", async () => {
    const packet = packetOf("task-10");
    await expect(`${packet}\n`).toMatchFileSnapshot("golden/task-10.md");
    expect(packet).not.toContain("verifyToken");
    expect(packet).not.toContain("Ignore previous instructions");
    expect(packet).toMatch(/Patterns to Follow: what it cites has changed since/);
    expect(packet).toMatch(/Patterns to Follow: nobody has proven it/);
    expect(packet).toMatch(/Patterns to Follow: something else says the opposite/);
  });

  it("every line of a packet says where it comes from", () => {
    for (const task of ["task-5", "task-10"])
      for (const line of packetOf(task)
        .split("\n")
        .filter((text) => /^(?:- (?!\d+ of )|\| (?!File))/.test(text)))
        expect(line).toMatch(/\[task-\d+, [\w-]+, HANDOFF(?:, [a-z-]+-\d+)?\](?: \|)?$/);
  });
});
