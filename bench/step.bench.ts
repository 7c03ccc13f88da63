import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { openPeerGraph, type PeerGraph } from "./langgraph.ts";
import { median } from "./measure.ts";
import { handoffOf, machineOn, takeSteps } from "./step-machine.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { rolldown } from "rolldown";

const STEPS = 50;
const ROUNDS = 25;
/** The engine optimises in steps, and a step of ours runs through many functions. */
const WARM_UP_ROUNDS = 25;

export async function run(report: (bar: Bar) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  try {
    const program = await buildProgram("step-program", join(folder, "built"));
    tellMemory(await runProgram(program, ["park", join(folder, "parked.db")]), report);
    await compareSteps(folder, report);
    tellSpeed(await runProgram(program, ["at-once", join(folder, "many.db")]), report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function tellMemory([before = 0, figure = 0]: readonly number[], report: (bar: Bar) => void): void {
  const baseline = `${before.toFixed(0)} MB without any`;
  report({ what: "resident memory, 1,000 parked runs", ours: "", baseline, figure, max: 150, unit: "MB" });
}

function tellSpeed([perSecond = 0]: readonly number[], report: (bar: Bar) => void): void {
  // A bar is the most that a figure may be: the time that a step may take.
  report({
    what: "100 runs at once",
    ours: `${perSecond.toFixed(0)} steps/s`,
    baseline: "2000 steps/s",
    figure: 1e6 / perSecond,
    max: 500,
    unit: "us a step",
  });
}

/** In turns: what else the disk and the machine do falls on all of them alike. */
async function compareSteps(folder: string, report: (bar: Bar) => void): Promise<void> {
  const log = openSqliteLog(join(folder, "steps.db"));
  const ports = machineOn(log);
  const bare = openBare(join(folder, "bare.db"));
  const peer = await openPeerGraph(join(folder, "langgraph.db"));
  const times = { ours: [] as number[], bare: [] as number[], peer: [] as number[] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const ours = await timeOf(() => takeSteps(ports, STEPS));
    const least = await timeOf(() => bare.commit(STEPS));
    const theirs = peer === null ? 0 : await timeOf(() => takePeerSteps(peer, round));
    if (round < 0) continue;
    times.ours.push(ours / STEPS);
    times.bare.push(least / STEPS);
    times.peer.push(theirs / STEPS);
  }
  const ours = median(times.ours);
  // The bar against the bare commit is that of the store's part, in commit.bench.ts.
  report({ ...ratioBar("one durable step", ours, median(times.bare), 2, "bare FULL commit"), max: null });
  if (peer !== null) {
    const theirs = median(times.peer);
    const bar = ratioBar("one durable step", ours, theirs, 0.7, "LangGraph, SQLite saver, sync, FULL");
    report({ ...bar, what: `one durable step, ${(theirs / ours).toFixed(1)} times as fast` });
  }
  peer?.close();
  bare.close();
  await log.close();
}

/** In nanoseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) * 1e6;
}

function takePeerSteps(peer: PeerGraph, round: number): Promise<void> {
  return peer.run(`round ${round}`, STEPS, (step) => handoffOf("Agent0", `${round}.${step}`));
}

/** What SQLite itself needs for one row that is on the disk when the call returns. */
function openBare(path: string): { commit(times: number): void; close(): void } {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE entries (position INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT");
  const insert = database.prepare("INSERT INTO entries (data) VALUES (?)");
  return {
    commit(times) {
      for (let time = 0; time < times; time++) insert.run(handoffOf("Agent0", String(time)));
    },
    close: () => database.close(),
  };
}

/** A program of this folder as the command is shipped: bundled, with what its threads run beside it. */
async function buildProgram(name: string, folder: string): Promise<string> {
  const build = await rolldown({
    input: {
      [name]: join(import.meta.dirname, `${name}.ts`),
      "store-writes": join(import.meta.dirname, "../src/stores/sqlite/store-writes.ts"),
    },
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
  });
  await build.write({ dir: folder, format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "[name].cjs" });
  await build.close();
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  return join(folder, `${name}.cjs`);
}

/** The figures that it prints. */
async function runProgram(program: string, args: readonly string[]): Promise<number[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  return JSON.parse(stdout) as number[];
}
