import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { killOrphans } from "../../src/agents/process-group/end-processes.ts";
import { processAgent } from "../../src/agents/process/process-agent.ts";
import { driveRunApart, type PgBossOptions, pgBossDriver } from "../../src/drivers/pg-boss/pg-boss-driver.ts";
import type { RunJob } from "../../src/drivers/pg-boss/run-queue.ts";
import type { Ports } from "../../src/ports/ports.ts";
import type { SharedLog } from "../../src/ports/shared-log.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import { machineWith } from "../contracts/driver.ts";

/** What a worker program of the tests is told, as JSON in its first argument. */
export interface HostConfig {
  readonly url: string;
  readonly schema: string;
  /** A folder of its own: where its agents work and its attempts lie. */
  readonly home: string;
  /** Each commit that was acknowledged is a line: the run, and how many entries it has then. */
  readonly acknowledged: string;
  readonly capacity: number;
  readonly maxPause?: number;
  readonly maxSilence?: number;
  /** How wrong its clock is, in milliseconds. */
  readonly clockShift?: number;
  /** A job to drive in this process alone. */
  readonly apart?: RunJob;
}

const config = JSON.parse(process.argv[2] ?? "") as HostConfig;
const trueNow = Date.now;
Date.now = () => trueNow() + (config.clockShift ?? 0);

const stopping = new AbortController();
process.on("SIGTERM", () => stopping.abort());
let isToHang = false;
process.on("SIGUSR2", () => (isToHang = true));

const { url, schema, home, capacity, maxPause } = config;
const log = hanging(openPostgresLog({ url, schema, connections: 3, queryTimeout: 5_000 }));
const ports: Ports & { log: SharedLog } = Object.assign(
  machineWith(log, () => ""),
  {
    log,
    agent: () => processAgent,
    async killOrphans(attempt: string, scratch: string) {
      await killOrphans(attempt, scratch);
      return null;
    },
  },
);
ports.clock.now = () => log.now();
ports.workspace.prepare = () => Promise.resolve(home);
ports.workspace.scratch = async (run, attempt) => {
  const folder = join(home, "attempts", run, attempt);
  mkdirSync(folder, { recursive: true });
  return folder;
};
const options: PgBossOptions = {
  queue: { url, schema: "jobs", prefix: schema, connections: 3, ...(maxPause !== undefined && { maxPause }) },
  capacity,
  ...(config.maxSilence !== undefined && { maxSilence: config.maxSilence }),
  watch(news) {
    if (news.kind === "decided") {
      const { lease, sequence } = news.session;
      appendFileSync(config.acknowledged, `${lease.run} ${sequence} ${process.pid}\n`);
    }
    if (news.kind === "trouble") appendFileSync(join(home, "trouble"), `${process.pid} ${news.message}\n`);
  },
  driveApart,
};
if (config.apart === undefined) await work();
else await workApart(config.apart);
process.exit(0);

async function work(): Promise<void> {
  await log.setClock().catch(() => undefined);
  const driver = pgBossDriver(ports, options);
  await new Promise((resolve) => stopping.signal.addEventListener("abort", resolve));
  await driver.stop();
}

/** Ends with the process that has started it. */
async function workApart(job: RunJob): Promise<void> {
  process.stdin.on("end", () => stopping.abort()).resume();
  await log.setClock().catch(() => undefined);
  await driveRunApart(ports, options, job, stopping.signal);
}

function driveApart(job: RunJob, signal: AbortSignal): Promise<void> {
  const argument = JSON.stringify({ ...config, apart: job });
  const child: ChildProcess = spawn(process.execPath, [import.meta.filename, argument], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  signal.addEventListener("abort", () => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, name) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code ?? name}`))));
  });
}

/** On request this process hangs in its next transaction under the lock of a run. */
function hanging(whole: SharedLog): SharedLog {
  const lockRun: SharedLog["lockRun"] = (run, locked) =>
    whole.lockRun(run, (row, transaction) => {
      if (isToHang) {
        isToHang = false;
        process.kill(process.pid, "SIGSTOP");
      }
      return locked(row, transaction);
    });
  return new Proxy(whole, {
    get(target, key) {
      if (key === "lockRun") return lockRun;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}
