import { afterAll, describe, expect, it } from "vitest";
import { commandRunner } from "../../src/agents/run-command.ts";
import type { CommandResult, CommandRunner, GateCommand } from "../../src/ports/command-runner.ts";
import { aFolder, aGate, hasNoSandbox, livingWith, removeFolders, withoutSandbox } from "../sandbox/gates.ts";

afterAll(removeFolders);
let count = 0;

const RUNNERS: readonly (readonly [string, CommandRunner])[] = [
  ...(hasNoSandbox() ? [] : ([["in the sandbox", commandRunner]] as const)),
  ["without a sandbox", withoutSandbox],
];

describe.each(RUNNERS)("a gate %s", (_where, runner) => {
  async function run(script: string, changes: Partial<GateCommand> = {}): Promise<CommandResult> {
    return await runner.run(aGate(aFolder(), ["sh", "-c", script], changes));
  }

  it("tells its exit code and the end of both its outputs", async () => {
    const result = await run("echo out; echo err >&2; exit 3");
    expect(result).toMatchObject({ end: "exited", exitCode: 3 });
    expect(result.output).toContain("out\n");
    expect(result.output).toContain("err\n");
  });

  it("is ended when its time is over, with its daemons", async () => {
    count += 1;
    const nap = `${50 + count}.${process.pid}`;
    const script = `(setsid sleep ${nap} &); trap "" TERM; while :; do sleep 0.1; done`;
    expect(await run(script, { timeout: 300 })).toMatchObject({ end: "timed-out", exitCode: null });
    expect(livingWith(nap)).toEqual([]);
  });

  it("is ended when it floods", async () => {
    const result = await run("yes", { outputLimit: 200_000 });
    expect(result.end).toBe("flooded");
    expect(result.output.length).toBeLessThanOrEqual(65_536);
  });

  it("is flooded also when it is gone before all of it was read", async () => {
    expect((await run("head -c 60000 /dev/zero", { outputLimit: 1000 })).end).toBe("flooded");
  });

  it("could not start when there is no such program, directory or folder to bring, or no program at all", async () => {
    expect(await run("", { command: ["no-such-gate"] })).toMatchObject({
      end: "could-not-start",
      output: "the program no-such-gate was not found",
    });
    expect((await run("", { command: ["./no-such-gate"] })).end).toBe("could-not-start");
    expect((await run("", { command: ["/etc/passwd"] })).output).toBe("the program /etc/passwd may not be executed");
    expect((await run("", { command: [] })).end).toBe("could-not-start");
    expect((await run("", { command: ["sh", "-c", "\0"] })).end).toBe("could-not-start");
    expect((await run("", { directory: "/no/such/directory" })).end).toBe("could-not-start");
    expect((await run("", { bring: [{ from: "/no/such/folder", to: "x" }] })).end).toBe("could-not-start");
  });

  it("is stopped by its signal, also before it starts", async () => {
    expect((await run("sleep 50", { signal: AbortSignal.timeout(200) })).end).toBe("stopped");
    expect((await run("sleep 50", { signal: AbortSignal.abort() })).end).toBe("stopped");
  });

  it("knows no secret of ours and searches no program in the directory it runs in", async () => {
    process.env["BATON_TEST_SECRET"] = "do not tell";
    const path = process.env["PATH"];
    process.env["PATH"] = `.:${path}::bin`;
    const result = await run("env");
    process.env["PATH"] = path;
    delete process.env["BATON_TEST_SECRET"];
    expect(result.output).not.toContain("do not tell");
    expect(/^PATH=(.*)$/m.exec(result.output)?.[1]).toBe(path);
  });

  it("is given the variables it is to have, and those of the operator that are named", async () => {
    process.env["BATON_TEST_NAMED"] = "named";
    const environment = { OWN: "a\nb='c'", LD_PRELOAD: "" };
    const result = await run('printf "%s|%s" "$OWN" "$BATON_TEST_NAMED"', {
      environment,
      inherit: ["BATON_TEST_NAMED"],
    });
    delete process.env["BATON_TEST_NAMED"];
    expect(result.output).toBe("a\nb='c'|named");
  });

  it("is not given a variable that would be read as more than that", async () => {
    for (const environment of [{ A: "a\0--bind\0/\0/host" }, { "A\0B": "" }, { "A=B": "" }, { "": "" }])
      expect((await run("env", { environment })).end, JSON.stringify(environment)).toBe("could-not-start");
  });

  it("finds what it is brought, and leaves no place for it behind", async () => {
    const [directory, from] = [aFolder(), aFolder()];
    const bring = [{ from, to: "node_modules" }];
    const script = "ls -a node_modules; test -d node_modules && echo there";
    expect((await run(script, { directory, bring })).output).toMatch(/there\n$/);
    expect((await run("ls -A", { directory })).output).toBe("");
  });

  it("is passed its arguments as they are", async () => {
    const odd = ["", " ", "-n", "--", "a b", "$HOME", "`id`", "'\"\\", "ü€\n", "*"];
    const { output } = await run("", {
      command: ["node", "-p", "JSON.stringify(process.argv.slice(1))", "--", ...odd],
    });
    expect(JSON.parse(output)).toEqual(odd);
  });
});
