import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pipeline } from "../../../src/workflow/ready/pipeline.ts";
import type { RunView } from "../../../src/views/run-view.ts";
import { baton, projectRoot } from "../../cli/run-baton.ts";
import { serveRoom } from "../../http/serve-room.ts";
import { until } from "../../http/server-room.ts";
import { hasNoTerminal } from "../on-terminal.ts";
import { type Repository, copyOf, examples, ofKind } from "./repository.ts";

const example = examples();
const { serve } = serveRoom();

interface Checked {
  readonly trust: string;
}

async function trustOf(repository: Repository, ...workflow: readonly string[]): Promise<string> {
  const { stdout } = await repository.baton("check", ...workflow, "--json");
  return (JSON.parse(stdout) as Checked).trust;
}

/** Hands over, after it has done what else it is told to. */
const agent = (more: string): string => `import { appendFileSync, writeFileSync } from "node:fs";
${more}
writeFileSync("ran.txt", "ran");
console.log("## Handoff\\n\\n\`\`\`yaml\\noutcome: completed\\n\`\`\`");
appendFileSync("ran.txt", "");
`;

/** A repository with two agents and, after the first, the given gate. */
function small(gate = "", first = "agents/first.mjs"): Repository {
  const repository = example("pipeline");
  const { folder } = repository;
  write(repository, "first.mjs", agent(""));
  write(repository, "second.mjs", agent(""));
  const gates = gate === "" ? "" : `gates:\n  extra: { command: ${gate}, failed: fail }\n`;
  writeFileSync(
    join(folder, "baton.yaml"),
    `baton: 1
name: small
start: first
verify: off
mode: autonomous
${gates}agents:
  first:
    run: { process: [node, ${first}] }
    dialect: task-yaml
    retry: { most: 0 }
    repairs: 0
    ${gate === "" ? "" : "gates: [extra]"}
    routes: { done: second, failed: fail }
  second:
    run: { process: [node, agents/second.mjs] }
    dialect: task-yaml
    retry: { most: 0 }
    repairs: 0
    routes: { done: end, failed: fail }
`,
  );
  return repository;
}

function write({ folder }: Repository, name: string, text: string): void {
  writeFileSync(join(folder, "agents", name), text);
}

const hasRun = ({ folder }: Repository): boolean => existsSync(join(folder, "ran.txt"));

describe("a workflow that comes with baton", () => {
  it.each([
    ["by its name", "pipeline"],
    ["as a copy of its bytes", "baton.yaml"],
  ])("starts no script of the repository that is not trusted, %s", async (_how, workflow) => {
    const repository = example("pipeline");
    const { folder } = repository;
    if (workflow === "baton.yaml") writeFileSync(join(folder, workflow), pipeline);
    writeFileSync(join(folder, "agents/BackendBuilder.mjs"), agent(""));
    const refused = await repository.baton("run", workflow);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("is not trusted yet") });
    expect(refused.stderr).toContain(`baton trust ${workflow}`);
    expect(hasRun(repository)).toBe(false);
  });

  it("is refused where --trust names another hash: swapped for it, a file is not the trusted one", async () => {
    const repository = small();
    const hash = await trustOf(repository);
    expect(await repository.baton("trust")).toMatchObject({ code: 0 });
    writeFileSync(join(repository.folder, "baton.yaml"), pipeline);
    for (const args of [["run"], ["verify", "README.md", "--workflow", "baton.yaml"]])
      expect(await repository.baton(...args, "--trust", hash)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("has another hash than --trust says"),
      });
  });

  it("is not trusted by init when it left scripts in place", async () => {
    const repository = example("pipeline");
    const made = await repository.baton("init", "--yes", "--agent", "script", "--workflow", "pipeline");
    expect(made).toMatchObject({ code: 0 });
    expect(made.stderr).toContain("baton trust");
    expect(await repository.baton("run")).toMatchObject({ code: 3 });
  });
});

describe("trust covers the files that commands name", () => {
  it("until one of them changes: the difference is shown, and the new hash has to be named", async () => {
    const repository = small();
    expect(await repository.baton("trust")).toMatchObject({ code: 0 });
    expect(await repository.baton("run")).toMatchObject({ code: 0 });
    const before = await trustOf(repository);
    write(repository, "second.mjs", agent("process.exit(7);"));
    const refused = await repository.baton("run");
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("+process.exit(7);") });
    expect(refused.stderr).toContain("agents/second.mjs has changed");
    expect(refused.stderr).not.toContain("first.mjs has changed");
    const after = await trustOf(repository);
    expect(after).not.toBe(before);
    expect(refused.stderr).toContain(`--trust ${after}`);
    expect(await repository.baton("run", "--trust", before)).toMatchObject({ code: 3 });
    expect(await repository.baton("run", "--trust", after)).toMatchObject({ code: 1 });
  });

  it.each([
    ["[sh, -c, './scripts/x.sh && true']", "scripts/x.sh"],
    ["[sh, -c, 'cd scripts && ./x.sh']", "scripts/x.sh"],
    ["[node, --import=./scripts/x.mjs, -e, '0']", "scripts/x.mjs"],
    ["[make, -C, scripts, all]", "scripts/Makefile"],
    ["[sh, scripts/link.sh]", "scripts/x.sh"],
  ])("of a gate: %s", async (command, file) => {
    const repository = small(command);
    const { folder } = repository;
    mkdirSync(join(folder, "scripts"));
    writeFileSync(join(folder, file), "all:\n", { mode: 0o755 });
    symlinkSync("x.sh", join(folder, "scripts/link.sh"));
    const before = await trustOf(repository);
    appendFileSync(join(folder, file), "\n# changed\n");
    expect(await trustOf(repository)).not.toBe(before);
  });

  it("of npm: the scripts of package.json, and not its dependencies", async () => {
    const repository = small("[npm, test]");
    const path = join(repository.folder, "package.json");
    const before = await trustOf(repository);
    const parsed = JSON.parse(readFileSync(path, "utf8")) as { scripts: Record<string, string> };
    writeFileSync(path, JSON.stringify({ ...parsed, dependencies: { x: "2.0.0" } }));
    expect(await trustOf(repository)).toBe(before);
    writeFileSync(path, JSON.stringify({ ...parsed, scripts: { ...parsed.scripts, test: "true" } }));
    expect(await trustOf(repository)).not.toBe(before);
  });

  it("and never a pipe, which is refused at once", async () => {
    const repository = small("[sh, scripts/x.sh]");
    mkdirSync(join(repository.folder, "scripts"));
    execFileSync("mkfifo", [join(repository.folder, "scripts/x.sh")]);
    expect(await repository.baton("trust")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("is not a regular file"),
    });
  });

  it("of one repository, and of no other one at another or the same place", async () => {
    const repository = small();
    await repository.baton("trust");
    const copy = copyOf(repository);
    expect(await copy.baton("run")).toMatchObject({ code: 3 });
    const { folder } = repository;
    renameSync(folder, `${folder}-away`);
    renameSync(copy.folder, folder);
    expect(await repository.baton("run")).toMatchObject({ code: 3 });
  });
});

describe("a file that changes while a run goes on", () => {
  const EDIT = `appendFileSync("agents/second.mjs", "\\n// edited by an agent\\n");`;

  it("is not run before a person has seen what is different", async () => {
    const repository = small();
    write(repository, "first.mjs", agent(EDIT));
    await repository.baton("trust");
    expect(await repository.baton("run")).toMatchObject({ code: 1 });
    const view = await repository.view();
    expect(view).toMatchObject({ status: "waiting", asks: [{ agent: "second", choices: ["approve", "reject"] }] });
    const asked = view.asks[0];
    expect(asked?.title).toContain("agents/second.mjs");
    expect(asked?.details.join("\n")).toContain("+// edited by an agent");
    // To go on without an answer changes nothing.
    expect(await repository.baton("resume")).toMatchObject({ code: 1 });
    expect(ofKind(await repository.events(), "step-started")).toHaveLength(2);
    expect(await repository.baton("approve")).toMatchObject({ code: 0 });
    expect(await repository.baton("resume")).toMatchObject({ code: 0 });
    expect(ofKind(await repository.events(), "files-trusted")).toMatchObject([
      { files: [{ path: "agents/second.mjs" }] },
    ]);
    // A replay starts nothing and looks at no file: the decision is in the log.
    write(repository, "second.mjs", agent("process.exit(7);"));
    expect(await repository.baton("replay")).toMatchObject({ code: 0 });
  });

  it("is asked about again when it has another content than the approved one", async () => {
    const repository = small();
    write(repository, "first.mjs", agent(EDIT));
    await repository.baton("trust");
    await repository.baton("run");
    appendFileSync(join(repository.folder, "agents/second.mjs"), "// and once more\n");
    await repository.baton("approve");
    expect(await repository.baton("resume")).toMatchObject({ code: 1 });
    expect((await repository.view()).asks[0]?.details.join("\n")).toContain("+// and once more");
    expect(await repository.baton("reject")).toMatchObject({ code: 0 });
    expect(await repository.baton("resume")).toMatchObject({ code: 1 });
    expect(await repository.view()).toMatchObject({ status: "failed" });
  });

  it("holds a gate back as well, which then runs", async () => {
    const repository = small("[sh, -c, './check.sh']");
    const check = join(repository.folder, "check.sh");
    writeFileSync(check, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    write(repository, "first.mjs", agent(`appendFileSync("check.sh", "# weaker\\n");`));
    await repository.baton("trust");
    expect(await repository.baton("run")).toMatchObject({ code: 1 });
    expect((await repository.view()).asks[0]?.title).toContain("gate extra");
    expect(ofKind(await repository.events(), "gate-passed")).toEqual([]);
    await repository.baton("approve");
    expect(await repository.baton("resume")).toMatchObject({ code: 0 });
    expect(ofKind(await repository.events(), "gate-passed")).toHaveLength(1);
  });

  it("is compared as it is committed where agents work in a worktree", async () => {
    const repository = small();
    const { folder, git } = repository;
    const path = join(folder, "baton.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replace("start: first", "start: first\nworkspace: worktree"));
    git("add", "--all");
    git("commit", "--quiet", "--message", "Agents");
    // Trusted is the file of the work tree; the worktree of the run has the one of the last commit.
    write(repository, "second.mjs", agent("// looked at by a person"));
    await repository.baton("trust");
    expect(await repository.baton("run")).toMatchObject({ code: 1 });
    const { asks } = await repository.view();
    expect(asks[0]?.title).toContain("agents/second.mjs");
    expect(asks[0]?.details.join("\n")).toContain("-// looked at by a person");
  });

  it("is not run when it is new, too", async () => {
    const repository = small("", "agents/first");
    write(repository, "first", agent(`writeFileSync("agents/second.mjs", "process.exit(0)");`));
    const { folder } = repository;
    renameSync(join(folder, "agents/second.mjs"), join(folder, "agents/away.mjs"));
    await repository.baton("trust");
    expect(await repository.baton("run")).toMatchObject({ code: 1 });
    expect((await repository.view()).asks[0]?.details).toEqual([expect.stringContaining("agents/second.mjs is new")]);
  });
});

describe("a workflow in a folder below the root", () => {
  const nested = "packages/shop/baton.yaml";

  function withNested(): Repository {
    const repository = small();
    const { folder } = repository;
    mkdirSync(join(folder, "packages/shop/agents"), { recursive: true });
    const text = readFileSync(join(folder, "baton.yaml"), "utf8");
    writeFileSync(join(folder, nested), text.replace("name: small", "name: nested"));
    writeFileSync(join(folder, "packages/shop/agents/first.mjs"), agent("process.exit(7);"));
    return repository;
  }

  it("is not trusted with the one of the root", async () => {
    const repository = withNested();
    await repository.baton("trust");
    expect(await repository.baton("run", nested)).toMatchObject({ code: 3 });
    const { environment, folder } = repository;
    expect(await baton(["run"], { cwd: join(folder, "packages/shop"), env: environment })).toMatchObject({ code: 3 });
    expect(hasRun(repository)).toBe(false);
  });

  it("covers the files that its commands start, which are those of the root", async () => {
    const repository = withNested();
    await repository.baton("trust", nested);
    writeFileSync(join(repository.folder, "packages/shop/agents/first.mjs"), "never started");
    expect(await repository.baton("run", nested)).toMatchObject({ code: 0 });
    write(repository, "first.mjs", agent("// changed"));
    expect(await repository.baton("run", nested)).toMatchObject({ code: 3 });
  });
});

describe("a run that the server drives", () => {
  it("asks on the page about a file that has changed, and runs exactly the content that is approved", async () => {
    const repository = small();
    write(repository, "first.mjs", agent(`appendFileSync("agents/second.mjs", "// edited\\n");`));
    const { folder, environment } = repository;
    await repository.baton("trust");
    await repository.baton("run", "--mode", "supervised");
    const { run } = await repository.view();
    const server = await serve(folder, [], environment);
    let answered = "";
    const openAsk = async () => {
      const isNew = ({ asks: [ask] }: RunView): boolean => ask !== undefined && ask.id !== answered;
      const [ask] = (await until(async () => repository.view(), isNew)).asks;
      answered = ask?.id ?? "";
      return ask;
    };
    const approve = async (ask = "") => {
      const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
      const body = JSON.stringify({ choice: "approve" });
      return (await fetch(`${server.origin}/api/runs/${run}/asks/${ask}`, { method: "POST", headers, body })).status;
    };
    for (const agentName of ["first", "second"]) {
      const start = await openAsk();
      expect(start?.title).toContain(`May ${agentName} start?`);
      expect(await approve(start?.id)).toBe(202);
    }
    const changed = await openAsk();
    expect(changed?.title).toContain("agents/second.mjs");
    // What is approved is what was shown; the file is another one by then.
    appendFileSync(join(folder, "agents/second.mjs"), "// and once more\n");
    expect(await approve(changed?.id)).toBe(202);
    expect((await openAsk())?.details.join("\n")).toContain("+// and once more");
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  });
});

describe("what is trusted", () => {
  it("is listed, and withdrawn with the runs that it let start", async () => {
    const repository = small();
    await repository.baton("trust");
    await repository.baton("run", "--mode", "supervised");
    const hash = await trustOf(repository);
    const { stdout } = await repository.baton("trust", "--list", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      trusted: [{ workflow: "baton.yaml", hash, files: ["agents/first.mjs", "agents/second.mjs"] }],
      runs: [{ hash }],
    });
    expect((await repository.baton("trust", "--list")).stdout).toContain("agents/second.mjs");
    expect(await repository.baton("trust", "--withdraw")).toMatchObject({ code: 0 });
    expect(await repository.baton("run")).toMatchObject({ code: 3 });
    expect(await repository.baton("resume")).toMatchObject({ code: 3 });
    expect(await repository.baton("trust", "--withdraw")).toMatchObject({ code: 2 });
  });

  it("by an older version, was the content of the file alone: it is asked again", async () => {
    const repository = small();
    const folder = join(repository.environment["XDG_CONFIG_HOME"] ?? "", "baton");
    const hash = createHash("sha256")
      .update(readFileSync(join(repository.folder, "baton.yaml")))
      .digest("hex");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "trusted.json"), JSON.stringify({ [hash]: { path: "baton.yaml", at: "2026" } }));
    expect(await repository.baton("run")).toMatchObject({ code: 3 });
    expect(await repository.baton("run", "--trust", hash)).toMatchObject({ code: 3 });
  });
});

describe.skipIf(hasNoTerminal())("on a terminal", () => {
  /** The command with these keys pressed. */
  function pressing(
    { folder, environment }: Repository,
    keys: string,
    ...args: string[]
  ): { code: number; sent: string } {
    const command = [process.execPath, join(projectRoot, "dist/cli/baton.cjs"), ...args].join(" ");
    const { FORCE_COLOR: _force, ...own } = process.env;
    const sent = execFileSync("script", ["-qec", `${command}; echo "code=$?"`, "/dev/null"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...own, TERM: "dumb", ...environment },
      input: keys,
    });
    return { code: Number(/code=(\d+)/.exec(sent)?.[1]), sent };
  }

  it("a first question takes the whole word, and a change one key", async () => {
    const repository = small();
    expect(pressing(repository, "yes\n", "run", "--quiet")).toMatchObject({ code: 0 });
    write(repository, "second.mjs", agent("// changed"));
    const refused = pressing(repository, "n", "run", "--quiet");
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.sent).toContain("+// changed");
    expect(pressing(repository, "y", "run", "--quiet")).toMatchObject({ code: 0 });
    expect(await repository.baton("run", "--quiet")).toMatchObject({ code: 0 });
  });

  it("a run whose files have changed is asked about when it goes on", async () => {
    const repository = small();
    await repository.baton("trust");
    await repository.baton("run", "--mode", "supervised");
    await repository.baton("approve");
    write(repository, "first.mjs", agent("// changed"));
    const refused = pressing(repository, "n", "resume", "--quiet");
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.sent).toContain("+// changed");
    expect(pressing(repository, "y", "resume", "--quiet").sent).toContain("May second start?");
  });
});
