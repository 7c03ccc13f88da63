import { NO_REPOSITORY } from "../test/no-repository.ts";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { embeddedDriver } from "../src/drivers/embedded/embedded-driver.ts";
import type { Agent } from "../src/ports/agent.ts";
import type { Driver } from "../src/ports/driver.ts";
import type { EventLog } from "../src/ports/event-log.ts";
import type { Machine } from "../src/ports/machine.ts";
import { NO_TELEMETRY } from "../src/ports/telemetry.ts";
import { driveRun } from "../src/runtime/drive-run.ts";
import { startRun } from "../src/runtime/operations/start-run.ts";
import { redactor } from "../src/shared/redact.ts";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import type { AgentDefinition, Workflow } from "../src/workflow/definition.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { flawless, textOf } from "./documents.ts";
import { openPeerGraph, type PeerGraph } from "./langgraph.ts";
import { median } from "./measure.ts";

const STEPS = 50;
const ROUNDS = 25;
/** The engine optimises in steps, and a step of ours runs through many functions. */
const WARM_UP_ROUNDS = 25;
const RUNS_AT_ONCE = 100;
const STEPS_EACH = 20;
const PARKED = 1_000;
const STARTED_AT_ONCE = 50;
const MEGABYTE = 1_048_576;

/** Whole steps: prompt, agent, handoff read and checked, decision, commit. Only the agent itself takes no time. */
export async function run(tell: (bar: Bar) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  try {
    // First, while this process holds nothing else.
    await parkRuns(join(folder, "parked.db"), tell);
    await compareSteps(folder, tell);
    await runAtOnce(join(folder, "many.db"), tell);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function parkRuns(path: string, tell: (bar: Bar) => void): Promise<void> {
  const log = openSqliteLog(path);
  const driver = embeddedDriver(machineOn(log), { pollTime: 20 });
  const asking = workflowOf(1, { approve: "before" });
  const before = process.memoryUsage().rss / MEGABYTE;
  for (let parked = 0; parked < PARKED; parked += STARTED_AT_ONCE)
    await Promise.all(Array.from({ length: STARTED_AT_ONCE }, () => park(driver, asking)));
  const figure = process.memoryUsage().rss / MEGABYTE;
  const baseline = `${before.toFixed(0)} MB without any`;
  tell({ what: "resident memory, 1,000 parked runs", ours: "", baseline, figure, most: 150, unit: "MB" });
  await driver.stop();
  await log.close();
}

async function park(driver: Driver, workflow: Workflow): Promise<void> {
  const { status, asks } = await driver.settled(await driver.start(newRun(workflow)));
  if (status !== "running" || Object.keys(asks).length !== 1) throw new Error(`a run is ${status}, not parked`);
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

async function runAtOnce(path: string, tell: (bar: Bar) => void): Promise<void> {
  const log = openSqliteLog(path);
  const machine = machineOn(log);
  const takeAll = (): Promise<void[]> =>
    Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => takeSteps(machine, STEPS_EACH)));
  for (let round = 0; round < 3; round++) await takeAll();
  const times: number[] = [];
  for (let round = 0; round < 5; round++) times.push(await timeOf(takeAll));
  const perSecond = (RUNS_AT_ONCE * STEPS_EACH * 1e9) / median(times);
  // A bar is the most that a figure may be: the time that a step may take.
  tell({
    what: "100 runs at once",
    ours: `${perSecond.toFixed(0)} steps/s`,
    baseline: "2000 steps/s",
    figure: 1e6 / perSecond,
    most: 500,
    unit: "us a step",
  });
  await log.close();
}

/** In nanoseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) * 1e6;
}

async function takeSteps(machine: Machine, steps: number): Promise<void> {
  const lease = await startRun(machine, newRun(workflowOf(steps)));
  const { status, steps: taken } = await driveRun(machine, lease, { leaveParked: true });
  if (status !== "completed" || taken !== steps) throw new Error(`the run is ${status} after ${taken} steps`);
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

const HANDOFF = flawless(textOf("pipeline-json", 2_000));

/** Each is another text, as they are in the world, and hands over to the next agent of the chain. */
function handoffOf(agent: string, purpose: string): string {
  const next = agent.replace(/\d+$/, (number) => String(Number(number) + 1));
  return HANDOFF.replace(/"from_agent": *"\w+"/, `"from_agent": "${agent}"`)
    .replace(/"to_agent": *"\w+"/, `"to_agent": "${next}"`)
    .replace(/"purpose": *"[^"]*"/, `"purpose": "${purpose}"`);
}

/** Everything of the machine but its agents, which answer at once, and its folders, which are not looked into. */
export function machineOn(log: EventLog): Machine {
  return {
    log,
    clock: { now: () => Date.now(), id: () => randomBytes(16).toString("hex") },
    workspace: {
      prepare: () => Promise.resolve("/"),
      scratch: () => Promise.resolve("/"),
      look: () => Promise.resolve({}),
      readNew: () => Promise.resolve(null),
      rewrite: () => Promise.resolve(),
      release: () => Promise.resolve(),
      read: () => Promise.resolve(null),
      has: () => Promise.resolve(false),
      fingerprint: () => Promise.resolve(""),
      fresh: () => Promise.resolve("/"),
      remove: () => Promise.resolve(),
    },
    repository: NO_REPOSITORY,
    get knowledge(): never {
      throw new Error("nothing is learned here");
    },
    results: { find: () => Promise.resolve(null), keep: () => Promise.resolve() },
    commands: { run: () => Promise.reject(new Error("there are no gates")) },
    redact: redactor([]),
    agent: () => INSTANT,
    telemetry: NO_TELEMETRY,
    endSurvivors: () => Promise.resolve(),
  };
}

const INSTANT: Agent = {
  kind: "process",
  start: ({ agent, attempt }) => ({
    ended: Promise.resolve({
      end: "finished",
      message: "",
      lastMessage: handoffOf(agent, attempt),
      usage: { milliseconds: 1, tokens: 1_000, money: null },
      session: null,
    }),
    stop: () => undefined,
  }),
};

function newRun(workflow: Workflow): Parameters<typeof startRun>[1] {
  return { workflow, brief: "Add up the cart", tasks: [], known: {} };
}

/** A chain of so many agents. */
export function workflowOf(steps: number, more: Partial<AgentDefinition> = {}): Workflow {
  const loop = { limit: 3, blocking: ["critical"], stuck: "person", capped: "person" } as const;
  const names = Array.from({ length: steps }, (_, index) => `Agent${index}`);
  const agents = names.map((name, index): AgentDefinition => {
    const next = names[index + 1];
    const action = next === undefined ? ({ kind: "end" } as const) : ({ kind: "go", to: next } as const);
    const routes = [{ when: null, action }];
    return {
      name,
      runner: { kind: "process", command: ["true"], prompt: "stdin", environment: {}, inherit: [] },
      dialect: "pipeline-json",
      domain: name,
      phase: null,
      prompt: "Build what is asked for and nothing else.",
      routes: { done: routes, "done-with-warnings": routes, "needs-fixes": routes, failed: routes },
      retry: { most: 3, delay: 1_000 },
      repairs: 2,
      timeout: 60_000,
      output: 1_000_000,
      onFailure: null,
      // What is measured is the step; what looking at a repository costs, `verify` measures.
      verify: null,
      context: null,
      gates: [],
      approve: null,
      loop,
      needs: null,
      gives: {},
      cost: { tokens: null, money: null },
      file: null,
      hub: false,
      ...more,
    };
  });
  return {
    name: "bench",
    description: "",
    hash: "bench",
    mode: "semi",
    start: names[0] ?? "",
    agents: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
    gates: {},
    loop,
    blocked: {},
    budget: { wall: null, agent: null, tokens: null, money: null, steps: steps + 1 },
    parallel: 1,
    asks: { timeout: null, silence: "remind" },
    workspace: "in-place",
    verify: null,
    learns: false,
    commands: "never",
    tasks: [],
    forge: null,
  };
}
