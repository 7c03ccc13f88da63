import type { LogSnapshot } from "../../ports/log-snapshot.ts";
import type { PostgresConnections } from "./connection.ts";

export async function openSnapshot(connections: PostgresConnections): Promise<LogSnapshot> {
  throw new Error(`not yet ${connections.schema}`);
}
