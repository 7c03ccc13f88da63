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

describe("what people decide", () => {
  const knowledge = (...args: string[]) => baton(["knowledge", ...args, "--json"], { cwd: folder, env });
  const standingOf = async (id: string): Promise<unknown[]> => {
    const { fact, standing } = JSON.parse((await knowledge("show", id)).stdout) as { fact: Fact; standing: string };
    const { facts } = JSON.parse((await knowledge("search", ...fact.text.split(" "))).stdout) as { facts: Found[] };
    return [standing, facts.find((one) => one.id === id)?.standing];
  };
  interface Fact {
    readonly id: string;
    readonly text: string;
    readonly opposes: readonly string[];
  }
  type Found = Fact & { readonly standing: string };

  it("between two that contradict each other counts in lists, on pages and in packets", async () => {
    const { facts } = JSON.parse((await knowledge("search")).stdout) as { facts: Found[] };
    const one = facts.find(({ standing }) => standing === "contradicted");
    const other = one?.opposes[0] ?? "";
    expect(await standingOf(one?.id ?? "")).toEqual(["contradicted", "contradicted"]);
    await knowledge("retire", other);
    expect(await standingOf(one?.id ?? "")).toEqual(["trusted", "trusted"]);
  });

  it("about a fact holds for whoever stands on the task that said it", async () => {
    const limitations = async (): Promise<string> => {
      const { stdout } = await baton(["context", "--task", "task-5"], { cwd: folder, env });
      return /### Limitations\n\n([^#]*)/.exec(stdout)?.[1] ?? "none";
    };
    expect(await limitations()).toMatch(/^- One currency only \[task-3/);
    await knowledge("edit", "limitation-001", "--text", "Euros only");
    expect(await limitations()).toMatch(/^- Euros only \[task-3[^\n]*\]\s*$/);
    await knowledge("retire", "limitation-001");
    expect(await limitations()).toBe("none");
  });
});

it("a fact whose file has another name is told alike by the list and by its own page", async () => {
  const told = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await baton(["knowledge", ...args, "--json"], { cwd: folder, env })).stdout);
  const listed = async (): Promise<{ id: string; standing: string; citation: { path: string } | null }[]> =>
    ((await told("search")) as { facts: [] }).facts;
  const cited = (await listed()).find(({ standing, citation }) => standing === "trusted" && citation !== null);
  const path = cited?.citation?.path ?? "";
  execFileSync("git", ["mv", path, `${path}.moved`], { cwd: folder });
  const { standing, freshness } = (await told("show", cited?.id ?? "")) as { standing: string; freshness: object };
  expect(freshness).toMatchObject({ is: "moved", path: `${path}.moved` });
  expect([standing, (await listed()).find(({ id }) => id === cited?.id)?.standing]).toEqual(["trusted", "trusted"]);
});
