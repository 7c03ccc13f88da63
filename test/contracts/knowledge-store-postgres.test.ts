import { afterAll, beforeAll, describe } from "vitest";
import type { KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { describePostgresRows } from "./knowledge-postgres-rows.ts";
import { describePostgresSeals } from "./knowledge-postgres-seals.ts";
import { describePostgresSize } from "./knowledge-postgres-size.ts";
import { describeKnowledgeSearch } from "./knowledge-search.ts";
import { describeKnowledgeEvidence } from "./knowledge-store-evidence.ts";
import { describeKnowledgeQueries } from "./knowledge-store-queries.ts";
import { describeSharedKnowledge } from "./knowledge-store-sharing.ts";
import { describeKnowledgeStore } from "./knowledge-store.ts";
import { PostgresRoom } from "./postgres-room.ts";

describe.skipIf(whyNoPostgres !== null)("knowledge on a server", () => {
  let server: TestPostgres;
  let room: PostgresRoom;
  beforeAll(async () => {
    server = await startPostgres();
    room = new PostgresRoom(await server.database());
  });
  afterAll(async () => {
    await room.close();
    await server.stop();
  });

  const open = async (): Promise<KnowledgeStore> => {
    await room.empty();
    return room.open();
  };

  // Each in a group of its own, so that its hooks are for its own tests alone.
  for (const suite of [
    describeKnowledgeStore,
    describeKnowledgeQueries,
    describeKnowledgeEvidence,
    describeKnowledgeSearch,
  ])
    describe("one store", () => suite("Postgres", open));
  describe("two stores", () => describeSharedKnowledge("Postgres", async () => [await open(), await room.open()]));
  describePostgresRows(
    () => room,
    () => server,
  );
  describe("with a key", () => describePostgresSeals(() => room));
  describe("of some size", () => describePostgresSize(() => room));
});
