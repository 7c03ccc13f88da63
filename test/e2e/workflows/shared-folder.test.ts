import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/workflow/event.ts";
import { hashToTrust } from "../../hash-to-trust.ts";
import { type Run, baton, projectRoot, workroom } from "../../cli/run-baton.ts";

/** Works until its go is there, writes its files, and hands over. What it was told is kept. */
const AGENT = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const { BATON_RUN: run, BATON_AGENT: agent, BATON_STEP: step, ROOM: room } = process.env;
writeFileSync(\`\${room}/prompt-\${run}-\${step}\`, readFileSync(0, "utf8"));
appendFileSync(\`\${room}/journal\`, \`begin \${run} \${agent}\\n\`);
while (!existsSync(\`\${room}/go-\${run}\`) && !existsSync(\`\${room}/go\`)) await sleep(20);
const file = \`\${agent}-\${run}.txt\`;
writeFileSync(file, "one line\\n");
appendFileSync(\`\${room}/journal\`, \`end \${run} \${agent}\\n\`);
const handoff = \`## Handoff\\n\\n\\\`\\\`\\\`yaml\\noutcome: completed\\nfiles_created:\\n  - path: \${file}\\n    purpose: Holds a line\\n    lines: 1-1\\n\\\`\\\`\\\`\\n\`;
if (agent === "First") writeFileSync(\`handoff-\${run}.md\`, handoff);
else process.stdout.write(handoff);
`;

const WORKFLOW = `baton: 1
name: shared
mode: semi
start: First
agents:
  First:
    run: { process: [node, agent.mjs], inherit: [ROOM] }
    dialect: task-yaml
    file: "handoff-{run}.md"
    approve: after
    routes: { done: Second }
  Second:
    run: { process: [node, agent.mjs], inherit: [ROOM] }
    dialect: task-yaml
    routes: { done: end }
`;

const folderWith = workroom();

function openRoom(workflow = WORKFLOW) {
  const folder = folderWith({ "agent.mjs": AGENT, "baton.yaml": workflow });
  const room = folderWith({ journal: "" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "begin");
  const env = { ROOM: room, XDG_CONFIG_HOME: mkdtempSync(join(room, "config-")), USER: "tester" };
  const trust = hashToTrust(folder);
  const started: ChildProcess[] = [];
  const runs = async (): Promise<{ run: string; status: string; waits_for: string | null }[]> =>
    (JSON.parse((await command("status", "--json")).stdout) as { runs: never[] }).runs;
  const command = (...args: string[]): Promise<Run> => baton(args, { cwd: folder, env });
  return {
    folder,
    room,
    command,
    runs,
    trust,
    /** The command in the background; `said` is all of its output so far. */
    start(...args: string[]) {
      const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      started.push(child);
      let text = "";
      child.stdout.on("data", (bytes) => (text += String(bytes)));
      child.stderr.on("data", (bytes) => (text += String(bytes)));
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      return { child, ended, said: () => text };
    },
    journal: () =>
      readFileSync(join(room, "journal"), "utf8")
        .trimEnd()
        .split("\n")
        .filter((line) => line !== ""),
    go: (run?: string) => writeFileSync(join(room, run === undefined ? "go" : `go-${run}`), ""),
    async events(run: string): Promise<Event[]> {
      const { stdout } = await command("log", run, "--json");
      const entries = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { kind: string; data: Event });
      return entries.flatMap(({ kind, data }) => (kind === "input" ? [] : [data]));
    },
  };
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + 15_000; !(await holds()); await sleep(50))
    if (Date.now() > deadline) throw new Error(`it never happened: ${what}`);
}

describe("two runs in one folder", () => {
  it("work one after the other, and the second says for which run it waits", async () => {
    const room = openRoom();
    const first = room.start("run", "--trust", room.trust);
    await until(() => room.journal().length === 1, "the first agent began");
    const [holder] = (await room.runs()).map(({ run }) => run);
    const second = room.start("run", "--trust", room.trust);
    await until(() => second.said().includes(`waits for run ${holder}`), "the second run says that it waits");
    const [waiting] = await room.runs();
    expect(waiting).toMatchObject({ status: "running", waits_for: holder });
    const shown = (await room.command("status", waiting?.run ?? "")).stdout;
    expect(shown).toContain(`shared ${waiting?.run}`);
    expect(shown).toContain(`waits for run ${holder}, which is at work in the same folder`);

    const refused = await room.command("run", "--no-wait", "--trust", room.trust);
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain(`Run ${holder} is at work in this folder.`);
    expect(await room.runs()).toHaveLength(2);

    room.go();
    // Each has its own handoff file, and parks for the approval, which lets the other one in.
    expect([await first.ended, await second.ended]).toEqual([1, 1]);
    const journal = room.journal();
    expect(journal).toEqual([
      `begin ${holder} First`,
      `end ${holder} First`,
      `begin ${waiting?.run} First`,
      `end ${waiting?.run} First`,
    ]);
    for (const line of [first.said(), second.said()]) expect(line).toContain("2 confirmed, 0 refuted");
  });

  it("do not wait for each other when one has a worktree", async () => {
    const room = openRoom();
    room.start("run", "--trust", room.trust);
    await until(() => room.journal().length === 1, "the first agent began");
    const second = room.start("run", "--worktree", "--no-wait", "--trust", room.trust);
    await until(() => room.journal().length === 2, "the second agent began beside it");
    room.go();
    expect(await second.ended).toBe(1);
    expect(second.said()).not.toContain("waits for run");
  });

  it("take no turn from a run that was killed, and end its agent first", async () => {
    const room = openRoom();
    const first = room.start("run", "--trust", room.trust);
    await until(() => room.journal().length === 1, "the first agent began");
    const [killed] = (await room.runs()).map(({ run }) => run);
    const second = room.start("run", "--trust", room.trust);
    await until(() => second.said().includes("waits for run"), "the second run waits");
    first.child.kill("SIGKILL");
    await first.ended;
    await until(() => room.journal().length === 2, "the second run began");
    // The agent of the killed run would write its file now.
    room.go();
    expect(await second.ended).toBe(1);
    expect(room.journal().filter((line) => line.startsWith("end"))).toHaveLength(1);
    const resumed = await room.command("resume", killed ?? "");
    expect(resumed.code).toBe(1);
    // What the second run wrote meanwhile is not taken for work of the agent that is started again.
    const changed = (await room.events(killed ?? "")).find(({ kind }) => kind === "workspace-changed");
    expect(changed).toMatchObject({
      paths: [expect.stringMatching(/^First-.*\.txt$/), expect.stringMatching(/^handoff-.*\.md$/)],
    });
    expect(resumed.stderr).toContain("2 confirmed, 0 refuted, 0 unverifiable");
    // The time of the attempt that was lost counts, up to the moment when its process was killed.
    const lost = (await room.events(killed ?? "")).find(
      (event) => event.kind === "attempt-ended" && event.end === "lost",
    );
    expect(lost).toMatchObject({ usage: { milliseconds: expect.any(Number) } });
    expect(lost?.kind === "attempt-ended" && lost.usage.milliseconds).toBeGreaterThan(100);
  });

  it("can be cancelled while they wait", async () => {
    const room = openRoom();
    room.start("run", "--trust", room.trust);
    await until(() => room.journal().length === 1, "the first agent began");
    const second = room.start("run", "--trust", room.trust);
    await until(() => second.said().includes("waits for run"), "the second run waits");
    const [waiting] = await room.runs();
    expect((await room.command("cancel", waiting?.run ?? "")).code).toBe(0);
    expect(await second.ended).toBe(1);
    expect((await room.runs())[0]).toMatchObject({ run: waiting?.run, status: "cancelled" });
    expect(room.journal()).toHaveLength(1);
    room.go();
  });

  it("can be interrupted while they wait, and begin later", async () => {
    const room = openRoom();
    const first = room.start("run", "--trust", room.trust);
    await until(() => room.journal().length === 1, "the first agent began");
    const second = room.start("run", "--trust", room.trust);
    await until(() => second.said().includes("waits for run"), "the second run waits");
    const [waiting] = await room.runs();
    second.child.kill("SIGINT");
    expect(await second.ended).toBe(130);
    expect((await room.runs())[0]).toMatchObject({ run: waiting?.run, waits_for: null });
    room.go();
    await first.ended;
    expect((await room.command("resume", waiting?.run ?? "")).code).toBe(1);
    expect(room.journal().at(-1)).toBe(`end ${waiting?.run} First`);
  });
});

describe("a run that waits for a person", () => {
  it("lets others in, and says afterwards which files have changed; they are no agent's work", async () => {
    const room = openRoom();
    room.go();
    expect((await room.command("run", "--trust", room.trust)).code).toBe(1);
    const [first] = (await room.runs()).map(({ run }) => run);
    expect((await room.command("run", "--trust", room.trust)).code).toBe(1);
    const [second] = (await room.runs()).map(({ run }) => run);
    writeFileSync(join(room.folder, "by-hand.txt"), "a person was here\n");

    expect((await room.command("approve", first ?? "")).code).toBe(0);
    const resumed = await room.command("resume", first ?? "");
    expect(resumed.code, resumed.stderr).toBe(0);
    const paths = [`First-${second}.txt`, "by-hand.txt", `handoff-${second}.md`];
    expect(resumed.stderr).toContain(`files changed while no agent of this run was at work: ${paths.join(", ")}`);
    const changed = (await room.events(first ?? "")).find(({ kind }) => kind === "workspace-changed");
    expect(changed).toMatchObject({ paths, more: 0, by: second });
    const prompt = readFileSync(join(room.room, `prompt-${first}-s2`), "utf8");
    expect(prompt).toContain("## What others changed");
    for (const path of paths) expect(prompt).toContain(path);
    expect(existsSync(join(room.folder, `Second-${first}.txt`))).toBe(true);
  });
});
