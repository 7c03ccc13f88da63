import type { EventLog } from "../../src/ports/event-log.ts";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { LOG_TABLES } from "../../src/stores/postgres/log-tables.ts";
import { migrate } from "../../src/stores/postgres/migrate.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";

let opened = 0;

/** A place for a log of its own, with its tables. */
export async function newLogPlace(url: string): Promise<{ readonly url: string; readonly schema: string }> {
  const place = { url, schema: `log_${++opened}` };
  const connections = new PostgresConnections(place);
  await migrate(connections, LOG_TABLES);
  await connections.close();
  return place;
}

export async function openNewPostgresLog(url: string): Promise<EventLog> {
  return openPostgresLog(await newLogPlace(url));
}
