import { describe } from "vitest";
import { describeKnowledgeSearch } from "./knowledge-search.ts";
import { describeKnowledgeEvidence } from "./knowledge-store-evidence.ts";
import type { OpenKnowledge } from "./knowledge-store-lessons.ts";
import { describeKnowledgeQueries } from "./knowledge-store-queries.ts";
import { describeSharedKnowledge, type OpenTwo } from "./knowledge-store-sharing.ts";
import { describeKnowledgeStore } from "./knowledge-store.ts";

const SUITES = [describeKnowledgeStore, describeKnowledgeQueries, describeKnowledgeEvidence, describeKnowledgeSearch];

/** The whole contract. Each suite is in a group of its own, so that its hooks are for its own tests alone. */
export function describeKnowledge(name: string, open: OpenKnowledge, openTwo: OpenTwo): void {
  for (const suite of SUITES)
    describe("one store", () => {
      suite(name, open);
    });
  describe("two stores", () => {
    describeSharedKnowledge(name, openTwo);
  });
}
