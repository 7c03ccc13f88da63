import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { commandRunner } from "../../src/agents/run-command.ts";
import type { CommandResult, CommandRunner, GateCommand } from "../../src/ports/command-runner.ts";
import { aFolder, hasNoSandbox, livingWith, removeFolders, runScript, withoutSandbox } from "./gates.ts";

const MEGABYTE = 2 ** 20;
/** Some processes are started, and a busy disk and machine write on for a while until they are noticed. */
const SPARE = 1024 * MEGABYTE;

afterEach(removeFolders);
const figures: string[] = [];
afterAll(() => console.log(`stopped after: ${figures.join(", ")}`));

const RUNNERS: readonly (readonly [string, CommandRunner])[] = [
  ...(hasNoSandbox() ? [] : ([["in the sandbox", commandRunner]] as const)),
  ...(process.platform === "linux" ? ([["without a sandbox", withoutSandbox]] as const) : []),
];

describe.each(RUNNERS)("a gate %s is stopped when it", (where, runner) => {
  async function stopped(what: string, script: string, changes: Partial<GateCommand> = {}): Promise<CommandResult> {
    const result = await runScript(runner, aFolder(), script, { timeout: 60_000, ...changes });
    figures.push(`${what} ${where} ${result.milliseconds} ms`);
    return result;
  }

  it("uses too much memory", async () => {
    const script = "node -e 'const all = []; for (;;) all.push(Buffer.alloc(1 << 22, 1))'";
    expect((await stopped("memory", script, { memory: 300 * MEGABYTE })).end).toBe("out-of-memory");
  });

  it("uses too much memory in many processes together", async () => {
    const one = "node -e 'const all = Buffer.alloc(100 << 20, 1); setInterval(() => all.length, 1000)' &";
    expect((await stopped("much memory", `${one} ${one} ${one} ${one} wait`, { memory: 300 * MEGABYTE })).end).toBe(
      "out-of-memory",
    );
  });

  it("writes too much into one file", async () => {
    const directory = aFolder();
    const script = "dd if=/dev/zero of=big bs=1M count=10240; sleep 30";
    expect((await stopped("one file", script, { directory, disk: 100 * MEGABYTE })).end).toBe("out-of-disk");
    expect(bytesIn(directory)).toBeLessThan(100 * MEGABYTE + SPARE);
  });

  it("writes too much into many files", async () => {
    const directory = aFolder();
    const script = "i=0; while :; do dd if=/dev/zero of=big-$i bs=1M count=8 2> /dev/null; i=$((i + 1)); done";
    expect((await stopped("many files", script, { directory, disk: 100 * MEGABYTE })).end).toBe("out-of-disk");
    figures.push(`at ${Math.round(bytesIn(directory) / MEGABYTE)} of 100 MB`);
    expect(bytesIn(directory)).toBeLessThan(100 * MEGABYTE + SPARE);
  });

  it("writes too much into files without a name", async () => {
    const hide = "exec 3> gone; rm gone; dd if=/dev/zero bs=1M count=80 >&3; exec 4> gone; rm gone";
    const script = `${hide}; dd if=/dev/zero bs=1M count=80 >&4; sleep 30`;
    expect((await stopped("unnamed files", script, { disk: 100 * MEGABYTE })).end).toBe("out-of-disk");
  });

  it("reserves too much", async () => {
    const script = "for i in 1 2 3 4; do fallocate -l 60M reserved-$i; done; sleep 30";
    expect((await stopped("reserved", script, { disk: 100 * MEGABYTE })).end).toBe("out-of-disk");
  });

  it("makes too many files", async () => {
    const script = `node -e 'for (let i = 0; ; i++) fs.writeFileSync("file" + i, "")'`;
    expect((await stopped("empty files", script, { disk: 16 * MEGABYTE })).end).toBe("out-of-disk");
  });

  it("writes too much where paths are too long to be looked at", async () => {
    const name = "d".repeat(200);
    const deep = `for i in $(seq 30); do mkdir ${name}; cd ${name}; done`;
    const script = `${deep}; for i in 1 2 3; do dd if=/dev/zero of=big-$i bs=1M count=60; done; sleep 30`;
    expect((await stopped("deep files", `bash -c '${script}'`, { disk: 100 * MEGABYTE })).end).toBe("out-of-disk");
  });

  it("never ends", async () => {
    expect((await stopped("endless", "while :; do :; done", { timeout: 500 })).end).toBe("timed-out");
  });

  it("floods its output", async () => {
    expect((await stopped("flood", "yes", { outputLimit: 100_000 })).end).toBe("flooded");
  });
});

describe.skipIf(hasNoSandbox())("a gate in the sandbox", () => {
  it("is stopped when it forks without end", async () => {
    const token = `7${process.pid}1`;
    const script = `bash -c 'bomb() { sleep ${token} & bomb | bomb & }; bomb; sleep 30'`;
    const result = await runScript(commandRunner, aFolder(), script, { processes: 100, timeout: 60_000 });
    figures.push(`forks in the sandbox ${result.milliseconds} ms`);
    expect(result.end).toBe("too-many-processes");
    expect(livingWith(token)).toEqual([]);
  });

  /** Where the kernel keeps the number itself, there are never too many, and the program fails. */
  it("cannot have threads without end", async () => {
    const script = `node -e 'const { Worker } = require("worker_threads"); for (let i = 0; i < 64; i++) new Worker("setInterval(() => 0, 1e3)", { eval: true })'`;
    const result = await runScript(commandRunner, aFolder(), script, { processes: 4, memory: 8 * SPARE });
    expect(result.end === "too-many-processes" || (result.exitCode ?? 0) !== 0, result.end).toBe(true);
  });

  it("has limited room for its passing files", async () => {
    const fill = "dd if=/dev/zero of=/tmp/a bs=1M count=200; dd if=/dev/zero of=/dev/shm/a bs=1M count=200; df -m /tmp";
    const { output } = await runScript(commandRunner, aFolder(), fill, { disk: 50 * MEGABYTE });
    expect(output).toMatch(/(?:no space left on device|file too large|size limit)/i);
    expect(Number(/(\d+) +\d+ +\d+% +\/tmp/.exec(output)?.[1])).toBeLessThanOrEqual(50);
  });

  it("is stopped when it makes too many passing files", async () => {
    const script = `node -e 'for (let i = 0; ; i++) fs.writeFileSync("/tmp/file" + i, "")'`;
    expect((await runScript(commandRunner, aFolder(), script, { memory: 128 * MEGABYTE })).end).toBe("out-of-memory");
  });

  it.skipIf(process.arch !== "x64")("cannot hide memory in files that no process maps", async () => {
    const script = `perl -e 'my $name = "x"; print "memfd\\n" if syscall(319, $name, 0) >= 0; print "shm\\n" if syscall(29, 0, 1 << 30, 01600) >= 0; print "small\\n" if syscall(29, 0, 4096, 01600) >= 0'`;
    expect((await runScript(commandRunner, aFolder(), script)).output).toBe("small\n");
  });

  it("is not blamed for what was there, or what others write meanwhile", async () => {
    const directory = aFolder();
    writeFileSync(join(directory, "old"), Buffer.alloc(40 * MEGABYTE, 1));
    const others = aFolder();
    const running = runScript(commandRunner, directory, "sleep 1; echo done > new", { disk: 30 * MEGABYTE });
    await new Promise((resolve) => setTimeout(resolve, 200));
    writeFileSync(join(others, "big"), Buffer.alloc(60 * MEGABYTE, 1));
    expect((await running).end).toBe("exited");
  });

  it("is not blamed for other permissions on old files, also while others fill the disk", async () => {
    const directory = aFolder();
    writeFileSync(join(directory, "old"), Buffer.alloc(40 * MEGABYTE, 1));
    const others = aFolder();
    const script = "sleep 1; chmod 700 old; ln old new; touch changed; sleep 2.5";
    const running = runScript(commandRunner, directory, script, { disk: 30 * MEGABYTE });
    await until(() => existsSync(join(directory, "changed")));
    execFileSync("fallocate", ["--length", "400MiB", join(others, "big")]);
    expect((await running).end).toBe("exited");
  });

  it("is stopped when it makes old files larger and sets their time back", async () => {
    const directory = aFolder();
    for (const name of ["old-1", "old-2", "old-3"])
      writeFileSync(join(directory, name), Buffer.alloc(40 * MEGABYTE, 1));
    const grow = "for i in old-*; do touch -r $i time; fallocate -o 40M -l 50M $i; touch -r time $i; done";
    const script = `sleep 1; ${grow}; sleep 30`;
    const result = await runScript(commandRunner, directory, script, { disk: 100 * MEGABYTE, timeout: 60_000 });
    expect(result.end).toBe("out-of-disk");
  });

  it("is not blamed for memory that its processes share", async () => {
    const script = `perl -e 'my $all = "x" x (60 << 20); fork for 1 .. 3; sleep 2; print length $all'`;
    expect((await runScript(commandRunner, aFolder(), script, { memory: 200 * MEGABYTE })).end).toBe("exited");
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function bytesIn(directory: string): number {
  return Number(execFileSync("du", ["-sk", directory]).toString().split("\t")[0]) * 1024;
}
