import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { Agent, type IncomingMessage, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import { type Bar, printTime } from "./bar.ts";
import { EVENTS, RUNS, fillLog, idOf } from "./server-data.ts";
import { measurePages } from "./server-page.ts";

const built = join(import.meta.dirname, "../dist");
const REQUESTS = 400;
const WARM_UP = 20;
const CLIENTS = 1_000;
const TELLINGS = 40;
const MOST_MILLISECONDS = 100;
const MOST_UNTIL_HEARD = 250;

/** The built server over a log of a million entries, asked by a process of its own. */
export async function run(tell: (bar: Bar) => void): Promise<void> {
  if (!existsSync(built)) throw new Error("dist is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-server-"));
  try {
    mkdirSync(join(folder, ".baton"));
    // It loads its parts when they are needed: a build meanwhile must not take them away.
    for (const part of ["cli", "dashboard"]) cpSync(join(built, part), join(folder, "dist", part), { recursive: true });
    const log = openSqliteLog(join(folder, ".baton/baton.db"));
    const { longest } = await fillLog(log, Date.now());
    const server = await startServer(folder);
    try {
      for (const [what, address] of questions(longest)) await measureRoute(server, what, address, tell);
      await measurePages(server.link, longest, tell);
      await measureFeed(server, log, tell);
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
  tell: (bar: Bar) => void,
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
  tellSlowest(tell, `API p99, ${what}`, times, MOST_MILLISECONDS, `, ${printTime(cpu * 1e6)} of CPU`);
}

async function measureFeed(
  { origin, token }: Server,
  log: ReturnType<typeof openSqliteLog>,
  tell: (bar: Bar) => void,
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
  tellSlowest(tell, "an event reaches 1,000 clients, p99", times, MOST_UNTIL_HEARD);
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

function tellSlowest(tell: (bar: Bar) => void, what: string, times: readonly number[], most: number, more = ""): void {
  const sorted = times.toSorted((left, right) => left - right);
  const share = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  const median = printTime(share(0.5) * 1e6);
  tell({
    what,
    ours: `median ${median}${more}`,
    baseline: `${EVENTS.toLocaleString("en")} events`,
    figure: share(0.99),
    most,
    unit: "ms",
  });
}
