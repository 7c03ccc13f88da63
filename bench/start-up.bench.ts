import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bar } from "./bar.ts";
import { textOf } from "./documents.ts";
import { median } from "./measure.ts";

const RUNS = 50;
const command = join(import.meta.dirname, "../dist/cli/baton.cjs");

const FILES = [
  ["pipeline-json", "handoff-BackendBuilder.json"],
  ["output-json", "output.json"],
  ["task-yaml", "task.yaml"],
  ["issue-xml", "handoff.xml"],
] as const;

/** Whole processes, in turn; the first round of all fills the compile cache and does not count. */
export function run(tell: (bar: Bar) => void): void {
  if (!existsSync(command)) throw new Error("dist/cli is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  try {
    measureStarts(folder, tell);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measureStarts(folder: string, tell: (bar: Bar) => void): void {
  const commands = [["-e", "0"]];
  for (const [dialect, name] of FILES) {
    writeFileSync(join(folder, name), textOf(dialect, 2_000));
    commands.push([command, "validate", join(folder, name)]);
  }
  const times = commands.map((): number[] => []);
  for (let round = 0; round < RUNS + 2; round++) {
    for (const [index, args] of commands.entries()) {
      const time = timeOf(args);
      if (round >= 2) times[index]?.push(time);
    }
  }
  const [bare = 0, ...ours] = times.map(median);
  for (const [index, [dialect]] of FILES.entries()) {
    const whole = ours[index] ?? 0;
    tell({
      what: `baton validate on ${dialect}`,
      ours: `${whole.toFixed(1)} ms`,
      baseline: `${bare.toFixed(1)} ms node -e 0`,
      figure: whole - bare,
      most: 12,
      unit: "ms more",
    });
  }
}

function timeOf(args: readonly string[]): number {
  const before = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const time = performance.now() - before;
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr.toString()}`);
  return time;
}
