import { fork } from "node:child_process";
import { extname, join } from "node:path";
import type { OpenWorker, Terminal, WorkerOptions } from "../cli/terminal.ts";
import { pgBossDriver } from "../drivers/pg-boss/pg-boss-driver.ts";
import type { SharedLog } from "../ports/shared-log.ts";
import type { Engine } from "../runtime/engine.ts";
import { isRunTrusted } from "../runtime/operations/trust-workflow.ts";
import { eventLine } from "../views/event-line.ts";
import { AppError } from "../shared/app-error.ts";
import { queuesOf, sharedStoreOf } from "./shared-store.ts";

/** Drives the runs of the store that the environment names, as far as the operator trusts them here. */
export function openWorker(
  { ports }: Engine,
  { capacity, tell, isQuiet }: WorkerOptions,
  { configFolder }: Pick<Terminal, "configFolder">,
): OpenWorker {
  const store = sharedStoreOf(process.env);
  if (store === null)
    throw new AppError(
      "wrong-usage",
      "A worker needs a store that it shares with others.",
      "Set BATON_STORE to the address of a Postgres database. Without one, `baton serve` drives the runs of this machine.",
    );
  const log = ports.log as SharedLog;
  const driver = pgBossDriver(Object.assign(ports, { log }), {
    queue: queuesOf(store),
    capacity,
    mayDrive: async (run) => {
      const row = await log.run(run);
      return row !== null && isRunTrusted(ports, row, configFolder);
    },
    driveApart,
    watch(news) {
      if (news.kind === "trouble") tell(news.message, null);
      if (news.kind === "decided" && !isQuiet)
        for (const event of news.events) {
          const line = eventLine(event);
          if (line !== null) tell(line.text, news.session.lease.run);
        }
    },
  });
  return { stop: () => driver.stop() };
}

/** Beside this file, among the sources as in the bundle. */
const APART = join(import.meta.dirname, `run-apart${extname(import.meta.filename)}`);

/** Resolves when the process of the run has ended well. */
function driveApart(job: { readonly run: string }, signal: AbortSignal): Promise<void> {
  const child = fork(APART, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.send(job);
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  return new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, ended) =>
      code === 0 ? resolve() : reject(new Error(`it ended with ${ended ?? code ?? "no code"}`)),
    );
  }).finally(() => signal.removeEventListener("abort", stop));
}
