import { createServer } from "node:net";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../ports/sqlite.ts";
import { BuiltinFailure } from "./builtin-job.ts";

interface PortRequest {
  readonly first: number;
  readonly step: number;
  isRunOver(run: string): Promise<boolean>;
}

/**
 * Ports that runs have for their development servers: one for each run, no two runs the same. A transaction of
 * SQLite decides, so a process that is killed leaves either a lease or none.
 */
export class PortLeases {
  readonly #path: string;

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, "ports.db");
  }

  /** The run's own port, if it has one already; leases of runs that are over are taken over. */
  async lease(run: string, request: PortRequest): Promise<number> {
    return this.#change(async (database) => {
      const own = database.prepare("SELECT port FROM leases WHERE run = ?").get(run);
      if (own !== undefined) return Number(own["port"]);
      for (let port = request.first + request.step; port <= LAST_PORT; port += request.step) {
        const holder = database.prepare("SELECT run FROM leases WHERE port = ?").get(port);
        if (holder !== undefined && !(await request.isRunOver(String(holder["run"])))) continue;
        if (!(await isFree(port))) continue;
        database.prepare("INSERT OR REPLACE INTO leases (port, run) VALUES (?, ?)").run(port, run);
        return port;
      }
      const message = `no port after ${request.first} in steps of ${request.step} is free`;
      throw new BuiltinFailure("NoFreePort", message, "End what holds the ports, or name others: options.ports");
    });
  }

  /** Also when there is none. */
  async release(run: string): Promise<void> {
    await this.#change(async (database) => {
      database.prepare("DELETE FROM leases WHERE run = ?").run(run);
    });
  }

  async #change<T>(change: (database: DatabaseSync) => Promise<T>): Promise<T> {
    const database = openDatabase(this.#path, { timeout: MAX_WAIT });
    try {
      database.exec("PRAGMA synchronous = FULL");
      database.exec("BEGIN IMMEDIATE");
      database.exec("CREATE TABLE IF NOT EXISTS leases (port INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE) STRICT");
      const result = await change(database);
      database.exec("COMMIT");
      return result;
    } finally {
      // What was not committed is undone.
      database.close();
    }
  }
}

const LAST_PORT = 65_535;
/** Longer than anybody looks for a port. */
const MAX_WAIT = 60_000;

async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, "0.0.0.0")) && (await canListen(port, "127.0.0.1"));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
