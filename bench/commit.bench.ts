import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Commit, EventLog, Lease } from "../src/ports/event-log.ts";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { median } from "./measure.ts";

const ROUNDS = 400;
const RUNS_AT_ONCE = 100;
const STEPS_EACH = 40;
const FEW_ENTRIES = 1_000;
const MANY_ENTRIES = 1_000_000;
const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** Wall-clock time, not CPU time: a durable commit is mostly waiting for the disk. */
export async function run(report: (bar: Bar) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  try {
    await compareWithBareCommit(folder, report);
    await measureManyRuns(folder, report);
    await compareSizes(folder, report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compareWithBareCommit(folder: string, report: (bar: Bar) => void): Promise<void> {
  const bare = openBare(join(folder, "bare.db"));
  const ours = await openStepper(join(folder, "ours.db"));
  const bareTimes: number[] = [];
  const ourTimes: number[] = [];
  for (let round = -50; round < ROUNDS; round++) {
    const bareTime = await timeOf(() => bare.commit(round));
    const ourTime = await timeOf(() => ours.step());
    if (round >= 0) bareTimes.push(bareTime);
    if (round >= 0) ourTimes.push(ourTime);
  }
  report(ratioBar("the commit of one step", median(ourTimes), median(bareTimes), 2, "a bare commit of one row"));
  bare.close();
  await ours.log.close();
}

async function measureManyRuns(folder: string, report: (bar: Bar) => void): Promise<void> {
  const log = openSqliteLog(join(folder, "many.db"));
  const runs = await Promise.all(Array.from({ length: RUNS_AT_ONCE }, (_, index) => newStepper(log, `run-${index}`)));
  const steps = (count: number): Promise<unknown> =>
    Promise.all(
      runs.map(async (stepper) => {
        for (let step = 0; step < count; step++) await stepper.step();
      }),
    );
  await steps(5);
  const time = await timeOf(() => steps(STEPS_EACH));
  const perSecond = (RUNS_AT_ONCE * STEPS_EACH) / (time / 1e9);
  report({
    what: `${RUNS_AT_ONCE} runs at once`,
    ours: `${perSecond.toFixed(0)} steps/s`,
    baseline: "2000 steps/s",
    figure: 2_000 / perSecond,
    max: 1,
    unit: "of the time allowed",
  });
  await log.close();
}

/** Both logs are filled by the same commits as are measured, in large groups, and then take turns. */
async function compareSizes(folder: string, report: (bar: Bar) => void): Promise<void> {
  const small = await openFilled(join(folder, "small.db"), FEW_ENTRIES);
  const large = await openFilled(join(folder, "large.db"), MANY_ENTRIES);
  const smallTimes: number[] = [];
  const largeTimes: number[] = [];
  for (let round = -50; round < ROUNDS; round++) {
    const smallTime = await timeOf(() => small.step());
    const largeTime = await timeOf(() => large.step());
    if (round >= 0) smallTimes.push(smallTime);
    if (round >= 0) largeTimes.push(largeTime);
  }
  const what = `a step after ${MANY_ENTRIES.toLocaleString("en")} entries`;
  report(ratioBar(what, median(largeTimes), median(smallTimes), 1.2, `after ${FEW_ENTRIES.toLocaleString("en")}`));
  await small.log.close();
  await large.log.close();
}

interface Stepper {
  readonly log: EventLog;
  step(): Promise<void>;
}

async function openStepper(path: string): Promise<Stepper> {
  return newStepper(openSqliteLog(path), "run");
}

async function newStepper(log: EventLog, name: string): Promise<Stepper> {
  const lease = await log.create({ run: name, name, workflow: "0".repeat(64), at: 1 }, "bench", FOR_EVER);
  let steps = 0;
  return { log, step: () => log.commit(typicalStep(lease, steps++)) };
}

async function openFilled(path: string, entries: number): Promise<Stepper> {
  const log = openSqliteLog(path);
  const perRun = 400;
  for (let first = 0; first < entries / perRun; first += 50) {
    const runs = Math.min(50, Math.ceil(entries / perRun) - first);
    const steppers = await Promise.all(
      Array.from({ length: runs }, (_, index) => newStepper(log, `filler-${first + index}`)),
    );
    for (let step = 0; step < perRun / 4; step++) await Promise.all(steppers.map((stepper) => stepper.step()));
  }
  return newStepper(log, "measured");
}

/** What an agent's step leaves behind: 4 entries of about 1.5 KB together, one effect in and one settled. */
function typicalStep(lease: Lease, step: number): Commit {
  const entries = ["input", "handoff-accepted", "step-ended", "step-started"].map((kind) => ({
    kind,
    data: { task: `task-${step}`, agent: "BackendBuilder", attempt: step, usage: { tokens: 1_234 }, text: TEXT },
  }));
  return {
    run: lease.run,
    lease,
    after: step * 4,
    at: 1_700_000_000_000 + step,
    entries,
    effects: [{ key: `${step}:start-agent`, kind: "start-agent", data: { task: `task-${step}`, timeout: 60_000 } }],
    settled: [`${step - 1}:start-agent`],
    taken: [],
    status: "running",
    finished: false,
    summary: { tasks: 12, done: step, working: 1 },
    wakeAt: 1_700_000_060_000 + step,
  };
}

const TEXT = "The endpoint answers and its tests pass. ".repeat(7);

interface BareTable {
  commit(number: number): void;
  close(): void;
}

/** The least that a durable commit can cost here: one small row, one fsync. */
function openBare(path: string): BareTable {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (value INTEGER) STRICT");
  const insert = database.prepare("INSERT INTO rows (value) VALUES (?)");
  return { commit: (number) => void insert.run(number), close: () => database.close() };
}

/** In nanoseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) * 1e6;
}
