import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogSigner } from "../../src/ports/log-signer.ts";
import { fileLogSigner } from "../../src/stores/signer/file-log-signer.ts";
import type { MoveEnd } from "../../src/stores/moving/move-ends.ts";
import { moveLog, type MoveOptions, type MoveOutcome } from "../../src/stores/moving/move-log.ts";
import { postgresEnd } from "../../src/stores/postgres/move-postgres.ts";
import { sqliteEnd } from "../../src/stores/sqlite/move-sqlite.ts";

let moves = 0;

/** A state folder with a log, and a schema of its own in a database. */
export interface MoveRoom {
  readonly folder: string;
  /** The file of the log. */
  readonly path: string;
  readonly knowledge: string;
  readonly place: { readonly url: string; readonly schema: string };
  readonly signer: LogSigner;
  sqlite(): MoveEnd;
  postgres(): MoveEnd;
  /** One after the other; each end is closed afterwards. */
  toPostgres(changes?: Partial<MoveOptions>): Promise<MoveOutcome>;
  toSqlite(changes?: Partial<MoveOptions>): Promise<MoveOutcome>;
  remove(): void;
}

export function newMoveRoom(url: string, bytes: Uint8Array | null, signer?: LogSigner): MoveRoom {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-moving-"));
  const path = join(folder, "state", "baton.db");
  mkdirSync(join(folder, "state"));
  if (bytes !== null) writeFileSync(path, bytes);
  const knowledgePath = join(folder, "state", "knowledge.db");
  const place = { url, schema: `moved_${++moves}` };
  const logSigner =
    signer ?? fileLogSigner({ folder: join(folder, "config"), place: path, forbidden: [join(folder, "state")] });
  const isGone = (worker: string): boolean => worker === "worker";
  const sqlite = (): MoveEnd => sqliteEnd({ path, knowledge: knowledgePath, isGone });
  const postgres = (): MoveEnd => postgresEnd({ ...place, isGone });
  const move = async (from: MoveEnd, to: MoveEnd, changes: Partial<MoveOptions> = {}): Promise<MoveOutcome> => {
    const trust: MoveOptions["trust"] = (log) => ({ keys: logSigner.keys(), seen: logSigner.seen(log) });
    try {
      return await moveLog({ from, to, move: `move-${++moves}`, at: 1_790_000_000_000, trust, ...changes });
    } finally {
      await from.close();
      await to.close();
    }
  };
  return {
    folder,
    path,
    knowledge: knowledgePath,
    place,
    signer: logSigner,
    sqlite,
    postgres,
    toPostgres: (changes) => move(sqlite(), postgres(), changes),
    toSqlite: (changes) => move(postgres(), sqlite(), changes),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
