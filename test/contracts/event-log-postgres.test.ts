import { afterAll, beforeAll, describe } from "vitest";
import type { EventLog } from "../../src/ports/event-log.ts";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { LOG_TABLES } from "../../src/stores/postgres/log-tables.ts";
import { migrate } from "../../src/stores/postgres/migrate.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { describeEventLog } from "./event-log.ts";
import { describePruning } from "./pruning.ts";
import { describeRunLists } from "./run-lists.ts";

describe.skipIf(whyNoPostgres !== null)("an event log on Postgres", () => {
  let server: TestPostgres;
  let url = "";
  let opened = 0;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  const open = async (): Promise<EventLog> => {
    const place = { url, schema: `log_${++opened}` };
    const connections = new PostgresConnections(place);
    await migrate(connections, LOG_TABLES);
    await connections.close();
    return openPostgresLog(place);
  };

  describeEventLog("Postgres", open);
  describeRunLists("Postgres", open);
  describePruning("Postgres", open);
});
