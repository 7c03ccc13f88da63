import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ServeOptions, ServedPage, Terminal } from "../cli/terminal.ts";
import { embeddedDriver } from "../drivers/embedded/embedded-driver.ts";
import { embeddedScheduler } from "../drivers/embedded/embedded-scheduler.ts";
import { type McpDoor, openServer } from "../http/open-server.ts";
import { isSame } from "../http/tokens.ts";
import { type Webhook, checkedApart, checkedSecret, checkedUrl, readWebhooks } from "../http/webhooks/webhook.ts";
import { WebhookSender } from "../http/webhooks/webhook-sender.ts";
import type { McpEndpoint } from "../mcp/http-endpoint.ts";
import type { Engine } from "../runtime/engine.ts";
import { type HookStatus, lookAtHooks } from "../runtime/operations/look-at-hooks.ts";
import { type ScheduleList, listSchedules } from "../runtime/operations/list-schedules.ts";
import { NOTIFICATION_KINDS } from "../runtime/operations/list-notifications.ts";
import { isRunTrusted } from "../runtime/operations/trust-workflow.ts";
import { scheduleFiles } from "../runtime/schedules/schedule-files.ts";
import { ScheduleKeeper } from "../runtime/schedules/schedule-keeper.ts";
import { plainReason } from "../shared/plain-reason.ts";
import { printable } from "../shared/printable.ts";
import { findSender } from "./find-source.ts";
import { keptSecret } from "./kept-secret.ts";
import { tellOnce } from "./open-engine.ts";
import { demoConfig } from "./open-demo.ts";
import { LongWorker } from "./long-worker.ts";
import { readRepositoryInfo } from "./read-repository-info.ts";
import { repositoryMark } from "./state-folder.ts";
import { submissionAddress, tokenOfAttempt, findServer } from "./submission.ts";

/** The default port. */
const USUAL_PORT = 4500;

type Around = Pick<Terminal, "configFolder" | "note" | "version">;

type Drive = (run: string) => Promise<boolean>;

/** The server over an engine, and the driver beside it. */
export async function openHttp(engine: Engine, options: ServeOptions, around: Around): Promise<ServedPage> {
  const { ports, root, stateFolder } = engine;
  const trouble = (message: string): void => around.note(`baton: ${message}\n`);
  const complain = (error: unknown): void =>
    trouble(error instanceof Error ? (error.stack ?? error.message) : String(error));
  // First: what is wrong with them is told before anything was opened.
  const webhooks = webhooksOf(options, stateFolder, around.configFolder);
  const ownToken = givenToken();
  const there = options.mayJoin === true ? await findServer(stateFolder, ownToken === null) : null;
  if (there !== null) return { ...there, joined: true, stop: () => Promise.resolve() };
  // The runs of the demo were made here, out of what comes along.
  const mayDrive = async (run: string): Promise<boolean> =>
    options.isDemo || isAllowed(engine, run, around.configFolder);
  const driver = driverOf(engine, options, { mayDrive, trouble });
  const longWork = new LongWorker(root, options.isDemo ? demoConfig(root) : around.configFolder);
  const drive = driver === null ? wakerOf(engine) : (run: string) => driver.resume(run);
  const keeper = drive === null ? null : { mayDrive, drive };
  const mcp = new LazyMcp(async () => {
    const { openMcpEndpoint } = await import("./open-mcp.ts");
    return openMcpEndpoint(engine, drive, { ...around, notify: complain });
  });
  const server = await openServer({
    engine,
    longWork,
    mcp,
    keeper,
    hooks: () => lookAt(engine, around),
    schedules: () => schedulesOf(engine, around, options),
    port: options.port ?? USUAL_PORT,
    mayMove: options.port === null,
    token: ownToken ?? keptSecret(stateFolder, "server-token"),
    pageFolder: pageFolder(),
    about: { version: around.version, root: basename(root), startedAt: ports.clock.now(), demo: options.isDemo },
    sourceOf: (connection) => findSender(stateFolder, connection),
    isAttemptToken: (given, run, attempt) => isSame(given, tokenOfAttempt(stateFolder, run, attempt)),
    notify: complain,
  }).catch(async (error: unknown) => {
    await driver?.stop();
    throw error;
  });
  if (options.port === null && server.port !== USUAL_PORT)
    around.note(`Port ${USUAL_PORT} is taken: this is port ${server.port}.\n`);
  const forget = submissionAddress(stateFolder, server.port, trouble);
  const scheduler = openScheduler(engine, options, around);
  const senders = webhooks.map((webhook) => new WebhookSender(engine, webhook, { notify: trouble }));
  return {
    port: server.port,
    link: server.link,
    joined: false,
    async stop() {
      forget();
      await scheduler?.stop();
      await mcp.close();
      await server.stop();
      await Promise.all([driver?.stop(), longWork.stop(), ...senders.map((sender) => sender.stop())]);
    },
  };
}

/** Where workers drive the runs, one of them is given the run; null where nothing drives any. */
function wakerOf({ shared }: Engine): Drive | null {
  if (shared === undefined) return null;
  return async (run) => {
    await shared.wake(run);
    return true;
  };
}

/** The demo has a workflow of ours and no operator. */
async function schedulesOf(engine: Engine, { configFolder }: Around, { isDemo }: ServeOptions): Promise<ScheduleList> {
  const place = { configFolder, repositoryInfo: readRepositoryInfo(engine.root) };
  if (isDemo || scheduleFiles(place).length === 0) return { items: [], notices: [] };
  return listSchedules({ ...place, engine, now: engine.ports.clock.now() });
}

/** Null where this server drives nothing, or workers do. */
function driverOf(
  { ports, shared }: Engine,
  { drives }: ServeOptions,
  { mayDrive, trouble }: { readonly mayDrive: Drive; readonly trouble: (message: string) => void },
): ReturnType<typeof embeddedDriver> | null {
  if (!drives || shared !== undefined) return null;
  return embeddedDriver(ports, {
    mayDrive: notAskedTooOften(mayDrive),
    watch: (news) => (news.kind === "trouble" ? trouble(news.message) : undefined),
    pollTime: 200,
  });
}

/** Starts the runs of schedules; the driver beside it, or a worker, drives them. */
function openScheduler(
  engine: Engine,
  { drives, isDemo }: ServeOptions,
  { configFolder, note }: Around,
): ReturnType<typeof embeddedScheduler> | null {
  if (!drives || isDemo) return null;
  const operator = {
    configFolder,
    repositoryInfo: readRepositoryInfo(engine.root),
    searchPath: process.env["PATH"] ?? "",
  };
  const notify = (message: string): void => note(`baton: ${printable(message)}\n`);
  const keeper = new ScheduleKeeper({ engine, operator, notify });
  const notifyOnce = tellOnce(notify);
  return embeddedScheduler(engine.ports, {
    keep: () => keeper.keep(),
    notify: (error) => notifyOnce(`The schedules could not be looked at: ${plainReason(error)}`),
  });
}

async function lookAt({ root, stateFolder }: Engine, { configFolder, version }: Around): Promise<HookStatus> {
  const settings = async () =>
    (await import("./open-doctor-machine.ts")).openDoctorMachine(root, configFolder, version);
  return lookAtHooks({ root, mark: repositoryMark(root), stateFolder, configFolder, settings });
}

/** Loaded with the first request: most servers never have one. */
class LazyMcp implements McpDoor {
  readonly #open: () => Promise<McpEndpoint>;
  #endpoint: Promise<McpEndpoint> | null = null;

  constructor(open: () => Promise<McpEndpoint>) {
    this.#open = open;
  }

  async answer(request: Parameters<McpDoor["answer"]>[0]): Promise<Response> {
    this.#endpoint ??= this.#open();
    return (await this.#endpoint).answer(request);
  }

  async close(): Promise<void> {
    await (await this.#endpoint)?.close();
  }
}

const ASKED_AGAIN = 10_000;
const MAX_REFUSED = 5_000;

/** A refused run is not checked again at once: there may be many, and they stay refused. */
function notAskedTooOften(mayDrive: (run: string) => Promise<boolean>): (run: string) => Promise<boolean> {
  const refused = new Map<string, number>();
  return async (run) => {
    if ((refused.get(run) ?? 0) > performance.now()) return false;
    if (await mayDrive(run)) return true;
    if (refused.size >= MAX_REFUSED) refused.clear();
    refused.set(run, performance.now() + ASKED_AGAIN);
    return false;
  };
}

/** A log that was adopted from somebody else must not start anything by itself. */
async function isAllowed({ ports }: Engine, run: string, configFolder: string): Promise<boolean> {
  try {
    const row = await ports.log.run(run);
    return row !== null && (await isRunTrusted(ports, row, configFolder));
  } catch {
    return false;
  }
}

/** Given in the environment; otherwise made once for the state folder. */
function givenToken(): string | null {
  const given = process.env["BATON_TOKEN"] ?? "";
  return /^[\w.~+/=-]{16,512}$/.test(given) ? given : null;
}

/** Those of the operator's own folder, and those that were named on the command line. */
function webhooksOf({ webhooks }: ServeOptions, stateFolder: string, configFolder: string): readonly Webhook[] {
  const path = join(configFolder, "webhooks.json");
  const kept = existsSync(path) ? readWebhooks(readFileSync(path, "utf8"), path) : [];
  const named = webhooks.map((url) => ({
    url: checkedUrl(url),
    secret: checkedSecret(process.env["BATON_WEBHOOK_SECRET"] ?? keptSecret(stateFolder, "webhook-secret")),
    kinds: NOTIFICATION_KINDS,
  }));
  return checkedApart([...kept, ...named]);
}

/** Beside the command in the package; among the sources it is where the build puts it. */
function pageFolder(): string {
  const [beside, built] = [
    join(import.meta.dirname, "../dashboard"),
    join(import.meta.dirname, "../../dist/dashboard"),
  ];
  return existsSync(join(beside, "index.html")) ? beside : built;
}
