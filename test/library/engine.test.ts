import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppError, type Baton, openBaton, verifyHandoffs } from "../../src/engine.ts";
import { projectRoot } from "../architecture/source-files.ts";

const example = join(projectRoot, "examples/engine");
const workflow = readFileSync(join(example, "workflow.yaml"), "utf8");

let room: string;
let opened: Baton[];
const settings = process.env["XDG_CONFIG_HOME"];

beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), "baton-library-"));
  process.env["XDG_CONFIG_HOME"] = join(room, "settings");
  opened = [];
  const git = (...args: string[]): unknown => execFileSync("git", ["-C", room, ...args]);
  writeFileSync(join(room, ".gitignore"), "settings\n");
  writeFileSync(join(room, "agents.mjs"), readFileSync(join(example, "agents.mjs")));
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "begin");
});

afterEach(async () => {
  for (const baton of opened) await baton.close();
  if (settings === undefined) delete process.env["XDG_CONFIG_HOME"];
  else process.env["XDG_CONFIG_HOME"] = settings;
  rmSync(room, { recursive: true, force: true });
});

async function open(): Promise<Baton> {
  const baton = await openBaton({ directory: room });
  opened.push(baton);
  return baton;
}

describe("the engine from code", () => {
  it("starts a run, tells what happens, and ends with the run's view", async () => {
    const run = await (await open()).start({ workflow, brief: "greet" });
    const kinds: string[] = [];
    for await (const { event } of run.events()) kinds.push(event.kind);
    expect(kinds.at(0)).toBe("run-started");
    expect(kinds.at(-1)).toBe("run-completed");
    expect(await run.settled()).toMatchObject({ run: run.id, status: "completed" });
    expect(readFileSync(join(room, "greeting.txt"), "utf8")).toBe("Good morning\n");
  });

  it("lets the runs of one process work one after the other in the same folder", async () => {
    const agent = `sh -c 'echo begin >> .git/journal; sleep 0.3; echo end >> .git/journal; echo x > "$BATON_RUN"; printf "## Handoff\\n\\n\\140\\140\\140yaml\\noutcome: completed\\nfiles_created:\\n  - path: $BATON_RUN\\n    purpose: Holds x\\n    lines: 1-1\\n\\140\\140\\140\\n"'`;
    writeFileSync(join(room, "agent.sh"), agent);
    const text = `baton: 1\nname: turns\nstart: One\nagents:\n  One:\n    run: { process: [sh, agent.sh] }\n    dialect: task-yaml\n    routes: { done: end }\n`;
    const baton = await open();
    const runs = await Promise.all([1, 2, 3].map(() => baton.start({ workflow: text })));
    for (const run of runs) expect(await run.settled()).toMatchObject({ status: "completed" });
    const journal = readFileSync(join(room, ".git/journal"), "utf8").trim().split("\n");
    expect(journal).toEqual(["begin", "end", "begin", "end", "begin", "end"]);
  });

  it("finds a run again in another process's place, and tells its events from the first", async () => {
    const first = await open();
    const { id } = await first.start({ workflow });
    await (await first.find(id)).settled();
    await first.close();
    opened = [];
    const found = await (await open()).find();
    expect(found.id).toBe(id);
    const kinds: string[] = [];
    for await (const { event } of found.events()) kinds.push(event.kind);
    expect([kinds[0], kinds.at(-1)]).toEqual(["run-started", "run-completed"]);
  });

  it("waits for a person, and goes on when the question is answered", async () => {
    const baton = await open();
    const run = await baton.start({ workflow: workflow.replace("mode: autonomous", "mode: supervised") });
    const { status, asks } = await run.settled();
    expect(status).toBe("waiting");
    expect(asks).toHaveLength(1);
    await run.answer(asks[0]?.id ?? "", "approve", { by: "tester" });
    const next = await run.settled();
    expect(next.asks.map(({ id }) => id)).not.toContain(asks[0]?.id);
    await run.cancel("enough");
    expect(await run.settled()).toMatchObject({ status: "cancelled" });
  });

  it("asks about a file that an agent has changed, and runs it only once that is approved", async () => {
    const handoff = "printf '## Handoff\\n\\n\\140\\140\\140yaml\\noutcome: completed\\n\\140\\140\\140\\n'";
    writeFileSync(join(room, "one.sh"), `echo 'touch edited' >> two.sh\n${handoff}\n`);
    writeFileSync(join(room, "two.sh"), `${handoff}\n`);
    const agentOf = (script: string, next: string): string =>
      `    run: { process: [sh, ${script}] }\n    dialect: task-yaml\n    routes: { done: ${next} }\n`;
    const agents = `  One:\n${agentOf("one.sh", "Two")}  Two:\n${agentOf("two.sh", "end")}`;
    const text = `baton: 1\nname: two\nstart: One\nverify: off\nmode: autonomous\nagents:\n${agents}`;
    const run = await (await open()).start({ workflow: text });
    const { status, asks } = await run.settled();
    expect([status, asks[0]?.title]).toEqual(["waiting", expect.stringContaining("two.sh")]);
    expect(asks[0]?.details.join("\n")).toContain("+touch edited");
    expect(existsSync(join(room, "edited"))).toBe(false);
    await run.answer(asks[0]?.id ?? "", "approve", { by: "tester" });
    expect(await run.settled()).toMatchObject({ status: "completed" });
    expect(existsSync(join(room, "edited"))).toBe(true);
  });

  it("starts nothing that cannot be run, and says why with an AppError", async () => {
    const baton = await open();
    const broken = workflow.replace("done: reviewer", "done: nobody");
    const error: unknown = await baton.start({ workflow: broken }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: "wrong-usage", message: expect.stringContaining("nobody") });
    const missing = workflow.replaceAll("agents.mjs", "absent.mjs");
    expect((await baton.check({ workflow: missing })).map(({ code }) => code)).toContain("missing-script");
    await expect(baton.start({ workflow: missing })).rejects.toBeInstanceOf(AppError);
    await expect(baton.find()).rejects.toMatchObject({ code: "no-such-run" });
  });
});

describe("verification from code", () => {
  const text =
    "## Handoff\n\n```yaml\noutcome: completed\nfiles_created:\n  - path: a.txt\n    purpose: A\n    lines: all\n```\n";

  it("does not pass what is not true, not valid, or no handoff", async () => {
    const refuted = await verifyHandoffs(text, { directory: room });
    expect(refuted.passed).toBe(false);
    expect(refuted.verification?.handoffs[0]?.claims.map(({ verdict }) => verdict)).toContain("refuted");
    for (const bad of [text.replace("completed", "fine"), "All is done.", ""])
      expect(await verifyHandoffs(bad, { directory: room })).toMatchObject({ passed: false, verification: null });
  });

  it("passes what is true, and changes nothing", async () => {
    writeFileSync(join(room, "a.txt"), "a\n");
    const before = execFileSync("git", ["-C", room, "status", "--porcelain"], { encoding: "utf8" });
    expect(await verifyHandoffs(text, { directory: room })).toMatchObject({ passed: true });
    expect(execFileSync("git", ["-C", room, "status", "--porcelain"], { encoding: "utf8" })).toBe(before);
  });
});

describe("the built package", () => {
  it("runs the example, which checks itself", () => {
    const output = execFileSync(process.execPath, [join(example, "drive.mjs")], { encoding: "utf8", cwd: projectRoot });
    expect(output).toContain("completed: writer done, reviewer done");
    expect(output).toContain("refuted: The file farewell.txt was created");
  });

  it("throws errors that both of its entries know", () => {
    const script = `
      import { AppError, readHandoffs } from "baton-handoff";
      import { AppError as EngineError, openBaton } from "baton-handoff/engine";
      const fromLibrary = await new Promise(() => readHandoffs(7)).catch((error) => error);
      const baton = await openBaton({ directory: process.env.ROOM });
      const fromEngine = await baton.find().catch((error) => error);
      await baton.close();
      for (const error of [fromLibrary, fromEngine])
        console.log(error.code, error instanceof AppError, error instanceof EngineError, error instanceof Error);
      console.log(new Error("another") instanceof AppError, null instanceof AppError);
    `;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8",
      cwd: projectRoot,
      env: { ...process.env, ROOM: room },
    });
    expect(output).toBe("wrong-usage true true true\nno-such-run true true true\nfalse false\n");
  });
});
