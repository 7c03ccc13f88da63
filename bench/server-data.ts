import { embeddedDriver } from "../src/drivers/embedded/embedded-driver.ts";
import type { EventLog, NewEntry } from "../src/ports/event-log.ts";
import { pinOf } from "../src/runtime/operations/start-run.ts";
import type { JsonRecord } from "../src/shared/json-value.ts";
import { openMemoryLog } from "../src/stores/memory/open-memory-log.ts";
import type { Workflow } from "../src/workflow/definition.ts";
import { machineOn, workflowOf } from "./step-machine.ts";

export const RUNS = 100_000;
export const EVENTS = 1_000_000;
const AT_ONCE = 1_000;
const DAY = 86_400_000;
const NAMES = ["pipeline", "issue", "collective", "tasks", "feature"] as const;

interface Template {
  readonly workflow: Workflow;
  readonly status: string;
  readonly finished: boolean;
  readonly entries: readonly NewEntry[];
  readonly summary: JsonRecord;
}

/** Runs as they are in the world: most have ended, some wait, a few work, and one is very long. */
export async function fillLog(log: EventLog, now: number): Promise<{ readonly longest: string }> {
  const [done, waiting] = [await recorded(workflowOf(2)), await recorded(workflowOf(1, { approve: "before" }))];
  for (const { workflow } of [done, waiting]) await log.putWorkflow(pinOf(workflow), workflow as unknown as JsonRecord);
  const each = Math.floor(EVENTS / RUNS);
  for (let first = 0; first < RUNS; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        addRun(log, first + index, first + index < 500 ? waiting : done, each, now),
      ),
    );
  await addRun(log, RUNS, done, done.entries.length, now, 5_000);
  return { longest: idOf(RUNS) };
}

export function idOf(number: number): string {
  return `r${(number * 7_919).toString(36).padStart(9, "0")}`;
}

/** One run that is really driven; its log is what the others are copied from. */
async function recorded(workflow: Workflow): Promise<Template> {
  const log = openMemoryLog();
  const driver = embeddedDriver(machineOn(log), { pollTime: 5 });
  const run = await driver.start({ workflow, brief: "Add up the cart", tasks: [], known: {} });
  await driver.settled(run);
  await driver.stop();
  const row = await log.run(run);
  if (row === null) throw new Error("the run is gone");
  const entries = (await log.entries(run)).map(({ kind, data }) => ({ kind, data: data ?? {} }));
  return { workflow, status: row.status, finished: row.finished, entries, summary: row.summary };
}

async function addRun(
  log: EventLog,
  number: number,
  template: Template,
  count: number,
  now: number,
  more = 0,
): Promise<void> {
  const run = idOf(number);
  const at = now - (RUNS - number) * 1_000 - DAY;
  const name = NAMES[number % NAMES.length] ?? "pipeline";
  const brief = `Task ${number}: the ${number % 97 === 0 ? "invoice" : "cart"} adds up, whatever is in it`;
  const lease = await log.create({ run, name, workflow: pinOf(template.workflow), at, brief }, "bench", at + 1);
  const entries = [...template.entries.slice(0, count), ...Array.from({ length: more }, (_, index) => fact(index))];
  const isAtWork = template.finished && number % 200 === 1;
  await log.commit({
    run,
    lease,
    after: 0,
    at: isAtWork && number % 400 === 1 ? now : at + 60_000,
    entries,
    effects: [],
    settled: [],
    taken: [],
    status: isAtWork ? "running" : number % 50 === 3 && template.finished ? "failed" : template.status,
    finished: template.finished && !isAtWork,
    summary: template.summary,
    wakeAt: null,
  });
}

function fact(index: number): NewEntry {
  const data = { kind: "fact-learned", name: `figure-${index % 50}`, value: String(index), by: "Agent0" };
  return { kind: "fact-learned", data };
}
