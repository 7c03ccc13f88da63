import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEngine } from "../../src/main/open-engine.ts";
import { type RunUpdate, driveRun } from "../../src/runtime/drive-run.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { keepTasks } from "../../src/runtime/keep-tasks.ts";
import { loadTasks } from "../../src/runtime/operations/load-tasks.ts";
import { startRun } from "../../src/runtime/operations/start-run.ts";
import { openSession } from "../../src/runtime/run-session.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import type { RunState } from "../../src/workflow/state.ts";

/** Runs with real agents in a real repository: what stands in the files of their tasks, while they work and after. */
let room = "";
let root = "";
let engine: Engine;
beforeEach(() => {
  room = mkdtempSync(join(realpathSync(tmpdir()), "baton-task-run-"));
  root = join(room, "repository");
  mkdirSync(root);
  git("init", "--quiet", "--initial-branch=main");
  put("agent.mjs", AGENT);
  engine = openEngine(root);
});
afterEach(async () => {
  await engine.close();
  rmSync(room, { recursive: true, force: true });
});

function git(...args: string[]): void {
  const author = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...author, ...args], { cwd: root });
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function get(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Keeps a copy of the file of its task as it stands while it works, does what `act-ID.mjs` says, and hands over. */
const AGENT = `
import { copyFileSync, existsSync, readFileSync } from "node:fs";
const task = process.env.BATON_TASK;
const root = process.env.TEST_ROOT + "/";
const source = root + readFileSync(root + "source.txt", "utf8");
if (existsSync(source)) copyFileSync(source, root + "seen-" + task + ".txt");
const act = root + "act-" + task + ".mjs";
const outcome = existsSync(act) ? (await import(act)).act(source) : "completed";
console.log("## Handoff\\n\\n\`\`\`yaml\\noutcome: " + outcome + "\\n" + (outcome === "completed" ? "" :
  "blockers:\\n  - blocker: It is late\\n    impact: Nothing goes on\\n    suggested_resolution: Wait\\n    blocking_tasks: [task-9]\\n") + "\`\`\`");
`;

function workflowText(workspace: string): string {
  return `baton: 1
name: tasks
start: worker
parallel: 1
workspace: ${workspace}
agents:
  worker:
    run: { process: [${JSON.stringify(process.execPath)}, ${JSON.stringify(join(root, "agent.mjs"))}], env: { TEST_ROOT: ${JSON.stringify(root)} } }
    dialect: task-yaml
    retry: { most: 0 }
    repairs: 0
    verify: off
    routes: { done: end, failed: fail, needs-fixes: fail, blocked: person }
`;
}

interface Told {
  readonly state: RunState;
  readonly troubles: string[];
}

async function run(source: string, workspace = "in-place"): Promise<Told> {
  put("source.txt", source);
  const { workflow, diagnostics } = readWorkflow(workflowText(workspace), { path: "w.yaml", hash: "h" });
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  const { tasks } = loadTasks({ pattern: source, directory: root, root, tag: undefined, others: [] });
  const lease = await startRun(engine.ports, { workflow, brief: "", tasks: [...tasks], known: {} });
  const troubles: string[] = [];
  const watch = (news: RunUpdate): void => {
    if (news.kind === "trouble") troubles.push(news.message);
  };
  return { state: await driveRun(engine.ports, lease, { leaveParked: true, watch }), troubles };
}

const MASTER = ".taskmaster/tasks/tasks.json";
const LIST = `{
  "master": {
    "tasks": [
      { "id": 1, "title": "One", "status": "pending", "dependencies": [], "metadata": { "kept": 1.50 } },
      { "id": "2", "title": "Two", "status": "pending", "dependencies": [1], "subtasks": [
        { "id": 1, "title": "a", "status": "pending" },
        { "id": 2, "title": "b", "status": "pending", "dependencies": [1] }
      ] }
    ]
  }
}
`;

describe("a run of a Task Master file", () => {
  it("writes what is begun and what is done, and touches nothing else", async () => {
    put(MASTER, LIST);
    const { state, troubles } = await run(MASTER);
    expect([state.status, troubles]).toEqual(["completed", []]);
    expect(Object.keys(state.tasks)).toEqual(["task-1", "task-2.1", "task-2.2"]);
    expect(get("seen-task-1.txt")).toBe(LIST.replace("pending", "in-progress"));
    expect(get(MASTER)).toBe(LIST.replaceAll("pending", "done"));
    expect(readdirSync(join(root, dirname(MASTER)))).toEqual(["tasks.json"]);
  });

  it("applies its change to what somebody else has written meanwhile", async () => {
    put(MASTER, LIST);
    put("act-task-1.mjs", editing(`text.replace('"title": "One"', '"title": "Renamed"').replace("1.50", "2.50")`));
    const { state } = await run(MASTER);
    expect(state.status).toBe("completed");
    expect(get(MASTER)).toBe(LIST.replaceAll("pending", "done").replace("One", "Renamed").replace("1.50", "2.50"));
  });

  it("writes nothing for a task that has gone, says so, and goes on", async () => {
    put(MASTER, LIST);
    put("act-task-1.mjs", editing(`text.replace('"id": 1, "title": "One"', '"id": 7, "title": "One"')`));
    const { state, troubles } = await run(MASTER);
    expect(state.status).toBe("completed");
    expect(troubles).toEqual([`${MASTER} does not have the task 1 any more: that 1 is done was not written.`]);
    expect(get(MASTER)).toContain(`"id": 7, "title": "One", "status": "in-progress"`);
  });

  it("leaves alone a file that was broken, and one that became a link out of the repository", async () => {
    put(MASTER, LIST);
    put("act-task-1.mjs", editing(`"{ broken"`));
    const broken = await run(MASTER);
    expect(broken.state.status).toBe("completed");
    expect(broken.troubles[0]).toContain(`${MASTER} is not JSON any more`);
    expect(get(MASTER)).toBe("{ broken");
    rmSync(join(root, MASTER));
    writeFileSync(join(room, "outside.json"), LIST);
    put(MASTER, LIST);
    put(
      "act-task-1.mjs",
      `import { rmSync, symlinkSync } from "node:fs";
export const act = (file) => (rmSync(file), symlinkSync(${JSON.stringify(join(room, "outside.json"))}, file), "completed");`,
    );
    const linked = await run(MASTER);
    expect(linked.state.status).toBe("completed");
    expect(linked.troubles[0]).toContain("a link that leads out of it");
    expect(readFileSync(join(room, "outside.json"), "utf8")).toBe(LIST);
  });

  it("waits for the lock that Task Master's own commands hold; what it could not write comes later", async () => {
    put(MASTER, LIST);
    const lock = (call: string): string =>
      `import * as fs from "node:fs";\nexport const act = (file) => (fs.${call}(file + ".lock"), "completed");`;
    put("act-task-1.mjs", lock("mkdirSync"));
    put("act-task-2.1.mjs", lock("rmdirSync"));
    const { state, troubles } = await run(MASTER);
    expect(state.status).toBe("completed");
    expect(troubles).toEqual([
      `The progress of 1, 2.1 was not written to ${MASTER}: another process holds the lock tasks.json.lock.`,
    ]);
    expect(get("seen-task-2.1.txt")).toBe(get("seen-task-1.txt"));
    expect(get(MASTER)).toBe(LIST.replaceAll("pending", "done"));
  });

  it("takes a lock over that somebody has left behind", async () => {
    put(MASTER, LIST);
    mkdirSync(join(root, `${MASTER}.lock`));
    utimesSync(join(root, `${MASTER}.lock`), 1, 1);
    expect((await run(MASTER)).troubles).toEqual([]);
    expect(readdirSync(join(root, dirname(MASTER)))).toEqual(["tasks.json"]);
  });

  it("says blocked for what has failed", async () => {
    put(MASTER, LIST);
    put("act-task-1.mjs", `export const act = () => "failed";`);
    const { state } = await run(MASTER);
    expect(state.status).toBe("failed");
    expect(get(MASTER)).toBe(LIST.replace("pending", "blocked"));
  });

  it("says the same once more after a crash", async () => {
    put(MASTER, LIST);
    const { state } = await run(MASTER);
    const end = get(MASTER);
    put(MASTER, LIST);
    const lease = await engine.ports.log.acquire(state.run, "again", Date.now(), Date.now() + 60_000);
    if (lease === null) throw new Error("the run is held");
    const session = await openSession(engine.ports, lease);
    expect(await keepTasks(engine.ports, session, null)).toEqual({ messages: [], isTold: true });
    expect(get(MASTER)).toBe(end);
    expect(await keepTasks(engine.ports, session, null)).toEqual({ messages: [], isTold: true });
    expect(get(MASTER)).toBe(end);
  });
});

/** An agent that changes the file of its task behind our back. */
function editing(change: string): string {
  return `import { readFileSync, writeFileSync } from "node:fs";
export function act(file) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, ${change});
  return "completed";
}`;
}

describe("a run of the other formats", () => {
  it("ticks what is done in a tasks.md of Spec Kit", async () => {
    const list = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 One\n- [ ] T002 [P] Two\n";
    put("specs/1/tasks.md", list);
    put("act-T002.mjs", `export const act = () => "failed";`);
    await run("specs/1/tasks.md");
    expect(get("seen-T001.txt")).toBe(list);
    expect(get("specs/1/tasks.md")).toBe(list.replace("[ ] T001", "[X] T001"));
  });

  it("writes the status in an issues.jsonl of beads, on its own line", async () => {
    put(
      ".beads/issues.jsonl",
      `{"id":"bd-1","title":"One","status":"open"}\n{"id":"bd-2","title":"Two","status":"deferred"}\n`,
    );
    await run(".beads/issues.jsonl");
    expect(get("seen-bd-1.txt")).toMatch(
      /^\{"id":"bd-1","title":"One","status":"in_progress","updated_at":"[^"]+"\}\n/,
    );
    const [first = "", second] = get(".beads/issues.jsonl").split("\n");
    expect(JSON.parse(first)).toMatchObject({
      status: "closed",
      closed_at: expect.stringMatching(/^20.*Z$/) as string,
    });
    expect(second).toBe(`{"id":"bd-2","title":"Two","status":"deferred"}`);
  });

  it("writes the status row of a task file, and blocked while only a person can help", async () => {
    const text = "# Task task-1: One\n\n| Status | pending |\n|---|---|\n| Priority | high |\n";
    put("tasks/task-1.md", text);
    put("act-task-1.mjs", `export const act = () => "blocked";`);
    const { state } = await run("tasks/task-1.md");
    expect(Object.values(state.asks)).toHaveLength(1);
    expect(get("seen-task-1.txt")).toBe(text.replace("pending", "in_progress"));
    expect(get("tasks/task-1.md")).toBe(text.replace("pending", "blocked"));
  });
});

describe("a run in a worktree", () => {
  it("writes where its agents work, and a file that git does not know where it is", async () => {
    put(MASTER, LIST);
    git("add", "--all");
    git("commit", "--quiet", "-m", "start");
    const tracked = await run(MASTER, "worktree");
    const folder = await engine.ports.workspace.prepare(tracked.state.run, "worktree");
    expect(existsSync(join(folder, MASTER)) && readFileSync(join(folder, MASTER), "utf8")).toBe(
      LIST.replaceAll("pending", "done"),
    );
    expect(get(MASTER)).toBe(LIST);
    put(".beads/issues.jsonl", `{"id":"bd-1","title":"One","status":"open"}\n`);
    const untracked = await run(".beads/issues.jsonl", "worktree");
    expect(untracked.troubles).toEqual([]);
    expect(get(".beads/issues.jsonl")).toContain(`"status":"closed"`);
  });

  it("never follows a folder that leads out", async () => {
    put(MASTER, LIST);
    mkdirSync(join(room, "outside"));
    writeFileSync(join(room, "outside/tasks.json"), LIST);
    put(
      "act-task-1.mjs",
      `import { rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
export function act(file) {
  rmSync(dirname(file), { recursive: true });
  symlinkSync(${JSON.stringify(join(room, "outside"))}, dirname(file));
  return "completed";
}`,
    );
    const { troubles } = await run(MASTER);
    expect(troubles[0]).toContain("a link that leads out of it");
    expect(readFileSync(join(room, "outside/tasks.json"), "utf8")).toBe(LIST);
    expect(readdirSync(join(room, "outside"))).toEqual(["tasks.json"]);
  });
});
