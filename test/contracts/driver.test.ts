import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { embeddedDriver } from "../../src/drivers/embedded/embedded-driver.ts";
import { openMemoryLog } from "../../src/stores/memory/open-memory-log.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { describeDriver } from "./driver.ts";

describeDriver({
  name: "embedded, in memory",
  openLog: openMemoryLog,
  drive: (machine) => embeddedDriver(machine, { pollTime: 10 }),
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
  drive: (machine) => embeddedDriver(machine, { pollTime: 10 }),
});
