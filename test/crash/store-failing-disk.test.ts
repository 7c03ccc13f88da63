import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { reasonToSkip } from "./store-strace.ts";

const FAILED_CALLS = Number(process.env["BATON_FAILED_CALLS"] ?? 500);
/** With another seed other calls fail, in between. */
const SHIFT = (Number(process.env["BATON_SEED"] ?? 0) * 0.618_034) % 1;
/** Per kind of fault; most of them meet many failing calls. */
const PROCESSES = Math.ceil(FAILED_CALLS / 56);
const COMMITS = 20;
const AT_ONCE = 2;

/** What each call can answer when the disk, its driver or the kernel fails. */
const FAULTS = [
  ["pwrite64", "EIO"],
  ["pwrite64", "ENOSPC"],
  ["fsync", "EIO"],
  ["pread64", "EIO"],
  ["ftruncate", "EIO"],
  ["openat", "EACCES"],
  ["openat", "EMFILE"],
  ["fcntl", "EIO"],
  ["unlink", "EIO"],
  ["mmap", "ENOMEM"],
] as const;

/** When locks fail for ever, SQLite tries each for ten seconds: true, but too slow for a test. */
const ONLY_ONCE = "fcntl";

interface Injection {
  readonly call: string;
  readonly error: string;
  /** Which call fails, counted from the start: `5` the fifth, `5+` all from then on, `5+7` every seventh from then on. */
  readonly when: string;
}

describe.skipIf(reasonToSkip("strace") !== null)("a disk that fails", () => {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-failing-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("once, for ever or now and then is never acknowledged as if it had not", { timeout: 900_000 }, async () => {
    const waiting = await planInjections();
    const wrong: string[] = [];
    let failedCalls = 0;
    const work = async (worker: number): Promise<void> => {
      for (let injection = waiting.pop(); injection !== undefined; injection = waiting.pop()) {
        const seen = await runWith(injection, worker);
        failedCalls += seen.failedCalls;
        const problem = await whatIsWrong(injection, seen, worker);
        if (problem !== null) wrong.push(`${injection.call}:${injection.error}:${injection.when}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => work(worker)));
    console.log(`${failedCalls} calls failed in ${PROCESSES * FAULTS.length} processes`);
    expect(wrong).toEqual([]);
    expect(failedCalls).toBeGreaterThanOrEqual(FAILED_CALLS);
  });

  it.each([
    ["", []],
    [", also while the process has another connection", ["beside"]],
  ])("does not hold a lock for ever that it did not take back%s", async (_how, more) => {
    const { trace } = await runWith(null, 0, more);
    const calls = trace.split("\n").filter((line) => line.startsWith("fcntl("));
    // The lock of who writes, in a log in which writes were acknowledged before and will be after.
    const unlocks = calls.flatMap((call, index) => (/F_UNLCK.*l_start=120,/.test(call) ? [index + 1] : []));
    const injection = { call: "fcntl", error: "EIO", when: String(unlocks[unlocks.length >> 1]) };
    const seen = await runWith(injection, 0, more);
    expect(seen.said).toContain("REFUSED busy");
    expect(await whatIsWrong(injection, seen, 0)).toBeNull();
  });

  /** Spread over all calls that an undisturbed process makes. */
  async function planInjections(): Promise<Injection[]> {
    const { trace } = await runWith(null, 0);
    return FAULTS.flatMap(([call, error]) => {
      const calls = trace.split("\n").filter((line) => line.startsWith(`${call}(`)).length;
      expect(calls, call).toBeGreaterThan(0);
      return Array.from({ length: PROCESSES }, (_, index) => {
        const nth = 1 + Math.floor(((index + SHIFT) * calls) / PROCESSES);
        const repeats = ["", call === ONLY_ONCE ? "" : "+", `+${7 + 4 * index}`];
        return { call, error, when: `${nth}${repeats[index % repeats.length]}` };
      });
    });
  }

  async function runWith(injection: Injection | null, worker: number, more: readonly string[] = []): Promise<Seen> {
    const place = join(folder, String(worker));
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    const trace = join(folder, `${worker}.trace`);
    const paths = ["", "-wal", "-shm", "-journal"].flatMap((name) => ["-P", join(place, `log.db${name}`)]);
    const calls = `trace=${[...new Set(FAULTS.map(([call]) => call))].join()}`;
    const { call, error, when } = injection ?? {};
    const inject = injection === null ? [] : ["-e", `inject=${call}:error=${error}:when=${when}`];
    const script = join(import.meta.dirname, "store-failing-disk-worker.ts");
    const args = ["-o", trace, ...paths, "-P", place, "-e", calls, ...inject, process.execPath, script];
    const ended = await endOf(["strace", ...args, join(place, "log.db"), String(COMMITS), ...more]);
    const text = readFileSync(trace, "latin1");
    return { ...ended, trace: text, failedCalls: text.split("(INJECTED)").length - 1 };
  }

  async function whatIsWrong({ when }: Injection, seen: Seen, worker: number): Promise<string | null> {
    if (seen.code !== 0 || seen.errors !== "") return `ended with ${seen.code}: ${seen.errors}`;
    const acknowledged = [...seen.said.matchAll(/^ACK (\d+)$/gm)].map(([, number]) => Number(number));
    if (!when.includes("+") && acknowledged.at(-1) !== COMMITS) return `did not go on: ${seen.said}`;
    const path = join(folder, String(worker), "log.db");
    return acknowledged.length === 0 && !existsSync(path) ? null : await missing(path, acknowledged);
  }
});

interface Ended {
  readonly code: number | null;
  readonly said: string;
  readonly errors: string;
}

interface Seen extends Ended {
  readonly trace: string;
  readonly failedCalls: number;
}

function endOf([command = "", ...args]: readonly string[]): Promise<Ended> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let errors = "";
  child.stdout.on("data", (text) => (said += String(text)));
  child.stderr.on("data", (text) => (errors += String(text)));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, said, errors })));
}

/** After the fault: a whole database with everything in it that was acknowledged. */
async function missing(path: string, acknowledged: readonly number[]): Promise<string | null> {
  const log = openSqliteLog(path);
  try {
    const stored = new Set((await log.entries("run")).map(({ data }) => data?.["number"]));
    const lost = acknowledged.filter((number) => !stored.has(number));
    if (lost.length > 0) return `acknowledged but lost: ${lost.join()}`;
    return (await log.findBreak())?.message ?? integrity(path);
  } finally {
    await log.close();
  }
}

function integrity(path: string): string | null {
  const database = new DatabaseSync(path, { readOnly: true });
  const found = database.prepare("PRAGMA integrity_check").get()?.["integrity_check"];
  database.close();
  return found === "ok" ? null : String(found);
}
