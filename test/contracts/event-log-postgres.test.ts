import { afterAll, beforeAll, describe } from "vitest";
import { openNewPostgresLog } from "../postgres/postgres-log.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { describeEventLog } from "./event-log.ts";
import { describePruning } from "./pruning.ts";
import { describeRunLists } from "./run-lists.ts";

describe.skipIf(whyNoPostgres !== null)("an event log on Postgres", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  describeEventLog("Postgres", () => openNewPostgresLog(url));
  describeRunLists("Postgres", () => openNewPostgresLog(url));
  describePruning("Postgres", () => openNewPostgresLog(url));
});
