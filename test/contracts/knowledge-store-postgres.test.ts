import { afterAll, beforeAll, describe } from "vitest";
import type { KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { migrate } from "../../src/stores/postgres/migrate.ts";
import { openPostgresKnowledge } from "../../src/stores/postgres-knowledge/open-postgres-knowledge.ts";
import { KNOWLEDGE_TABLES } from "../../src/stores/postgres-knowledge/tables.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { describeKnowledgeEvidence } from "./knowledge-store-evidence.ts";
import { describeKnowledgeQueries } from "./knowledge-store-queries.ts";
import { describeKnowledgeStore } from "./knowledge-store.ts";

describe.skipIf(whyNoPostgres !== null)("knowledge on a server", () => {
  let server: TestPostgres;
  let url: string;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  const open = async (): Promise<KnowledgeStore> => {
    const place = { url, schema: `knowledge_${++schemas}`, connections: 2 };
    const connections = new PostgresConnections(place);
    await migrate(connections, KNOWLEDGE_TABLES);
    await connections.close();
    return openPostgresKnowledge(place);
  };

  describeKnowledgeStore("Postgres", open);
  describeKnowledgeQueries("Postgres", open);
  describeKnowledgeEvidence("Postgres", open);
});
