import type { KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { migrate } from "../../src/stores/postgres/migrate.ts";
import { openPostgresKnowledge } from "../../src/stores/postgres-knowledge/open-postgres-knowledge.ts";
import { KNOWLEDGE_TABLES } from "../../src/stores/postgres-knowledge/tables.ts";

type Rows = Awaited<ReturnType<PostgresConnections["all"]>>;

/** A database for the stores of one test after the other, and a way around the store. */
export class PostgresRoom {
  readonly url: string;
  readonly #connections: PostgresConnections;
  #isMigrated = false;

  constructor(url: string) {
    this.url = url;
    this.#connections = new PostgresConnections({ url, connections: 1 });
  }

  /** Tables as they are after the migrations: making them again takes longer. */
  async empty(): Promise<void> {
    if (!this.#isMigrated) await migrate(this.#connections, KNOWLEDGE_TABLES);
    this.#isMigrated = true;
    const tables = await this.#connections.all(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'baton' AND tablename LIKE 'knowledge_%'",
    );
    const deletes = tables.map(({ name }) => `DELETE FROM baton.${String(name)};`).join(" ");
    await this.edit(`${deletes} INSERT INTO baton.knowledge_ledger DEFAULT VALUES`);
  }

  open(options?: Parameters<typeof openPostgresKnowledge>[1]): Promise<KnowledgeStore> {
    return openPostgresKnowledge({ url: this.url, connections: 2 }, options);
  }

  /** As somebody with another program would, against every reference between the tables. */
  async edit(...statements: readonly string[]): Promise<void> {
    await this.#connections.execute(
      `BEGIN; SET LOCAL session_replication_role = replica; ${statements.join("; ")}; COMMIT`,
    );
  }

  ask(sql: string, values: readonly (string | number)[] = []): Promise<Rows> {
    return this.#connections.all(sql, values);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
