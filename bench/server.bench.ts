import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { Agent, type IncomingMessage, get } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { knownLogs } from "../src/main/known-logs.ts";
import { createLog } from "../src/stores/sqlite/create-log.ts";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import { type Bar, printTime } from "./bar.ts";
import { type Browser, chromium } from "playwright-core";
import { median } from "./measure.ts";
import { embeddedDriver } from "../src/drivers/embedded/embedded-driver.ts";
import type { EventLog, NewEntry } from "../src/ports/event-log.ts";
import { pinOf } from "../src/runtime/operations/start-run.ts";
import type { JsonRecord } from "../src/shared/json-value.ts";
import { openMemoryLog } from "../test/memory-log/open-memory-log.ts";
import type { Workflow } from "../src/workflow/definition.ts";
import { machineOn, workflowOf } from "./step-machine.ts";

const RUNS = 100_000;
const EVENTS = 1_000_000;
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
async function fillLog(log: EventLog, now: number): Promise<{ readonly longest: string }> {
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

function idOf(number: number): string {
  return `r${(number * 7_919).toString(36).padStart(9, "0")}`;
}

/** One run that is really driven; its log is what the others are copied from. */
async function recorded(workflow: Workflow): Promise<Template> {
  const log = openMemoryLog();
  const driver = embeddedDriver(machineOn(log), { pollTime: 5 });
  const id = await driver.start({ workflow, brief: "Add up the cart", tasks: [], known: {} });
  await driver.settled(id);
  await driver.stop();
  const row = await log.run(id);
  if (row === null) throw new Error("the run is gone");
  const entries = (await log.entries(id)).map(({ kind, data }) => ({ kind, data: data ?? {} }));
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
  const id = idOf(number);
  const at = now - (RUNS - number) * 1_000 - DAY;
  const name = NAMES[number % NAMES.length] ?? "pipeline";
  const brief = `Task ${number}: the ${number % 97 === 0 ? "invoice" : "cart"} adds up, whatever is in it`;
  const lease = await log.create({ run: id, name, workflow: pinOf(template.workflow), at, brief }, "bench", at + 1);
  const entries = [...template.entries.slice(0, count), ...Array.from({ length: more }, (_, index) => fact(index))];
  const isAtWork = template.finished && number % 200 === 1;
  await log.commit({
    run: id,
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

const built = join(import.meta.dirname, "../dist");
const REQUESTS = 400;
const WARM_UP = 20;
const CLIENTS = 1_000;
const TELLINGS = 40;
const MAX_MILLISECONDS = 100;
const MAX_UNTIL_HEARD = 250;

/** The built server over a log of a million entries, asked by a process of its own. */
export async function run(report: (bar: Bar) => void): Promise<void> {
  if (!existsSync(built)) throw new Error("dist is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-server-"));
  try {
    mkdirSync(join(folder, ".baton"));
    // It loads its parts when they are needed: a build meanwhile must not take them away.
    for (const part of ["cli", "dashboard"]) cpSync(join(built, part), join(folder, "dist", part), { recursive: true });
    const path = join(folder, ".baton/baton.db");
    createLog(path, (id) => knownLogs(join(folder, "config/baton")).add(id, dirname(path), "made"));
    const log = openSqliteLog(path);
    const { longest } = await fillLog(log, Date.now());
    const server = await startServer(folder);
    try {
      for (const [what, address] of questions(longest)) await measureRoute(server, what, address, report);
      await measurePages(server.link, longest, report);
      await measureFeed(server, log, report);
    } finally {
      await server.stop();
      await log.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Server {
  readonly pid: number;
  readonly link: URL;
  readonly origin: string;
  readonly token: string;
  stop(): Promise<void>;
}

async function startServer(folder: string): Promise<Server> {
  const env = { ...process.env, XDG_CONFIG_HOME: join(folder, "config"), BATON_STATE: join(folder, ".baton") };
  const command = join(folder, "dist/cli/baton.cjs");
  const child: ChildProcess = spawn(process.execPath, [command, "serve", "--port", "0", "--json", "--no-drive"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("the server says nothing");
  const line = await new Promise<string>((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    if (child.stdout !== null) createInterface({ input: child.stdout }).once("line", resolve);
  });
  const link = new URL((JSON.parse(line) as { link: string }).link);
  return {
    pid: child.pid ?? 0,
    link,
    origin: link.origin,
    token: link.searchParams.get("token") ?? "",
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit");
        child.on("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

type Question = readonly [string, (turn: number) => string];

/** Another run, page or word each time, as far as the route has any. */
function questions(longest: string): Question[] {
  const some = (turn: number): string => idOf((turn * 6_131) % RUNS);
  return [
    ["runs, first page", () => "/api/runs"],
    ["runs, a page by cursor", (turn) => `/api/runs?cursor=${some(turn)}&limit=200`],
    [
      "runs by status and workflow",
      (turn) => `/api/runs?status=failed,stalled&workflow=${["issue", "tasks"][turn % 2] ?? ""}`,
    ],
    ["runs by a rare word", (turn) => `/api/runs?text=invoice%20${97 * (turn + 1)}`],
    ["runs by a word that all have", () => "/api/runs?text=whatever"],
    ["runs since yesterday", (turn) => `/api/runs?since=${Date.now() - 90_000_000 - turn}`],
    ["one run", (turn) => `/api/runs/${some(turn)}`],
    ["one run with 5,000 events", () => `/api/runs/${longest}`],
    ["events of a run", (turn) => `/api/runs/${some(turn)}/events`],
    ["a handoff", (turn) => `/api/runs/${idOf(500 + ((turn * 6_131) % (RUNS - 500)))}/handoffs/s1.1`],
    ["inbox with 200 runs that wait", () => "/api/inbox"],
    ["metrics of all runs, looked at again", () => "/api/metrics"],
    ["audit, a page", (turn) => `/api/audit?after=${(turn * 7_907) % EVENTS}`],
  ];
}

async function measureRoute(
  server: Server,
  what: string,
  address: (turn: number) => string,
  report: (bar: Bar) => void,
): Promise<void> {
  const times: number[] = [];
  const headers = { authorization: `Bearer ${server.token}` };
  const before = cpuTime(server.pid);
  for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
    const asked = performance.now();
    const response = await fetch(server.origin + address(Math.abs(turn)), { headers });
    await response.arrayBuffer();
    if (turn >= 0) times.push(performance.now() - asked);
    if (!response.ok) throw new Error(`${address(turn)} was answered ${response.status}`);
  }
  const cpu = (cpuTime(server.pid) - before) / (REQUESTS + WARM_UP);
  tellSlowest(report, `API p99, ${what}`, times, MAX_MILLISECONDS, `, ${printTime(cpu * 1e6)} of CPU`);
}

async function measureFeed(
  { origin, token }: Server,
  log: ReturnType<typeof openSqliteLog>,
  report: (bar: Bar) => void,
): Promise<void> {
  const times: number[] = [];
  const told = new Map<number, number>();
  const agent = new Agent({ maxSockets: Infinity });
  const options = { agent, headers: { authorization: `Bearer ${token}` } };
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, () =>
      follow(`${origin}/api/events`, options, (position) => times.push(performance.now() - (told.get(position) ?? 0))),
    ),
  );
  const at = Date.now();
  const lease = await log.create({ run: "teller", name: "teller", workflow: "x", at, brief: "" }, "bench", at + 1e9);
  const first = await log.lastPosition();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  for (let turn = 0; turn < TELLINGS; turn++) {
    told.set(first + turn + 1, performance.now());
    const entries = [
      { kind: "fact-learned", data: { kind: "fact-learned", name: "turn", value: String(turn), by: "bench" } },
    ];
    const nothing = { effects: [], settled: [], taken: [], finished: false, summary: {}, wakeAt: null };
    await log.commit({ run: "teller", lease, after: turn, at, entries, status: "running", ...nothing });
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  if (times.length !== CLIENTS * TELLINGS) throw new Error(`${times.length} of ${CLIENTS * TELLINGS} were heard`);
  for (const client of clients) client.destroy();
  tellSlowest(report, "an event reaches 1,000 clients, p99", times, MAX_UNTIL_HEARD);
}

async function follow(url: string, options: object, hear: (position: number) => void): Promise<{ destroy(): unknown }> {
  const asked = get(url, options);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the feed answered ${response.statusCode ?? 0}`);
  response.setEncoding("utf8");
  response.on("error", () => undefined);
  response.on("data", (text: string) => {
    for (const [, id] of text.matchAll(/^id: (\d+)$/gm)) hear(Number(id));
  });
  return asked;
}

/** Milliseconds that a process has worked, as Linux counts them, in hundredths of a second; 0 where nobody tells. */
function cpuTime(pid: number): number {
  try {
    const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(user) + Number(system)) * 10;
  } catch {
    return 0;
  }
}

function tellSlowest(report: (bar: Bar) => void, what: string, times: readonly number[], max: number, more = ""): void {
  const sorted = times.toSorted((left, right) => left - right);
  const share = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  const middle = printTime(share(0.5) * 1e6);
  report({
    what,
    ours: `median ${middle}${more}`,
    baseline: `${EVENTS.toLocaleString("en")} events`,
    figure: share(0.99),
    max,
    unit: "ms",
  });
}

const PROGRAM = process.env["BATON_CHROMIUM"] ?? "/usr/bin/chromium";
const TIMES = 15;
const MAX_PAGE_MILLISECONDS = 1_000;

interface Place {
  readonly what: string;
  readonly path: string;
  /** What a person can use when it is there. */
  readonly shows: string;
}

/** From the address to what a person came for, in a real browser whose cache is empty each time. */
async function measurePages(link: URL, longest: string, report: (bar: Bar) => void): Promise<void> {
  if (!existsSync(PROGRAM)) {
    console.log("the page is not measured: there is no Chromium; name it with BATON_CHROMIUM");
    return;
  }
  const places: readonly Place[] = [
    { what: "runs page usable", path: "/", shows: 'a[href^="/runs/"]' },
    { what: "run page usable, 5,000 events", path: `/runs/${longest}`, shows: ".react-flow__node" },
  ];
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
  try {
    for (const { what, path, shows } of places) {
      const times: number[] = [];
      for (let time = -1; time < TIMES; time++) {
        const taken = await openOnce(browser, link, path, shows);
        // The first one starts the browser's own processes.
        if (time >= 0) times.push(taken);
      }
      const slowest = `slowest ${Math.max(...times).toFixed(0)} ms`;
      const baseline = `empty cache, ${TIMES} times`;
      report({ what, ours: slowest, baseline, figure: median(times), max: MAX_PAGE_MILLISECONDS, unit: "ms" });
    }
  } finally {
    await browser.close();
  }
}

async function openOnce(browser: Browser, link: URL, path: string, shows: string): Promise<number> {
  const page = await browser.newPage();
  const began = performance.now();
  // With the token in the address, as somebody opens it from the terminal.
  await page.goto(`${link.origin}${path}${link.search}`, { waitUntil: "commit" });
  await page.locator(shows).first().waitFor();
  const taken = performance.now() - began;
  await page.close();
  return taken;
}
