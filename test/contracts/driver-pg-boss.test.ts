import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { pgBossDriver } from "../../src/drivers/pg-boss/pg-boss-driver.ts";
import { RunQueue } from "../../src/drivers/pg-boss/run-queue.ts";
import type { SharedLog } from "../../src/ports/shared-log.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import { newLogPlace } from "../postgres/postgres-log.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { describeDriver } from "./driver.ts";

describe.skipIf(whyNoPostgres !== null)("the driver for many hosts", () => {
  let server: TestPostgres;
  let url = "";
  /** Of the log that was opened last: each test has one. */
  let queue = { url: "", schema: "jobs", prefix: "" };
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  describeDriver({
    name: "pg-boss, on Postgres",
    async openLog() {
      const place = await newLogPlace(url);
      queue = { url, schema: "jobs", prefix: place.schema };
      await RunQueue.prepare({ ...queue, notify: () => undefined });
      const log = openPostgresLog(place);
      onTestFinished(() => log.close());
      return log;
    },
    drive(ports) {
      const log = ports.log as SharedLog;
      return pgBossDriver(Object.assign(ports, { log }), { queue, pollTime: 20 });
    },
  });
});
