import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type KnowledgeStore, factMarkOf } from "../../src/ports/knowledge-store.ts";
import { contentOf, fact, lesson, place, type OpenKnowledge } from "./knowledge-store-lessons.ts";

/** What makes a statement another one, a source and a proof. The numbers are those of the invariants. */
export function describeKnowledgeEvidence(name: string, open: OpenKnowledge): void {
  let store: KnowledgeStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  describe(`${name}: evidence`, () => {
    it("does not merge what only looks alike (2)", async () => {
      const pairs = ["Retry over 5 s", "Retry under 5 s", "Retry over 5 ms", "Clients may retry", "Clients must retry"];
      const learned = await store.learn(lesson(1, pairs));
      expect(new Set(learned.map(({ id }) => id)).size).toBe(pairs.length);
      expect(learned.flatMap(({ opposes }) => opposes)).toEqual([]);
    });

    it("takes no repeated packet for a second source, nor for a proof (5)", async () => {
      const unproven = { status: "quarantined" } as const;
      const [first] = await store.learn(lesson(1, ["Use tabs"], unproven));
      const given = [{ id: "pattern-001", said: factMarkOf("Use tabs") }];
      const again = lesson(2, [fact("Use the tabs", { detail: "Always" }), "Use no hooks"], { ...unproven, given });
      expect((await store.learn(again))[0]).toEqual(first);
      await store.trust("run", "step-2", 9);
      expect(await store.find("pattern-001")).toEqual(first);
      expect(await store.find("pattern-002")).toMatchObject({ status: "trusted" });
      // The task is still known to have said it, and learning it again changes nothing.
      expect((await store.tasks({ kind: "pattern", max: 9 })).map(({ id }) => id)).toContain("task-2");
      expect(await store.taught({ run: "run", task: "task-2", handoff: "handoff-2" })).toHaveLength(2);
      const before = await contentOf(store);
      await store.learn(again);
      expect(await contentOf(store)).toEqual(before);
      const [third] = await store.learn(lesson(3, ["Use tabs"]));
      expect(third).toMatchObject({ status: "trusted" });
      expect(third?.witnesses.map(({ task }) => task)).toEqual(["task-1", "task-3"]);
    });

    it("trusts a statement by its own place, and never one whose place was not found (5)", async () => {
      const named = { place: place("src/a.ts") };
      const facts = [
        fact("Amounts are cents", { ...named, ownPlace: "confirmed" }),
        fact("Ghosts are real", { ...named, ownPlace: "unconfirmed" }),
        fact("Carts are shared"),
      ];
      const learned = await store.learn(lesson(1, facts, { status: "quarantined" }));
      expect(learned.map(({ status }) => status)).toEqual(["trusted", "quarantined", "quarantined"]);
      expect(learned[1]).toMatchObject({ unconfirmedPlace: "src/a.ts" });
      expect(await store.trust("run", "step-1", 9)).toBe(1);
      const now = await Promise.all(learned.map(async ({ id }) => (await store.find(id))?.status));
      expect(now).toEqual(["trusted", "quarantined", "trusted"]);
      const [said] = await store.learn(lesson(2, [fact("Ghosts are real", { ...named, ownPlace: "confirmed" })]));
      expect(said).toMatchObject({ status: "trusted" });
      expect(said).not.toHaveProperty("unconfirmedPlace");
    });
  });
}
