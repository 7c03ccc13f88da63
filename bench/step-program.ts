import { setTimeout as sleep } from "node:timers/promises";
import { embeddedDriver } from "../src/drivers/embedded/embedded-driver.ts";
import type { Driver } from "../src/ports/driver.ts";
import type { EventLog } from "../src/ports/event-log.ts";
import { fileLogSigner } from "../src/stores/signer/file-log-signer.ts";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import type { Workflow } from "../src/workflow/definition.ts";
import { median } from "./measure.ts";
import { machineOn, newRun, takeSteps, workflowOf } from "./step-machine.ts";

const RUNS_AT_ONCE = 100;
const STEPS_EACH = 20;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 5;
const PARKED = 1_000;
const STARTED_AT_ONCE = 50;
const AT_REST = 2_000;
const MEGABYTE = 1_048_576;

/** Run by `step.bench.ts`, built as the command is, in a process that holds nothing else. Prints its figures. */
const [what, path = ""] = process.argv.slice(2);
void (what === "park" ? parkRuns(path) : runAtOnce(path)).then((figures) => console.log(JSON.stringify(figures)));

/** As the command opens it: checkpoints are signed while the runs go on. */
function openLog(place: string): EventLog {
  return openSqliteLog(place, { logSigner: fileLogSigner({ folder: `${place}-keys`, place, forbidden: [] }) });
}

/** Megabytes before and after. */
async function parkRuns(place: string): Promise<number[]> {
  const log = openLog(place);
  const driver = embeddedDriver(machineOn(log), { pollTime: 20 });
  const asking = workflowOf(1, { approve: "before" });
  const before = process.memoryUsage().rss / MEGABYTE;
  for (let parked = 0; parked < PARKED; parked += STARTED_AT_ONCE)
    await Promise.all(Array.from({ length: STARTED_AT_ONCE }, () => park(driver, asking)));
  // Parked is at rest: what only the starting needed is let go.
  await sleep(AT_REST);
  const after = process.memoryUsage().rss / MEGABYTE;
  await driver.stop();
  await log.close();
  return [before, after];
}

async function park(driver: Driver, workflow: Workflow): Promise<void> {
  const { status, asks } = await driver.settled(await driver.start(newRun(workflow)));
  if (status !== "running" || Object.keys(asks).length !== 1) throw new Error(`a run is ${status}, not parked`);
}

/** Steps a second. */
async function runAtOnce(place: string): Promise<number[]> {
  const log = openLog(place);
  const ports = machineOn(log);
  const takeAll = (): Promise<void[]> =>
    Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => takeSteps(ports, STEPS_EACH)));
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await takeAll();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.now();
    await takeAll();
    times.push(performance.now() - before);
  }
  await log.close();
  return [(RUNS_AT_ONCE * STEPS_EACH * 1e3) / median(times)];
}
