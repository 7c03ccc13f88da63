import { describe, expect, it } from "vitest";
import { EXAMPLES, baton, sample, shellLine, startBaton, workroom } from "./run-baton.ts";

const folderWith = workroom();
const BROKEN = sample("task-yaml", { outcome: "done" });
const ESCAPE = "\u001b[";

describe.concurrent("colour", () => {
  it("is not in pipes, unless forced", async () => {
    const [plain, none, forced, zero] = await Promise.all(
      [{}, { NO_COLOR: "1" }, { FORCE_COLOR: "1" }, { FORCE_COLOR: "0" }].map((env) =>
        baton(["validate", "-"], { input: BROKEN, env }),
      ),
    );
    for (const run of [plain, none, zero]) expect(run?.stdout).not.toContain(ESCAPE);
    expect(forced?.stdout).toContain(ESCAPE);
    expect(forced?.stdout.replaceAll(/\u001b\[[\d;]*m/g, "")).toBe(plain?.stdout);
    expect([plain, none, forced, zero].map((run) => run?.code)).toEqual([1, 1, 1, 1]);
  });

  it("of an agent's text never reaches the terminal", async () => {
    const input = sample("task-yaml", { outcome: "\u001b[31mdone\u0007\u202e" });
    const runs = await Promise.all(
      [
        ["validate", "-"],
        ["read", "-"],
        ["fix", "-", "--json"],
      ].map((args) => baton(args, { input })),
    );
    const missing = await baton(["validate", "\u001bname\u202e.md"]);
    expect(missing.code).toBe(3);
    for (const { stdout, stderr } of [...runs, missing]) expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});

describe("a closed pipe", () => {
  it.each(["explain", "schema task-yaml", "instructions issue-xml", "validate --json many"])(
    "ends baton %s quietly",
    (line) => {
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`many/${index}.md`, BROKEN]));
      const run = shellLine(
        `set -o pipefail; baton ${line} | head -c 20 >/dev/null; echo "\${PIPESTATUS[*]}"`,
        folderWith(many),
      );
      expect(run.stderr).toBe("");
      expect(run.stdout).toMatch(/^[01] 0\n$/);
    },
  );
});

describe("standard output", () => {
  it("takes more than a pipe holds while its reader sleeps", () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}.md`, BROKEN]));
    const run = shellLine(`baton validate --json . | (sleep 0.3; wc -c)`, folderWith(many));
    expect(run.stderr).toBe("");
    expect(Number(run.stdout)).toBeGreaterThan(16_384);
  });
});

describe("standard input", () => {
  it("may be slow, and may be a file", () => {
    const cwd = folderWith({ "task.md": EXAMPLES["task-yaml"].text });
    const slow = shellLine("(head -c 30 task.md; sleep 0.3; tail -c +31 task.md) | baton validate -", cwd);
    expect(slow).toMatchObject({ code: 0, stderr: "" });
    const file = shellLine("baton validate - < task.md", cwd);
    expect(file).toEqual(slow);
  });
});

describe("an interrupt", () => {
  it("ends a command that waits for its input, as shells know it: by the signal", async () => {
    const child = startBaton(["validate", "-"]);
    const ended = new Promise<NodeJS.Signals | null>((resolve) => {
      child.on("close", (_code, signal) => {
        resolve(signal);
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 400));
    child.kill("SIGINT");
    expect(await ended).toBe("SIGINT");
  });
});
