import { afterAll, describe, expect, it } from "vitest";
import { commandRunner } from "../../src/agents/run-command.ts";
import type { CommandResult, GateCommand } from "../../src/ports/command-runner.ts";
import { aJob, removeJobFolders } from "./agent-jobs.ts";
import { livingIn } from "./living-processes.ts";

afterAll(removeJobFolders);
let count = 0;

async function run(
  script: string,
  changes: Partial<GateCommand> = {},
): Promise<{ result: CommandResult; left: number[] }> {
  const directory = aJob({ kind: "human" }, "").workspace;
  count += 1;
  const result = await commandRunner.run({
    id: `gate-${count}`,
    command: ["sh", "-c", script],
    directory,
    timeout: 20_000,
    outputLimit: 200_000,
    signal: new AbortController().signal,
    ...changes,
  });
  return { result, left: livingIn(directory) };
}

describe("a gate", () => {
  it("tells its exit code and the end of both its outputs", async () => {
    const { result } = await run("echo out; echo err >&2; exit 3");
    expect(result).toMatchObject({ end: "exited", exitCode: 3 });
    expect(result.output).toContain("out\n");
    expect(result.output).toContain("err\n");
  });

  it("is ended when its time is over, with its daemons", async () => {
    const { result, left } = await run('(setsid sleep 50 &); trap "" TERM; while :; do sleep 0.1; done', {
      timeout: 300,
    });
    expect(result).toMatchObject({ end: "timed-out", exitCode: null });
    expect(left).toEqual([]);
  });

  it("is ended when it floods", async () => {
    const { result } = await run("yes");
    expect(result.end).toBe("flooded");
    expect(result.output.length).toBeLessThanOrEqual(65_536);
  });

  it("is flooded also when it is gone before all of it was read", async () => {
    expect((await run("head -c 60000 /dev/zero", { outputLimit: 1000 })).result.end).toBe("flooded");
  });

  it("could not start when there is no such program, or no program at all", async () => {
    expect((await run("", { command: ["no-such-gate"] })).result).toMatchObject({
      end: "could-not-start",
      output: "the program no-such-gate was not found",
    });
    expect((await run("", { command: [] })).result.end).toBe("could-not-start");
  });

  it("is stopped by its signal, also before it starts", async () => {
    expect((await run("sleep 50", { signal: AbortSignal.timeout(200) })).result.end).toBe("stopped");
    expect((await run("sleep 50", { signal: AbortSignal.abort() })).result.end).toBe("stopped");
  });

  it("knows no secret of ours and searches no program in the directory it runs in", async () => {
    process.env["BATON_TEST_SECRET"] = "do not tell";
    const path = process.env["PATH"];
    process.env["PATH"] = `.:${path}::bin`;
    const { result } = await run("env");
    process.env["PATH"] = path;
    delete process.env["BATON_TEST_SECRET"];
    expect(result.output).not.toContain("do not tell");
    expect(/^PATH=(.*)$/m.exec(result.output)?.[1]).toBe(path);
  });
});
