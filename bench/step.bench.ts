import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { openPeerGraph, type PeerGraph } from "./langgraph.ts";
import { median } from "./measure.ts";
import { buildProgram, runProgram } from "./built-program.ts";
import { handoffOf, machineOn, takeSteps } from "./step-machine.ts";

const STEPS = 50;
const ROUNDS = 25;
/** The engine optimises in steps, and a step of ours runs through many functions. */
const WARM_UP_ROUNDS = 25;

export async function run(tell: (bar: Bar) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  try {
    const program = await buildProgram("step-program", join(folder, "built"));
    tellMemory(await runProgram(program, ["park", join(folder, "parked.db")]), tell);
    await compareSteps(folder, tell);
    tellSpeed(await runProgram(program, ["at-once", join(folder, "many.db")]), tell);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function tellMemory([before = 0, figure = 0]: readonly number[], tell: (bar: Bar) => void): void {
  const baseline = `${before.toFixed(0)} MB without any`;
  tell({ what: "resident memory, 1,000 parked runs", ours: "", baseline, figure, most: 150, unit: "MB" });
}

function tellSpeed([perSecond = 0]: readonly number[], tell: (bar: Bar) => void): void {
  // A bar is the most that a figure may be: the time that a step may take.
  tell({
    what: "100 runs at once",
    ours: `${perSecond.toFixed(0)} steps/s`,
    baseline: "2000 steps/s",
    figure: 1e6 / perSecond,
    most: 500,
    unit: "us a step",
  });
}

/** In turns: what else the disk and the machine do falls on all of them alike. */
async function compareSteps(folder: string, tell: (bar: Bar) => void): Promise<void> {
  const log = openSqliteLog(join(folder, "steps.db"));
  const machine = machineOn(log);
  const bare = openBare(join(folder, "bare.db"));
  const peer = await openPeerGraph(join(folder, "langgraph.db"));
  const times = { ours: [] as number[], bare: [] as number[], peer: [] as number[] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const ours = await timeOf(() => takeSteps(machine, STEPS));
    const least = await timeOf(() => bare.commit(STEPS));
    const theirs = peer === null ? 0 : await timeOf(() => takePeerSteps(peer, round));
    if (round < 0) continue;
    times.ours.push(ours / STEPS);
    times.bare.push(least / STEPS);
    times.peer.push(theirs / STEPS);
  }
  const ours = median(times.ours);
  tell(ratioBar("one durable step", ours, median(times.bare), 2, "bare FULL commit"));
  if (peer !== null) {
    const theirs = median(times.peer);
    const bar = ratioBar("one durable step", ours, theirs, 1, "LangGraph, SQLite saver, sync, FULL");
    tell({ ...bar, what: `one durable step, ${(theirs / ours).toFixed(1)} times as fast` });
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
