import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RunQueue } from "../../src/drivers/pg-boss/run-queue.ts";
import type { SharedLog } from "../../src/ports/shared-log.ts";
import { startRun } from "../../src/runtime/operations/start-run.ts";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import type { AgentDefinition } from "../../src/workflow/definition.ts";
import { machineWith, newRun } from "../contracts/driver.ts";
import { agentsIn, killHard, processesIn } from "../crash/run-victims.ts";
import { always, buildAgent, buildWorkflow, go } from "../workflow/build-workflow.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import type { HostConfig } from "./host-worker.ts";
import { newLogPlace } from "./postgres-log.ts";

/** Says in a file of all hosts when it begins and when it has done its work. */
const AGENT = `echo "begin $BATON_ATTEMPT $BATON_AGENT" >> "$HOST_JOURNAL"
sleep "$SECONDS_OF_WORK"
cat "$HOST_HANDOFF"
echo "end $BATON_ATTEMPT $BATON_AGENT" >> "$HOST_JOURNAL"
`;
/** Kills the process that drives its run, whichever that is. */
const POISON = `echo "begin $BATON_ATTEMPT $BATON_AGENT" >> "$HOST_JOURNAL"
kill -9 $PPID
sleep 30
`;
const HANDOFF = `## Handoff

\`\`\`yaml
outcome: completed
files_created:
  - path: src/a.ts
    purpose: Holds a
    lines: 1-3
\`\`\`
`;

export const STEPS = ["One", "Two", "Three"] as const;

/** Workers on one Postgres, each in a process of its own behind a network of its own, and the runs that they drive. */
export class Hosts {
  readonly folder = mkdtempSync(join(tmpdir(), "baton-hosts-"));
  readonly journal = join(this.folder, "journal");
  readonly acknowledged = join(this.folder, "acknowledged");
  readonly hosts: Host[] = [];
  readonly runs: string[] = [];
  readonly log: SharedLog;
  readonly connections: PostgresConnections;
  readonly queue: RunQueue;
  readonly #place: { readonly url: string; readonly schema: string };
  readonly #maxPause: number | undefined;

  private constructor(place: { readonly url: string; readonly schema: string }, queue: RunQueue, maxPause?: number) {
    this.#place = place;
    this.#maxPause = maxPause;
    this.queue = queue;
    this.log = openPostgresLog(place);
    this.log.useJobs(queue);
    this.connections = new PostgresConnections(place);
    for (const [name, text] of [
      ["handoff.md", HANDOFF],
      ["journal", ""],
      ["acknowledged", ""],
    ] as const)
      writeFileSync(join(this.folder, name), text);
  }

  static async open(url: string, maxPause?: number): Promise<Hosts> {
    const place = await newLogPlace(url);
    const pause = maxPause === undefined ? {} : { maxPause };
    const queuePlace = { url, schema: "jobs", prefix: place.schema, ...pause, notify: () => undefined };
    await RunQueue.prepare(queuePlace);
    return new Hosts(place, new RunQueue(queuePlace), maxPause);
  }

  get schema(): string {
    return this.#place.schema;
  }

  async addHost(changes: Partial<HostConfig> = {}): Promise<Host> {
    const home = join(this.folder, `host-${this.hosts.length + 1}`);
    mkdirSync(home);
    const proxy = await startFaultProxy(this.#place.url);
    const config: HostConfig = {
      url: proxy.url,
      schema: this.schema,
      home,
      acknowledged: this.acknowledged,
      capacity: 20,
      ...(this.#maxPause !== undefined && { maxPause: this.#maxPause }),
      ...changes,
    };
    const files = { HOST_JOURNAL: this.journal, HOST_HANDOFF: join(this.folder, "handoff.md") };
    const host = new Host(config, proxy, files);
    this.hosts.push(host);
    return host;
  }

  /** A run of three agents; the first one may have more to do. */
  start(seconds: number, first = seconds): Promise<string> {
    const agents = STEPS.map((name, index) => {
      const next = STEPS[index + 1];
      const done = next === undefined ? always({ kind: "end" }) : go(next);
      return buildAgent(name, { ...runnerOf(AGENT, index === 0 ? first : seconds), routes: { done } });
    });
    return this.#start(agents);
  }

  /** A run of one agent that kills whoever drives it. */
  startPoisoned(): Promise<string> {
    return this.#start([buildAgent("Poison", runnerOf(POISON, 0))]);
  }

  async #start(agents: readonly AgentDefinition[]): Promise<string> {
    const ports = machineWith(this.log, () => "");
    const { run } = await startRun(ports, { ...newRun, workflow: buildWorkflow(agents) });
    this.runs.push(run);
    return run;
  }

  /** The runs that a host drives, each with its fence. */
  async drivenBy({ pid }: Host): Promise<Map<string, number>> {
    const rows = await this.connections.all(
      `SELECT run, fence FROM ${this.schema}.runs WHERE worker LIKE $1 AND NOT finished`,
      [`${pid}-%`],
    );
    return new Map(rows.map((row) => [String(row["run"]), Number(row["fence"])]));
  }

  async unfinished(): Promise<Map<string, number>> {
    const rows = await this.connections.all(`SELECT run, fence FROM ${this.schema}.runs WHERE NOT finished`);
    return new Map(rows.map((row) => [String(row["run"]), Number(row["fence"])]));
  }

  /** The engine thinks that the hearts of these runs have stopped. */
  async loseLeases(runs: readonly string[]): Promise<void> {
    await this.connections.change(
      `UPDATE jobs.job SET heartbeat_on = now() - interval '1 hour'
        WHERE name = $1 AND state = 'active' AND singleton_key = ANY($2)`,
      [`${this.schema}/runs`, runs],
    );
  }

  lines(file: string): string[][] {
    const text = readFileSync(file, "utf8").trimEnd();
    return text === "" ? [] : text.split("\n").map((line) => line.split(" "));
  }

  note(line: string): void {
    appendFileSync(join(this.folder, "faults"), `${line}\n`);
  }

  livingAgents(): number[] {
    return processesIn(this.folder);
  }

  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.end()));
    for (const pid of this.livingAgents()) killHard(pid);
    await Promise.all([this.queue.close(), this.log.close(), this.connections.close()]);
    await sleep(100);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Its files are named by the environment of the worker: the ones that a workflow names would have to be trusted. */
function runnerOf(script: string, seconds: number): Partial<AgentDefinition> {
  const runner = {
    kind: "process",
    command: ["sh", "-c", script],
    prompt: "stdin",
    environment: { SECONDS_OF_WORK: String(seconds) },
    inherit: ["HOST_JOURNAL", "HOST_HANDOFF"],
  } as const;
  return { runner, dialect: "task-yaml", verify: null, retry: { most: 50, delay: 5 } };
}

const PROGRAM = join(import.meta.dirname, "host-worker.ts");

/** One host: its worker is started again when it has died, as a service manager would. */
export class Host {
  readonly proxy: FaultProxy;
  isAtFault = false;
  readonly #config: HostConfig;
  readonly #files: Readonly<Record<string, string>>;
  #process: ChildProcess;
  #isEnding = false;

  constructor(config: HostConfig, proxy: FaultProxy, files: Readonly<Record<string, string>>) {
    this.#config = config;
    this.#files = files;
    this.proxy = proxy;
    this.#process = this.#start();
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get home(): string {
    return this.#config.home;
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(this.#config)], {
      env: { ...process.env, ...this.#files },
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.on("exit", () => {
      if (!this.#isEnding) setTimeout(() => !this.#isEnding && (this.#process = this.#start()), RESTART);
    });
    return child;
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Its agents, not what it has started to watch over them. */
  agents(): number[] {
    return agentsIn(this.home);
  }

  get isStopped(): boolean {
    try {
      const stat = readFileSync(`/proc/${this.pid}/stat`, "latin1");
      return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
    } catch {
      return false;
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    const child = this.#process;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGCONT");
      child.kill("SIGKILL");
      await ended;
    }
    await this.proxy.close();
  }
}

const RESTART = 300;
