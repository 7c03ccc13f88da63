import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandRunner } from "../src/agents/run-command.ts";
import { findBubblewrap } from "../src/agents/sandbox/find-bubblewrap.ts";
import type { GateCommand } from "../src/ports/command-runner.ts";
import type { Bar } from "./bar.ts";
import { median } from "./measure.ts";

const ROUNDS = 60;
const WARM_UP_ROUNDS = 5;
const COMMANDS = [["true"], ["node", "-e", "0"]];

/** Whole commands in turn: bare, as Node starts them, and as gates in the sandbox, until no process of them is left. */
export async function run(report: (bar: Bar) => void): Promise<void> {
  const bubblewrap = await findBubblewrap();
  if ("why" in bubblewrap) return console.log(`  left out: ${bubblewrap.why}`);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-bench-")));
  try {
    for (const command of COMMANDS) await compare(folder, command, report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compare(folder: string, command: readonly string[], report: (bar: Bar) => void): Promise<void> {
  const times = { bare: [] as number[], held: [] as number[] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const bare = await timeOf(() => runBare(folder, command));
    const held = await timeOf(() => runHeld(folder, command, round));
    if (round < 0) continue;
    times.bare.push(bare);
    times.held.push(held);
  }
  const [bare, held] = [median(times.bare), median(times.held)];
  report({
    what: `${command.join(" ")} as a gate in the sandbox`,
    ours: `${held.toFixed(1)} ms`,
    baseline: `${bare.toFixed(1)} ms bare`,
    figure: held - bare,
    max: 25,
    unit: "ms more",
  });
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

function runBare(cwd: string, [program = "", ...parameters]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd });
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}

async function runHeld(directory: string, command: readonly string[], round: number): Promise<void> {
  const { end, exitCode, output } = await commandRunner.run({ ...GATE, id: `bench-${round}`, directory, command });
  if (end !== "exited" || exitCode !== 0) throw new Error(`the gate ended with ${end}, ${exitCode}: ${output}`);
}

const GATE: Omit<GateCommand, "id" | "directory" | "command"> = {
  foreign: false,
  bring: [],
  environment: {},
  inherit: [],
  network: false,
  timeout: 60_000,
  outputLimit: 1_000_000,
  memory: 2 ** 30,
  processes: 100,
  disk: 2 ** 30,
  signal: new AbortController().signal,
};
