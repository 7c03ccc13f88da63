import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { describeKnowledgeEvidence } from "./knowledge-store-evidence.ts";
import { describeKnowledgeQueries } from "./knowledge-store-queries.ts";
import { describeKnowledgeStore } from "./knowledge-store.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-knowledge-"));
afterAll(() => rmSync(folder, { recursive: true }));
let opened = 0;
const open = (): ReturnType<typeof openKnowledgeStore> => openKnowledgeStore(join(folder, `${opened++}.db`));

describeKnowledgeStore("SQLite", open);
describeKnowledgeQueries("SQLite", open);
describeKnowledgeEvidence("SQLite", open);
