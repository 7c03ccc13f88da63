import { afterAll, beforeAll, describe } from "vitest";
import type { KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { describePostgresTwin } from "./knowledge-postgres-twin.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { describeKnowledge } from "./knowledge-contract.ts";
import { describePostgresRows } from "./knowledge-postgres-rows.ts";
import { describePostgresSeals } from "./knowledge-postgres-seals.ts";
import { describePostgresSize } from "./knowledge-postgres-size.ts";
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

  describeKnowledge("Postgres", open, async () => [await open(), await room.open()]);
  describePostgresRows(
    () => room,
    () => server,
  );
  describePostgresTwin(() => room);
  describe("with a key", () => {
    describePostgresSeals(() => room);
  });
  describe("of some size", () => {
    describePostgresSize(() => room);
  });
});
