import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isProvablyGone } from "../../src/runtime/worker-name.ts";

const MODULE = join(import.meta.dirname, "../../src/runtime/worker-name.ts");
const WORKER = `
  import { workerName } from ${JSON.stringify(MODULE)};
  console.log(workerName({ clock: { now: () => Date.now(), id: () => "0123456789abcdef" } }));
  setInterval(() => undefined, 1000);
`;

describe.skipIf(process.platform !== "linux")("whether a worker is provably gone", () => {
  it("is not said of one that lives, and is of one that was killed", async () => {
    const { name, child } = await startWorker();
    expect(isProvablyGone(name)).toBe(false);
    await end(child);
    expect(isProvablyGone(name)).toBe(true);
  });

  it("is said when another process has its number now", async () => {
    const { name } = await startWorker();
    expect(isProvablyGone(name.replace(/^(\d+)-\d+-/, "$1-1-"))).toBe(true);
  });

  it("is never said of one of another machine, another start of this one, or another namespace", async () => {
    const { name, child } = await startWorker();
    await end(child);
    expect(isProvablyGone(name.replace(/_\w/, "_g"))).toBe(false);
    expect(isProvablyGone(name.replace(/-(\d+)_/, "-1$1_"))).toBe(false);
  });

  it.each(["", "someone", "1-2-3", "999999999-1-anywhere-01234567"])("is never said of %j", (name) => {
    expect(isProvablyGone(name)).toBe(false);
  });
});

async function startWorker(): Promise<{ name: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", WORKER], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => end(child));
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  return { name: text.toString().trim(), child };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
