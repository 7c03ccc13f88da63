import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { describeKnowledge } from "./knowledge-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-knowledge-"));
afterAll(() => rmSync(folder, { recursive: true }));
let opened = 0;
const open = (): ReturnType<typeof openKnowledgeStore> => openKnowledgeStore(join(folder, `${opened++}.db`));

describeKnowledge("SQLite", open, () => {
  const path = join(folder, `${opened++}.db`);
  return [openKnowledgeStore(path), openKnowledgeStore(path)];
});
