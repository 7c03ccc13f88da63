import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { describeKnowledgeSearch } from "./knowledge-search.ts";
import { describeKnowledgeEvidence } from "./knowledge-store-evidence.ts";
import { describeKnowledgeQueries } from "./knowledge-store-queries.ts";
import { describeSharedKnowledge } from "./knowledge-store-sharing.ts";
import { describeKnowledgeStore } from "./knowledge-store.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-knowledge-"));
afterAll(() => rmSync(folder, { recursive: true }));
let opened = 0;
const open = (): ReturnType<typeof openKnowledgeStore> => openKnowledgeStore(join(folder, `${opened++}.db`));

// Each in a group of its own, so that its hooks are for its own tests alone.
for (const suite of [
  describeKnowledgeStore,
  describeKnowledgeQueries,
  describeKnowledgeEvidence,
  describeKnowledgeSearch,
])
  describe("one store", () => suite("SQLite", open));
describe("two stores", () =>
  describeSharedKnowledge("SQLite", () => {
    const path = join(folder, `${opened++}.db`);
    return [openKnowledgeStore(path), openKnowledgeStore(path)];
  }));
