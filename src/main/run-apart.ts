import { driveRunApart } from "../drivers/pg-boss/pg-boss-driver.ts";
import { isRunTrusted } from "../runtime/operations/trust-workflow.ts";
import { configFolder } from "./config-folder.ts";
import { openSharedEngine } from "./open-shared-engine.ts";
import { queuesOf, sharedStoreOf } from "./shared-store.ts";

type RunJob = Parameters<typeof driveRunApart>[2];

/** The program of a worker for one run: one with which workers were lost, so that no other run is lost with it. */
process.once("message", (job: RunJob) => void drive(job).finally(() => process.disconnect()));

async function drive(job: RunJob): Promise<void> {
  const store = sharedStoreOf(process.env);
  if (store === null) throw new Error("BATON_STORE is not set");
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
  process.on("disconnect", () => stopping.abort());
  const folder = configFolder(process.env);
  const tell = (message: string): void => void process.stderr.write(`baton: ${message}\n`);
  const engine = await openSharedEngine(process.cwd(), folder, tell, store);
  const { ports, log } = engine;
  const mayDrive = async (run: string): Promise<boolean> => {
    const row = await log.run(run);
    return row !== null && isRunTrusted(ports, row, folder);
  };
  try {
    await driveRunApart(Object.assign(ports, { log }), { queue: queuesOf(store), mayDrive }, job, stopping.signal);
  } finally {
    await engine.close();
  }
}
