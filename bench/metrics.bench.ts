import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventLog } from "../src/ports/event-log.ts";
import { type MeasureFilter, measureRuns } from "../src/runtime/operations/measure-runs.ts";
import { openSqliteLog } from "../src/stores/sqlite/open-sqlite-log.ts";
import { always, buildAgent, buildWorkflow, go } from "../test/workflow/build-workflow.ts";
import { StoredRun } from "../test/workflow/stored-run.ts";
import { type Bar, printTime } from "./bar.ts";

const RUNS = 10_000;
const AT_ONCE = 200;
const FIRST = 1_790_000_000_000;
const BETWEEN = 600_000;
const AGENTS = ["Architect", "Builder", "Tester", "Reviewer", "Documenter"];

/** CPU time: what a page of metrics takes from the server that shows it. */
export async function run(report: (bar: Bar) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-metrics-"));
  const log = openSqliteLog(join(folder, "runs.db"));
  try {
    const events = await fill(log);
    const first = await timeOf(log, {});
    report(bar(`metrics of ${RUNS} runs, read for the first time, per event`, first / events / 1e3, 50, "us", first));
    const again = await timeOf(log, {});
    report(bar("the same again, nothing has happened", again / 1e6, 100, "ms", again));
    const other = await timeOf(log, { agent: "Reviewer" });
    report(bar("the same by another filter, nothing is read again", other / 1e6, 500, "ms", other));
    const recent = await timeOf(log, { since: FIRST + (RUNS - 100) * BETWEEN });
    report(bar("the last 100 of them", recent / 1e6, 100, "ms", recent));
  } finally {
    await log.close();
    rmSync(folder, { recursive: true });
  }
}

function bar(what: string, figure: number, max: number, unit: string, nanoseconds: number): Bar {
  return { what, ours: printTime(nanoseconds), baseline: "-", figure, max, unit };
}

async function timeOf(log: EventLog, filter: MeasureFilter): Promise<number> {
  const before = process.cpuUsage();
  await measureRuns({ log }, filter);
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1e3;
}

/** Gives the number of events. */
async function fill(log: EventLog): Promise<number> {
  const routes = (index: number) => ({
    done: index + 1 < AGENTS.length ? go(AGENTS[index + 1] ?? "") : always({ kind: "end" }),
  });
  const workflow = buildWorkflow(
    AGENTS.map((name, index) => buildAgent(name, { routes: routes(index) })),
    { name: "shop" },
  );
  let events = 0;
  for (let first = 0; first < RUNS; first += AT_ONCE) {
    const runs = Array.from({ length: AT_ONCE }, (_, index) => aRun(workflow, first + index));
    await Promise.all(runs.map((each) => each.store(log)));
    for (const { history } of runs) events += history.length;
  }
  return events;
}

function aRun(workflow: ReturnType<typeof buildWorkflow>, number: number): StoredRun {
  const stored = new StoredRun(`run-${number}`, workflow, FIRST + number * BETWEEN);
  const judgements = Array.from({ length: 8 }, (_, index) => ({
    kind: "file" as const,
    where: `work.modified.${index}`,
    says: `The file src/part-${index}.ts was modified.`,
    verdict: "confirmed" as const,
    procedure: "look at the file in the workspace",
    evidence: "It was changed.",
  }));
  const metrics = { tests: "25/25", coverage: `9${number % 10}%`, time: "8m 45s", lines: number, files: 3 };
  const usage = { milliseconds: 60_000, tokens: 1_000, money: null };
  for (const agent of AGENTS)
    stored.after(60_000).handIn({ summary: `${agent} is done. `.repeat(30), metrics }, "main", { usage, judgements });
  return stored;
}
