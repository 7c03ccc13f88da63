import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddedDriver } from "../../src/drivers/embedded/embedded-driver.ts";
import { startRun } from "../../src/runtime/operations/start-run.ts";
import { sendInput } from "../../src/runtime/operations/send-input.ts";
import { openMemoryLog } from "../memory-log/open-memory-log.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { describeDriver, handoff, machineWith, newFailingRun, newRun } from "./driver.ts";

describeDriver({
  name: "embedded, in memory",
  openLog: openMemoryLog,
  drive: (ports) => embeddedDriver(ports, { pollTime: 10 }),
});

describeDriver({
  name: "embedded, on SQLite",
  openLog() {
    const folder = mkdtempSync(join(tmpdir(), "baton-driver-"));
    const log = openSqliteLog(join(folder, "baton.db"));
    onTestFinished(async () => {
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    });
    return log;
  },
  drive: (ports) => embeddedDriver(ports, { pollTime: 10 }),
});

describe("a run that the embedded driver is asked to go on with", () => {
  const promised = (): [Promise<void>, () => void] => {
    let keep = (): void => undefined;
    return [new Promise<void>((resolve) => (keep = resolve)), () => keep()];
  };
  const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

  it("is driven once, also when it was just found among others", async () => {
    const log = openMemoryLog();
    const [looked, endLook] = promised();
    const ports = machineWith(log, async () => looked.then(() => handoff()));
    const leases = [await startRun(ports, newRun), await startRun(ports, newRun)];
    for (const lease of leases) await log.release(lease);
    const [found = "", other = ""] = await log.idleRuns(Date.now(), 2);
    const troubles: unknown[] = [];
    const driver = embeddedDriver(ports, {
      pollTime: 10,
      mayDrive: async (run) => run === found || looked.then(() => true),
      watch: (news) => void (news.kind === "trouble" && troubles.push(news.message)),
    });
    onTestFinished(() => driver.stop());
    while ((await log.run(found))?.lease === null) await soon();
    expect(await Promise.all([driver.resume(found), driver.resume(found)])).toEqual([true, true]);
    endLook();
    for (const run of [found, other]) expect(await driver.settled(run)).toMatchObject({ status: "completed" });
    expect(troubles).toEqual([]);
  });

  it("goes on although the driver still puts it away", async () => {
    const log = openMemoryLog();
    let calls = 0;
    const ports = machineWith(log, () => (++calls === 1 ? "nothing" : handoff()));
    const [delivered, deliver] = promised();
    const telemetry = { ...ports.telemetry, settle: () => delivered.then(() => null) };
    const driver = embeddedDriver(Object.create(ports, { telemetry: { value: telemetry } }), { pollTime: 10 });
    onTestFinished(async () => {
      deliver();
      await driver.stop();
    });
    const run = await driver.start(newFailingRun);
    while ((await log.run(run))?.lease !== null) await soon();
    expect(await log.run(run)).toMatchObject({ status: "failed", finished: true });
    await sendInput(ports, run, { kind: "retry-run", by: "ada", note: null });
    expect(await driver.resume(run)).toBe(true);
    while ((await log.run(run))?.lease !== null) await soon();
    expect(await log.run(run)).toMatchObject({ status: "completed" });
  });
});
