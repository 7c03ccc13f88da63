import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";

const PROCESSES = Number(process.env["BATON_PROCESSES"] ?? 32);
const COMMITS = Number(process.env["BATON_COMMITS"] ?? 20);
/** Every so many processes have a thread that stores. */
const THREADED_ONE_IN = 4;
const folder = mkdtempSync(join(tmpdir(), "baton-many-"));
afterAll(() => rmSync(folder, { recursive: true }));

it(`${PROCESSES} processes that write at once lose nothing and see no lock`, async () => {
  const path = join(folder, "log.db");
  // The processes race to create the file and the run that they share, too.
  const workers = Array.from({ length: PROCESSES }, (_, index) =>
    runWorker(path, `run-${index}`, index % THREADED_ONE_IN === 0 ? "thread" : "here"),
  );
  const ended = await Promise.all(workers);
  expect(ended.map(({ code, errors }) => `${code}${errors}`)).toEqual(ended.map(() => "0"));
  expect(ended.map(({ said }) => said).join("")).toBe("made it: null\n");
  const log = openSqliteLog(path);
  for (let index = 0; index < PROCESSES; index++) {
    const entries = await log.entries(`run-${index}`);
    expect(entries.map(({ data }) => data?.["number"])).toEqual(entries.map((_, number) => number));
    expect(entries).toHaveLength(COMMITS);
  }
  expect(await log.messages("shared")).toHaveLength(PROCESSES);
  expect(await log.history(0, PROCESSES * COMMITS + 1)).toHaveLength(PROCESSES * COMMITS);
  expect(await log.findBreak()).toBeNull();
  await log.close();
});

interface Ended {
  readonly code: number | null;
  readonly said: string;
  readonly errors: string;
}

function runWorker(path: string, name: string, writer: "thread" | "here"): Promise<Ended> {
  const script = join(import.meta.dirname, "store-many-processes-worker.ts");
  const child = spawn(process.execPath, [script, path, name, String(COMMITS), writer], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let errors = "";
  child.stdout.on("data", (text) => (said += String(text)));
  child.stderr.on("data", (text) => (errors += String(text)));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, said, errors })));
}
