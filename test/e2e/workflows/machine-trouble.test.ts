import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/workflow/event.ts";
import { hashToTrust } from "../../hash-to-trust.ts";
import { reasonToSkip } from "../../crash/store-strace.ts";
import { type Run, baton, projectRoot, workroom } from "../../cli/run-baton.ts";

const folderWith = workroom();

const HANDOFF = `printf '## Handoff\\n\\n\`\`\`yaml\\noutcome: completed\\nfiles_created:\\n  - path: a.txt\\n    purpose: Holds a line\\n    lines: 1-1\\n\`\`\`\\n'`;

function openRoom(workflow: string, files: Readonly<Record<string, string>>) {
  const folder = folderWith({ "baton.yaml": workflow, ...files });
  const room = folderWith({ journal: "" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "begin");
  const env = { ROOM: room, BATON_STATE: join(room, "state"), XDG_CONFIG_HOME: mkdtempSync(join(room, "config-")) };
  const command = (...args: string[]): Promise<Run> => baton(args, { cwd: folder, env });
  return {
    folder,
    room,
    env,
    trust: hashToTrust(folder),
    command,
    run: () => command("run", "--trust", hashToTrust(folder)),
    async events(): Promise<Event[]> {
      const { stdout } = await command("log", "--json");
      const entries = stdout.trimEnd().split("\n");
      return entries
        .map((line) => JSON.parse(line) as { kind: string; data: Event })
        .flatMap(({ kind, data }) => (kind === "input" ? [] : [data]));
    },
  };
}

describe("a repository that an agent deletes", () => {
  const WORKFLOW = `baton: 1
name: gone
start: One
agents:
  One:
    run: { process: [sh, agent.sh], inherit: [ROOM] }
    dialect: task-yaml
    retry: { most: 3, delay: 10ms }
    routes: { done: end, failed: { retry: 3, then: fail } }
`;

  it.each([
    ["hands over as if nothing had happened", HANDOFF],
    ["crashes", "exit 7"],
  ])("leads to a person, not to another attempt: it %s", async (_how, end) => {
    const script = `echo x > a.txt\necho start >> $ROOM/journal\n[ -e $ROOM/kept ] || mv .git $ROOM/kept\n${end}\n`;
    const room = openRoom(WORKFLOW, { "agent.sh": script });
    const { code, stdout } = await room.run();
    expect(code, stdout).toBe(1);
    expect(stdout).toContain("The repository is gone: git cannot read .git any more after One worked.");
    expect(stdout).toContain("answer");
    const started = () => readFileSync(join(room.room, "journal"), "utf8").trim().split("\n").length;
    expect(started()).toBe(1);

    // As long as it is gone, a retry starts nothing: its work could not be verified.
    const [, run = ""] = /gone (\w+)/.exec(stdout) ?? [];
    expect((await room.command("answer", run, "q1", "retry")).code).toBe(0);
    expect((await room.command("resume", run)).stdout).toContain("The repository is gone");
    expect(started()).toBe(1);
    if (end !== HANDOFF) return;
    execFileSync("mv", [join(room.room, "kept"), join(room.folder, ".git")]);
    execFileSync("rm", [join(room.folder, "a.txt")]);
    writeFileSync(join(room.room, "kept"), "");
    expect((await room.command("answer", run, "q2", "retry")).code).toBe(0);
    expect(await room.command("resume", run)).toMatchObject({ code: 0 });
  });
});

describe("an answer that comes after the time for it", () => {
  const WORKFLOW = `baton: 1
name: late
mode: supervised
start: One
asks: { timeout: 1s, silence: fail }
agents:
  One:
    run: { process: [sh, agent.sh] }
    dialect: task-yaml
    routes: { done: end }
`;

  it("is refused although no process drove the run meanwhile, and the run fails", async () => {
    const room = openRoom(WORKFLOW, { "agent.sh": `echo x > a.txt\n${HANDOFF}\n` });
    const { stdout } = await room.run();
    const [, run = ""] = /late (\w+)/.exec(stdout) ?? [];
    await sleep(1_100);
    expect((await room.command("status", run)).stdout).toContain("the time for an answer is over: `baton resume");
    const late = await room.command("approve", run);
    expect(late.code).toBe(2);
    expect(late.stderr).toContain(`q1 of run ${run} could be answered until`);
    expect(late.stderr).toContain(`\`baton resume ${run}\``);
    const resumed = await room.command("resume", run);
    expect(resumed.code).toBe(1);
    expect((await room.events()).map(({ kind }) => kind)).toContain("ask-expired");
  });
});

describe("a gate whose copy of the workspace finds no room", () => {
  const WORKFLOW = `baton: 1
name: full
start: One
gates:
  size: { command: [test, -s, large], timeout: 1m, failed: fail }
agents:
  One:
    run: { process: [sh, agent.sh] }
    dialect: task-yaml
    gates: [size]
    routes: { done: end }
`;

  it.skipIf(reasonToSkip("mount") !== null)(
    "has not failed: it waits, says so, and runs when there is room",
    async () => {
      const files = { "agent.sh": `echo x > a.txt\n${HANDOFF}\n`, large: "0123456789abcdef".repeat(1_000_000) };
      const room = openRoom(WORKFLOW, files);
      const copies = join(room.folder, ".baton");
      mkdirSync(copies);
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", copies]);
      try {
        const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), "run", "--trust", room.trust], {
          cwd: room.folder,
          env: { ...process.env, ...room.env },
          stdio: ["ignore", "pipe", "pipe"],
        });
        let said = "";
        child.stdout.on("data", (bytes) => (said += String(bytes)));
        child.stderr.on("data", (bytes) => (said += String(bytes)));
        const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
        for (let looks = 0; looks < 300 && !said.includes("The disk is full"); looks++) await sleep(50);
        expect(said).toContain("Gate size waits. The disk is full");
        execFileSync("mount", ["-o", "remount,size=64m", copies]);
        expect(await ended, said).toBe(0);
        expect(said).not.toContain("gate size failed");
        expect(said).toContain("gate size passed");
      } finally {
        execFileSync("umount", ["--lazy", copies]);
      }
    },
  );
});

describe("a workflow file that changes while a run waits", () => {
  const WORKFLOW = `baton: 1
name: pinned
mode: supervised
start: One
agents:
  One:
    run: { process: [sh, agent.sh] }
    dialect: task-yaml
    routes: { done: end }
`;

  it("is told when the run is resumed; the run keeps its own version", async () => {
    const room = openRoom(WORKFLOW, { "agent.sh": `echo x > a.txt\n${HANDOFF}\n` });
    const { stdout } = await room.run();
    const [, run = ""] = /pinned (\w+)/.exec(stdout) ?? [];
    expect((await room.command("resume", run)).stderr).not.toContain("baton.yaml");
    const file = join(room.folder, "baton.yaml");
    writeFileSync(file, WORKFLOW.replace("dialect:", "timeout: 5m\n    dialect:"));
    const changed = await room.command("resume", run);
    expect(changed.stderr).toContain(
      `baton.yaml has changed since run ${run} was started. The run keeps its own version.`,
    );
    expect(changed.stderr).toContain("`baton run baton.yaml` starts a new run with the changed file.");

    writeFileSync(file, "baton: 1\n");
    expect((await room.command("resume", run)).stderr).toContain("baton.yaml has changed and cannot be run now");
    // A file that cannot be run is refused by `replay` as by `run`.
    const [replayed, started] = [
      await room.command("replay", run, "--workflow", file),
      await room.command("run", file),
    ];
    expect(replayed).toMatchObject({ code: 3, stdout: started.stdout });
    expect(started.code).toBe(3);
    expect(replayed.stdout).toContain("`agents` is missing");

    expect((await room.command("approve", run)).code).toBe(0);
    expect((await room.command("resume", run)).code).toBe(0);
  });
});
