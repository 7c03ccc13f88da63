import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { type Run, baton, projectRoot } from "../../cli/run-baton.ts";
import { type Repository, WORKFLOW, behave, cloneOf, examples, ofKind, pretend } from "./repository.ts";

const example = examples();

/** A repository whose agents pretend, all committed. */
async function pretending(behaviours: Readonly<Record<string, string>> = {}, change = (text: string) => text) {
  const repository = example("pipeline");
  pretend(repository, behaviours, "30s", change);
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--message", "Pretend");
  await repository.baton("trust", WORKFLOW);
  return repository;
}

function inFolder({ environment }: Repository, folder: string, ...args: string[]): Promise<Run> {
  return baton(args, { cwd: folder, env: environment });
}

async function whereIn(repository: Repository, folder = repository.folder, env: Record<string, string> = {}) {
  const { stdout } = await baton(["status", "--where"], { cwd: folder, env: { ...repository.environment, ...env } });
  return stdout.trimEnd();
}

async function runsOf(repository: Repository, folder = repository.folder): Promise<{ run: string; status: string }[]> {
  const { stdout } = await inFolder(repository, folder, "status", "--json");
  return (JSON.parse(stdout) as { runs: { run: string; status: string }[] }).runs;
}

describe("the state", () => {
  it("lies in the git folder, for subfolders and linked worktrees too, whatever git is told by the environment", async () => {
    const repository = example("pipeline");
    const [sub, linked] = [
      join(repository.folder, "src/deep"),
      join(dirname(repository.folder), `linked-${Date.now()}`),
    ];
    mkdirSync(sub, { recursive: true });
    repository.git("worktree", "add", "--quiet", linked);
    const expected = join(repository.git("rev-parse", "--absolute-git-dir"), "baton");
    expect(expected).toBe(join(repository.folder, ".git/baton"));
    for (const folder of [repository.folder, sub, linked]) expect(await whereIn(repository, folder)).toBe(expected);
    const hostile = { GIT_DIR: "/nowhere", GIT_COMMON_DIR: "/nowhere", GIT_WORK_TREE: "/nowhere" };
    expect(await whereIn(repository, repository.folder, hostile)).toBe(expected);
    expect(await whereIn(repository, repository.folder, { BATON_STATE: "/elsewhere" })).toBe("/elsewhere");
    rmSync(linked, { recursive: true });
  });

  it("lies in the operator's state folder without git; a relative XDG_STATE_HOME does not count", async () => {
    const repository = example("pipeline");
    rmSync(join(repository.folder, ".git"), { recursive: true });
    const home = repository.environment["HOME"] ?? "";
    expect(dirname(await whereIn(repository))).toBe(join(home, ".local/state/baton"));
    const given = { XDG_STATE_HOME: join(home, "states") };
    expect(dirname(await whereIn(repository, repository.folder, given))).toBe(join(home, "states/baton"));
    const relative = { XDG_STATE_HOME: "states" };
    expect(dirname(await whereIn(repository, repository.folder, relative))).toBe(join(home, ".local/state/baton"));
  });

  it("is made once by processes that begin at the same time", async () => {
    const repository = example("pipeline");
    const all = await Promise.all(Array.from({ length: 6 }, () => repository.baton("prune")));
    expect(all.map(({ code, stderr }) => [code, stderr.includes("chain is whole")])).toEqual(all.map(() => [0, true]));
    // Where two processes close at once, SQLite may leave its own files for the next one.
    const names = readdirSync(join(repository.folder, ".git/baton"))
      .filter((name) => name.startsWith("baton.db"))
      .filter((name) => !/-(?:wal|shm)$/.test(name));
    expect(names).toEqual(["baton.db"]);
  });
});

describe("an agent that clears up the work tree", () => {
  it("loses no log, no knowledge and no committed work", async () => {
    const repository = await pretending({
      BackendBuilder: "runs: git clean -ffdxq",
      TestAgent: "runs: echo new > new.txt && git stash --include-untracked --quiet",
      CodeReviewer: "runs: mkdir -p .baton && rm -rf .baton",
      SecurityScanner: "runs: git switch --quiet --create other",
    });
    const ran = await repository.baton("run", WORKFLOW);
    expect(ran).toMatchObject({ code: 0 });
    expect(await runsOf(repository)).toMatchObject([{ status: "completed" }]);
    expect(await repository.baton("audit", "verify")).toMatchObject({ code: 0 });
    expect(await repository.baton("replay")).toMatchObject({ code: 0 });
    expect(repository.git("log", "--format=%s", "other")).toContain("Pretend");
  });
});

describe("a log that vanishes while it is in use", () => {
  it.each([
    ["its folder", "rm -rf .git/baton"],
    ["the git folder", "rm -rf .git"],
    ["its file, with another one in its place", "cp .git/baton/baton.db copy && mv copy .git/baton/baton.db"],
    ["the file beside it", "rm .git/baton/baton.db-wal"],
  ])("stops the run with an error and is saved: %s", async (_what, command) => {
    const repository = await pretending({ TestAgent: `runs: ${command}` });
    const backup = `${repository.folder}.git`;
    cpSync(join(repository.folder, ".git"), backup, { recursive: true });
    const ran = await repository.baton("run", WORKFLOW);
    expect(ran).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("was removed or replaced while it was in use"),
    });
    const [, saved = ""] = /`baton state adopt (\S+)`/.exec(ran.stderr) ?? [];
    expect(saved).toContain(join(repository.environment["HOME"] ?? "", ".local/state/baton/saved"));
    const told = await repository.baton("status");
    expect(told.stderr).toContain(`baton state adopt ${saved}`);

    if (!existsSync(join(repository.folder, ".git"))) renameSync(backup, join(repository.folder, ".git"));
    const adopted = await repository.baton("state", "adopt", saved, "--aside");
    expect(adopted).toMatchObject({ code: 0 });
    expect((await repository.baton("status")).stderr).not.toContain("state adopt");
    expect(await runsOf(repository)).toMatchObject([{ status: "running" }]);
    behave(repository, {});
    expect(await repository.baton("resume")).toMatchObject({ code: 0 });
    expect(await repository.baton("audit", "verify")).toMatchObject({ code: 0 });
  });

  it("is adopted without its repository, too", async () => {
    const repository = await pretending({ TestAgent: "runs: rm -rf .git" });
    expect(await repository.baton("run", WORKFLOW)).toMatchObject({ code: 3 });
    expect(await repository.baton("state", "adopt")).toMatchObject({ code: 0 });
    expect(await runsOf(repository)).toHaveLength(1);
    expect(await whereIn(repository)).toContain(join(repository.environment["HOME"] ?? "", ".local/state/baton"));
    // A run that began in a repository does not go on without one: a person is asked.
    behave(repository, {});
    expect(await repository.baton("resume")).toMatchObject({ code: 1 });
    expect(await repository.view()).toMatchObject({ status: "waiting", asks: [{ kind: "escalation" }] });
  });
});

describe("a worktree of a run that is deleted", () => {
  const inWorktree = (text: string): string => `${text}\nworkspace: worktree\n`;

  it("is reported, and the attempt fails; what was committed stays", async () => {
    const commit = "git commit --quiet --allow-empty --message 'Work of the agent'";
    const takeAway = `${commit} && rm -rf "$PWD"`;
    const repository = await pretending({ BackendBuilder: `runs: ${takeAway}` }, inWorktree);
    const ran = await repository.baton("run", WORKFLOW);
    expect(ran.code).not.toBe(0);
    const [failed] = ofKind(await repository.events(), "attempt-ended");
    expect(JSON.stringify(failed)).toContain("the worktree of the run is gone");
    const run = (await runsOf(repository))[0]?.run ?? "";
    expect(repository.git("log", "-1", "--format=%s", `baton/${run}`)).toBe("Work of the agent");
  });

  it("is not made again over its branch when a clean-up took it between two attempts", async () => {
    const commit = "git commit --quiet --allow-empty --message 'Work of the agent'";
    const repository = await pretending({ BackendBuilder: `runs: ${commit}` }, inWorktree);
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    await repository.baton("approve");
    await repository.baton("resume");
    const run = (await runsOf(repository))[0]?.run ?? "";
    repository.git("clean", "-ffdxq");
    expect(existsSync(join(repository.folder, ".baton"))).toBe(false);
    await repository.baton("approve");
    const resumed = await repository.baton("resume");
    expect(resumed.code).not.toBe(0);
    expect(JSON.stringify(await repository.events())).toContain("the worktree of the run is gone");
    expect(repository.git("log", "-1", "--format=%s", `baton/${run}`)).toBe("Work of the agent");
  });
});

describe("a run that was started in a linked worktree", () => {
  it("is continued there, also from the main one", async () => {
    const repository = await pretending();
    const linked = join(dirname(repository.folder), `linked-${Date.now()}`);
    repository.git("worktree", "add", "--quiet", linked);
    expect(await inFolder(repository, linked, "run", WORKFLOW, "--mode", "supervised")).toMatchObject({ code: 1 });
    expect(await repository.baton("approve")).toMatchObject({ code: 0 });
    await repository.baton("resume");
    expect(
      existsSync(join(linked, "handoff-TestAgent.json")) || existsSync(join(linked, "handoff-BackendBuilder.json")),
    ).toBe(true);
    expect(existsSync(join(repository.folder, "handoff-BackendBuilder.json"))).toBe(false);
    expect(existsSync(join(repository.folder, "handoff-TestAgent.json"))).toBe(false);
    rmSync(linked, { recursive: true });
  });
});

/** The state of an older version: everything in `.baton` of the work tree. */
async function withOlderState(): Promise<Repository> {
  const repository = await pretending();
  const env = { ...repository.environment, BATON_STATE: ".baton" };
  expect(await baton(["run", WORKFLOW, "--mode", "supervised"], { cwd: repository.folder, env })).toMatchObject({
    code: 1,
  });
  return repository;
}

describe("a log of an older version in the work tree", () => {
  it("is not read, and every command names the command that adopts it", async () => {
    const repository = await withOlderState();
    for (const line of ["status", "report", "resume", "prune"]) {
      const { stderr } = await repository.baton(line);
      expect(stderr).toMatch(/\.baton\/baton\.db is your log of an older version.*`baton state adopt`/s);
    }
    expect(await repository.baton("validate", "package.json")).not.toMatchObject({
      stderr: expect.stringContaining("state adopt"),
    });
  });

  it("is adopted without a terminal: verified, copied, and kept under another name", async () => {
    const repository = await withOlderState();
    expect(await repository.baton("state", "adopt")).toMatchObject({ code: 0 });
    expect(await runsOf(repository)).toMatchObject([{ status: "waiting" }]);
    expect(readdirSync(join(repository.folder, ".baton"))).toContain("baton.db.adopted");
    expect((await repository.baton("status")).stderr).toBe("");
    expect(await repository.baton("state", "adopt")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no log"),
    });
    expect(await repository.baton("audit", "verify")).toMatchObject({ code: 0 });
    await repository.baton("approve");
    expect((await repository.baton("resume")).stderr).not.toContain("--trust");
  });

  it("never takes the place of another one unless that is moved aside", async () => {
    const repository = await withOlderState();
    await repository.baton("run", WORKFLOW);
    const refused = await repository.baton("state", "adopt");
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--aside") });
    expect(await runsOf(repository)).toMatchObject([{ status: "completed" }]);
    const adopted = await repository.baton("state", "adopt", "--aside", "--json");
    expect(adopted).toMatchObject({ code: 0 });
    expect(await runsOf(repository)).toMatchObject([{ status: "waiting" }]);
    const { aside } = JSON.parse(adopted.stdout) as { aside: string };
    const env = { ...repository.environment, BATON_STATE: aside };
    const { stdout } = await baton(["status"], { cwd: repository.folder, env });
    expect(stdout).toContain("completed");
  });

  it("is adopted or left as it was when the process is killed", async () => {
    const repository = await withOlderState();
    const { folder, environment } = repository;
    const command = join(projectRoot, "dist/cli/baton.cjs");
    for (const delay of [60, 120, 160, 200, 240, 300]) {
      const env = { ...process.env, ...environment };
      spawnSync(process.execPath, [command, "state", "adopt"], {
        cwd: folder,
        env,
        timeout: delay,
        killSignal: "SIGKILL",
      });
      const isOld = existsSync(join(folder, ".baton/baton.db"));
      const isNew = existsSync(join(folder, ".git/baton/baton.db"));
      expect(isOld || isNew).toBe(true);
    }
    // The last moment before the old files have their new name.
    if (!existsSync(join(folder, ".baton/baton.db"))) {
      const [from, to] = ["baton.db.adopted", "baton.db"].map((name) => join(folder, ".baton", name));
      renameSync(from ?? "", to ?? "");
    } else expect(await repository.baton("state", "adopt")).toMatchObject({ code: 0 });
    const again = await repository.baton("state", "adopt");
    expect([0, 2]).toContain(again.code);
    expect(existsSync(join(folder, ".baton/baton.db"))).toBe(false);
    expect(await runsOf(repository)).toMatchObject([{ status: "waiting" }]);
    expect(readdirSync(join(folder, ".git")).filter((name) => name.startsWith("baton"))).toEqual(["baton"]);
  });

  it("is refused with the place when its chain is broken", async () => {
    const repository = await withOlderState();
    const database = new DatabaseSync(join(repository.folder, ".baton/baton.db"));
    database.exec(`UPDATE entries SET data = replace(data, '"kind"', '"Kind"') WHERE position = 2`);
    database.close();
    const refused = await repository.baton("state", "adopt");
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("damaged") });
    expect(readdirSync(join(repository.folder, ".git")).filter((name) => name.startsWith("baton"))).toEqual([]);
    expect(readdirSync(join(repository.folder, ".baton"))).toContain("baton.db");
  });

  it("of somebody else is ignored and told, and adopted only by its id", async () => {
    const clone = cloneOf(await withOlderState());
    const { code, stdout, stderr } = await clone.baton("status");
    expect([code, stdout, stderr]).toEqual([0, "", expect.stringContaining("is ignored")]);
    const refused = await clone.baton("state", "adopt");
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("believes what it says") });
    const [, id = ""] = /--trust (\w+)/.exec(refused.stderr) ?? [];
    expect(await clone.baton("state", "adopt", "--trust", "0".repeat(32))).toMatchObject({ code: 3 });
    expect(await clone.baton("state", "adopt", "--trust", id)).toMatchObject({ code: 0 });
    expect(await runsOf(clone)).toHaveLength(1);
    expect(existsSync(join(clone.folder, ".git/baton/submit-secret"))).toBe(false);
  });
});

async function afterRun(): Promise<Repository> {
  const repository = await pretending();
  await repository.baton("run", WORKFLOW);
  return repository;
}

describe("a state folder that could be anybody's", () => {
  async function refusedAfter(change: (state: string) => void): Promise<string> {
    const repository = example("pipeline");
    await repository.baton("prune");
    change(join(repository.folder, ".git/baton"));
    const { code, stderr, stdout } = await repository.baton("status");
    expect([code, stdout]).toEqual([3, ""]);
    expect(await repository.baton("prune")).toMatchObject({ code: 3 });
    return stderr;
  }

  it("is refused: a link, a folder that others can write, a file that is a link", async () => {
    const asLink = (state: string): void => {
      renameSync(state, `${state}2`);
      symlinkSync(`${state}2`, state);
    };
    expect(await refusedAfter(asLink)).toContain("link");
    expect(await refusedAfter((state) => chmodSync(state, 0o777))).toContain("can be written by other users");
    const linkIn = (name: string) => (state: string) => {
      rmSync(join(state, name), { force: true });
      symlinkSync("/dev/null", join(state, name));
    };
    expect(await refusedAfter(linkIn("knowledge.db"))).toContain("link");
    expect(await refusedAfter(linkIn("baton.db"))).toContain("link");
    expect(await refusedAfter(linkIn("workspaces"))).toContain("link");
  });

  it.skipIf(process.getuid?.() !== 0)("is refused when another user owns it", async () => {
    expect(await refusedAfter((state) => execFileSync("chown", ["65534", state]))).toContain("belongs to another user");
  });

  it.each(["servers/4500", "attempts/r1/s1.1/attempt.json", "workspaces/r1.worktree", "turns/x.json"])(
    "is refused when it holds %s without the log",
    async (name) => {
      const repository = example("pipeline");
      const file = join(repository.folder, ".git/baton", name);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, "x");
      const refused = await repository.baton("prune");
      expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("but no log") });
      expect(existsSync(join(repository.folder, ".git/baton/baton.db"))).toBe(false);
    },
  );

  it("that is adopted where it lies brings runs, facts and issues along, and nothing else", async () => {
    const clone = cloneOf(await afterRun());
    const state = join(clone.folder, ".git/baton");
    const planted = [
      "submit-secret",
      "validations/r1.json",
      "workspaces/r1.worktree",
      "servers/4500",
      "git/x",
      "schedules.db",
      "odd",
    ];
    for (const name of planted) {
      mkdirSync(dirname(join(state, name)), { recursive: true });
      writeFileSync(join(state, name), "theirs");
    }
    const { stderr } = await clone.baton("state", "adopt");
    const [, id = ""] = /--trust (\w+)/.exec(stderr) ?? [];
    const adopted = await clone.baton("state", "adopt", "--trust", id);
    expect(adopted).toMatchObject({ code: 0, stderr: expect.stringContaining("What was there before is in") });
    expect(planted.filter((name) => existsSync(join(state, name)))).toEqual([]);
    expect(await runsOf(clone)).toHaveLength(1);
    const [, aside = ""] = /before is in\s+(\S+?)\.?\s/.exec(adopted.stderr) ?? [];
    expect(readdirSync(aside)).toEqual(expect.arrayContaining(["odd", "schedules.db", "submit-secret", "validations"]));
  });

  it.each([".baton", ".baton/worktrees"])("is not worked in: %s that is a link in the repository", async (name) => {
    const repository = await pretending();
    const elsewhere = join(repository.environment["HOME"] ?? "", "elsewhere");
    mkdirSync(elsewhere);
    mkdirSync(dirname(join(repository.folder, name)), { recursive: true });
    symlinkSync(elsewhere, join(repository.folder, name));
    const { code, stdout, stderr } = await repository.baton("run", WORKFLOW, "--worktree");
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("is a link");
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("is refused when it holds knowledge without the log", async () => {
    const repository = example("pipeline");
    mkdirSync(join(repository.folder, ".git/baton"), { mode: 0o700 });
    writeFileSync(join(repository.folder, ".git/baton/knowledge.db"), "");
    expect(await repository.baton("knowledge", "search")).toMatchObject({
      stderr: expect.stringContaining("no facts"),
    });
    expect(await repository.baton("prune")).toMatchObject({ code: 3, stderr: expect.stringContaining("but no log") });
  });
});
