import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Files, type Run, baton, workroom } from "./run-baton.ts";

const folderWith = workroom();

function workflow(run: string, more = ""): string {
  return `baton: 1
name: sample
start: builder
${more}agents:
  builder:
    run: ${run}
    dialect: phase-yaml
    routes: { done: end }
`;
}

interface Room {
  readonly folder: string;
  baton(...args: readonly string[]): Promise<Run>;
  /** Everything that is there. */
  commit(): void;
}

/** A repository with a home of its own. */
function repository(files: Files, more: Readonly<Record<string, string>> = {}): Room {
  const folder = folderWith(files);
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, ".config"), ...more };
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", args, { cwd: folder, env: { ...process.env, ...env } });
  git("init", "--quiet", "--initial-branch=main");
  const commit = (): void => {
    git("add", "--all");
    git("-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "--quiet", "--message", "Start");
  };
  return { folder, commit, baton: (...args) => baton(args, { cwd: folder, env }) };
}

/** Code, severity and place of each finding, as `check` tells it. */
async function findings(room: Room, ...args: readonly string[]): Promise<string[]> {
  const { stdout } = await room.baton("check", "--json", ...args);
  const { files } = JSON.parse(stdout) as {
    files: { diagnostics: { code: string; severity: string; range: { start: { line: number; column: number } } }[] }[];
  };
  return files.flatMap(({ diagnostics }) =>
    diagnostics.map(({ code, severity, range: { start } }) => `${code} ${severity} ${start.line}:${start.column}`),
  );
}

const HANDOFF = '```yaml\nhandoff:\n  phase: Testing\n  from: "@builder"\n  to: "None"\n  status: complete\n```';
const TWO = `${workflow("{ process: [node, agents/builder.mjs] }").replace("done: end", "done: tester")}  tester:
    run: { process: [node, agents/tester.mjs] }
    dialect: phase-yaml
    routes: { done: end }
`;
const WRITES_THE_NEXT = `import { writeFileSync } from "node:fs";
const handoff = ${JSON.stringify(HANDOFF)};
writeFileSync("agents/tester.mjs", "console.log(" + JSON.stringify(handoff.replace("@builder", "@tester")) + ");");
console.log(handoff);
`;
const SCRIPT = "{ process: [node, agents/builder.mjs] }";
const MISSING = "`agents/builder.mjs`, which builder runs, is not there.";

describe("a script that is not there", () => {
  it("is told beside a diagram, not in it", async () => {
    const room = repository({ "baton.yaml": workflow(SCRIPT) });
    const shown = await room.baton("check", "--graph", "mermaid");
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining(MISSING) });
    expect(shown.stdout).toMatch(/^(?:flowchart|stateDiagram|graph)/);
  });

  it("is a warning of check, at its place, with what to do", async () => {
    const room = repository({ "baton.yaml": workflow(SCRIPT) });
    expect(await findings(room)).toEqual(["missing-script warning 6:28"]);
    const shown = await room.baton("check");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(MISSING) });
    expect(shown.stdout).toContain("hint: Write it");
    // It would write the scripts of another workflow, over this one.
    expect(shown.stdout).not.toContain("baton init");
    expect(shown.stderr).toContain("baton.yaml is right, but a file that an agent runs is missing here.");
    expect((await room.baton("check", "--strict")).code).toBe(1);
    expect((await room.baton("explain", "missing-script")).stdout).toContain("agents/builder.mjs");
  });

  it("makes run refuse with the same words before anything is opened, asked or started", async () => {
    const room = repository({ "baton.yaml": workflow(SCRIPT) });
    const run = await room.baton("run", "--brief", "x");
    expect(run).toMatchObject({ code: 3, stdout: expect.stringContaining(MISSING), stderr: "" });
    expect(existsSync(join(room.folder, ".git/baton"))).toBe(false);
    const json = await room.baton("run", "--json");
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout)).toMatchObject({ summary: { invalid: 1 } });
  });

  it("makes run refuse without a repository, too", async () => {
    const folder = folderWith({ "baton.yaml": workflow(SCRIPT) });
    const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, ".config") };
    expect(await baton(["run"], { cwd: folder, env })).toMatchObject({
      code: 3,
      stdout: expect.stringContaining(MISSING),
    });
  });

  it("is looked for from the root of the repository, wherever the command stands", async () => {
    const room = repository({ "sub/baton.yaml": workflow(SCRIPT), "agents/builder.mjs": "" });
    const env = { HOME: room.folder, XDG_CONFIG_HOME: join(room.folder, ".config") };
    const checked = await baton(["check"], { cwd: join(room.folder, "sub"), env });
    expect(checked.stderr).toContain("can be run");
    expect(checked.stdout).not.toContain("missing-script");
  });

  it("is told of the workflows that come along, too", async () => {
    const room = repository({ "agents/TestAgent.mjs": "" });
    expect(await findings(room, "pipeline")).toHaveLength(4);
    expect(await room.baton("run", "pipeline")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("`baton init --workflow pipeline` writes scripts to begin with."),
    });
  });

  it("does not stop a run when an earlier agent may write it", async () => {
    const room = repository({ "baton.yaml": TWO, "agents/builder.mjs": WRITES_THE_NEXT });
    await room.baton("trust");
    const run = await room.baton("run");
    expect(run.stderr).toContain("Warning: `agents/tester.mjs`, which tester");
    // What an agent has written is shown to a person before it is run.
    expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining("agents/tester.mjs is new") });
    await room.baton("approve");
    expect(await room.baton("resume")).toMatchObject({ code: 0 });
  });

  it("does not stop a run that may never come to it, and tells how many there are", async () => {
    const room = repository({ "agents/backend-lead.mjs": "" });
    expect(await findings(room, "feature")).toHaveLength(7);
    await room.baton("trust", "feature");
    const { stderr } = await room.baton("run", "feature", "--mode", "supervised");
    expect(stderr).toContain("Warning: `agents/backend-developer.mjs`, which backend-developer runs, is not there.");
    expect(stderr).toContain("And 6 more: baton check feature shows them all.\n");
    expect(stderr).toContain("May backend-lead start?");
  });

  it("does not stop a run when git ignores it: something makes it first", async () => {
    const room = repository({ "baton.yaml": workflow("{ process: [node, dist/agent.mjs] }"), ".gitignore": "dist/\n" });
    expect(await findings(room)).toEqual(["missing-script warning 6:28"]);
    await room.baton("trust");
    const { stdout, stderr } = await room.baton("run");
    expect(stderr).toContain("Warning: `dist/agent.mjs`, which builder runs, is not there.");
    expect(stdout).toContain("sample");
    expect(existsSync(join(room.folder, ".git/baton"))).toBe(true);
  });
});

describe("a script that a shell is started with", () => {
  const SHELL = "{ process: [bash, myagent.sh] }";

  it("is found on the PATH, too", async () => {
    const tools = folderWith({ "myagent.sh": `cat <<'END'\n${HANDOFF}\nEND\n` });
    const room = repository({ "baton.yaml": workflow(SHELL) }, { PATH: `${process.env["PATH"] ?? ""}:${tools}` });
    expect(await findings(room)).toEqual([]);
    await room.baton("trust");
    expect(await room.baton("run")).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Warning") });
  });

  it("is only warned about when it is nowhere", async () => {
    const room = repository({ "baton.yaml": workflow(SHELL) });
    const run = await room.baton("run");
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining("Warning: `myagent.sh`") });
    expect(run.stderr).toContain("is not trusted yet");
  });
});

describe("a script behind a link", () => {
  it("does not stop a run where git cannot tell whether it is ignored", async () => {
    const room = repository({ "baton.yaml": workflow(SCRIPT), "tools/other.mjs": "" });
    symlinkSync("tools", join(room.folder, "agents"));
    const run = await room.baton("run");
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining(`Warning: ${MISSING}`) });
    expect(run.stderr).toContain("is not trusted yet");
  });

  it("is not missing in a worktree when the link is committed", async () => {
    const room = repository({ "baton.yaml": workflow(SCRIPT, "workspace: worktree\n"), "tools/builder.mjs": "" });
    symlinkSync("tools", join(room.folder, "agents"));
    room.commit();
    expect(await findings(room)).toEqual([]);
  });
});

describe("a file that is started itself", () => {
  it("must be executable", async () => {
    const room = repository({ "baton.yaml": workflow("{ process: [./agent.sh] }"), "agent.sh": "#!/bin/sh\n" });
    expect(await findings(room)).toEqual(["missing-script warning 6:22"]);
    expect((await room.baton("run")).stdout).toContain("`./agent.sh`, which builder runs, may not be executed.");
    chmodSync(join(room.folder, "agent.sh"), 0o755);
    expect(await findings(room)).toEqual([]);
  });
});

describe("agents that work in a worktree", () => {
  it("need their scripts in the last commit", async () => {
    const room = repository({ "baton.yaml": workflow(SCRIPT, "workspace: worktree\n") });
    expect((await room.baton("run")).stdout).toContain(MISSING);
    mkdirSync(join(room.folder, "agents"));
    writeFileSync(join(room.folder, "agents/builder.mjs"), "");
    const run = await room.baton("run");
    expect(run).toMatchObject({ code: 3, stdout: expect.stringContaining("is not in the last commit") });
    room.commit();
    expect(await findings(room)).toEqual([]);
  });
});

describe("a program that is not on the PATH", () => {
  it("is a warning that says that it depends on the machine; several agents make one", async () => {
    const text = workflow("{ process: [no-such-program-anywhere] }").replace("done: end", "done: tester");
    const tester =
      "  tester:\n    run: { process: [no-such-program-anywhere] }\n    dialect: phase-yaml\n    routes: { done: end }\n";
    const room = repository({ "baton.yaml": text + tester });
    expect(await findings(room)).toEqual(["missing-program warning 6:22"]);
    const { code, stdout, stderr } = await room.baton("check");
    expect(code).toBe(0);
    expect(stdout).toContain("`no-such-program-anywhere`, which builder and tester run, is not on the PATH");
    expect(stdout).toContain("Another machine may have it.");
    expect(stderr).toContain("can be run");
  });

  it.each(["no-such-program-anywhere", "/no/such/program"])("is no error of check --strict: %s", async (name) => {
    const room = repository({ "baton.yaml": workflow(`{ process: [${name}] }`) });
    expect(await findings(room, "--strict")).toEqual(["missing-program warning 6:22"]);
    expect((await room.baton("check", "--strict")).code).toBe(0);
  });

  it("makes run refuse when the first agent is started by its path", async () => {
    const room = repository({ "baton.yaml": workflow("{ process: [/no/such/program] }") });
    const run = await room.baton("run");
    expect(run).toMatchObject({ code: 3, stdout: expect.stringContaining("is not on this machine") });
  });

  it("is told by run, which goes on to the question of trust", async () => {
    const room = repository({ "baton.yaml": workflow("{ process: [no-such-program-anywhere] }") });
    const run = await room.baton("run");
    expect(run.stderr).toContain("Warning: `no-such-program-anywhere`");
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining("is not trusted yet") });
  });
});

describe("a script that is gone when a run goes on", () => {
  const FAILS = workflow(SCRIPT)
    .replace("done: end", "done: end, failed: fail")
    .replace("    dialect:", "    retry: { most: 0 }\n    dialect:");
  const CRASH = "process.exit(1);\n";

  /** A run that has failed or waits, and whose agent cannot be started any more. */
  async function interrupted(text: string, ...args: readonly string[]): Promise<Room> {
    const room = repository({ "baton.yaml": text, "agents/builder.mjs": CRASH });
    await room.baton("trust");
    await room.baton("run", "--quiet", ...args);
    rmSync(join(room.folder, "agents/builder.mjs"));
    return room;
  }

  it("makes retry refuse with the words of run, and tells the run nothing", async () => {
    const room = await interrupted(FAILS);
    const before = (await room.baton("log", "--json")).stdout;
    expect(JSON.parse((await room.baton("status", "--json")).stdout)).toMatchObject({ runs: [{ status: "failed" }] });
    const retry = await room.baton("retry");
    expect(retry).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining(MISSING) });
    expect(retry.stderr).toContain("Write it, or name another");
    expect((await room.baton("log", "--json")).stdout).toBe(before);
    writeFileSync(join(room.folder, "agents/builder.mjs"), `console.log(${JSON.stringify(HANDOFF)});`);
    expect(await room.baton("retry")).toMatchObject({ code: 1, stderr: expect.not.stringContaining("Warning") });
    await room.baton("approve");
    expect(await room.baton("resume")).toMatchObject({ code: 0 });
  });

  it("makes resume refuse once the answer leads there, and not before", async () => {
    const room = await interrupted(workflow(SCRIPT), "--mode", "supervised");
    expect(await room.baton("resume")).toMatchObject({ code: 1, stderr: expect.stringContaining("Warning: ") });
    expect((await room.baton("approve")).code).toBe(0);
    const before = (await room.baton("log", "--json")).stdout;
    expect(await room.baton("resume")).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining(MISSING) });
    expect((await room.baton("log", "--json")).stdout).toBe(before);
    writeFileSync(join(room.folder, "agents/builder.mjs"), `console.log(${JSON.stringify(HANDOFF)});`);
    expect((await room.baton("resume")).code).toBe(1);
    await room.baton("approve");
    expect((await room.baton("resume")).code).toBe(0);
  });

  it("is looked for where the run has its files: in its own worktree", async () => {
    const room = repository({ "baton.yaml": `${FAILS}workspace: worktree\n`, "agents/builder.mjs": CRASH });
    room.commit();
    await room.baton("trust");
    await room.baton("run", "--quiet");
    rmSync(join(room.folder, "agents"), { recursive: true });
    expect((await room.baton("retry")).code).toBe(1);
    const [worktree = ""] = readdirSync(join(room.folder, ".baton/worktrees"));
    rmSync(join(room.folder, ".baton/worktrees", worktree, "agents"), { recursive: true });
    expect(await room.baton("retry")).toMatchObject({ code: 3, stderr: expect.stringContaining(MISSING) });
  });
});

describe("a workflow file that is broken", () => {
  it("is a finding of check, and ends run with the code for configuration: nothing was started", async () => {
    const room = repository({ "baton.yaml": workflow(SCRIPT).replace("routes:", "roads:") });
    const checked = await room.baton("check");
    expect(checked.code).toBe(1);
    const run = await room.baton("run");
    expect(run).toMatchObject({ code: 3, stdout: checked.stdout });
    expect((await room.baton("run", "--dry-run")).code).toBe(3);
    expect(existsSync(join(room.folder, ".git/baton"))).toBe(false);
    expect((await room.baton("run", "--help")).stdout).toContain("3 nothing was started: the workflow cannot");
  });
});

describe("processes that an agent leaves behind", () => {
  it("are said to escape where no program can mark them", async () => {
    const bin = folderWith({});
    for (const name of ["git", "sh", "env"]) symlinkSync(`/usr/bin/${name}`, join(bin, name));
    const files = { "baton.yaml": workflow("{ process: [sh, -c, exit] }") };
    const escapes = "is not found when the agent ends: install prlimit";
    expect((await repository(files, { PATH: bin }).baton("check")).stderr).toContain(escapes);
    expect((await repository(files).baton("check")).stderr).not.toContain(escapes);
  });
});
