import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { factMarkOf, type KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { change, fact, ids, lesson } from "./knowledge-store-lessons.ts";

type Pair = readonly [KnowledgeStore, KnowledgeStore];

/** Opens two stores on the same facts, of which there are none. */
export type OpenTwo = () => Pair | Promise<Pair>;

/** What two stores with connections of their own keep to when they work on the same facts at once (7). */
export function describeSharedKnowledge(name: string, openTwo: OpenTwo): void {
  let one: KnowledgeStore;
  let other: KnowledgeStore;
  beforeEach(async () => {
    [one, other] = await openTwo();
  });
  afterEach(async () => {
    await one.close();
    await other.close();
  });

  /** What was done at once left nothing that does not fit together. */
  async function expectWhole(): Promise<void> {
    expect(await other.check()).toMatchObject({ problems: [], altered: [] });
    const facts = await one.page(null, 1_000);
    expect(await other.page(null, 1_000)).toEqual(facts);
    expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length);
  }

  describe(`${name}: two at once`, () => {
    it("learn the same handoff once (1)", async () => {
      const learned = lesson(1, ["Cache the schema", "Never mock the clock", "Mock the clock"]);
      const both = await Promise.all([one, other, one, other].map((store) => store.learn(learned)));
      for (const facts of both) expect(facts).toEqual(both[0]);
      expect(both[0]?.map(({ witnesses }) => witnesses.length)).toEqual([1, 1, 1]);
      expect(await one.history("pattern-001")).toHaveLength(1);
      await expectWhole();
    });

    it("learn the same statement from different handoffs as one fact with all its sources (2)", async () => {
      const handoffs = Array.from({ length: 24 }, (_, at) => at + 1);
      await Promise.all(
        handoffs.map((number) =>
          (number % 2 === 0 ? one : other).learn(lesson(number, ["Everybody says this", `Only ${number}q says this`])),
        ),
      );
      const [shared] = (await one.search({ text: "everybody", max: 9 })).map(({ fact: found }) => found);
      expect(shared?.witnesses.map(({ task }) => task).toSorted()).toEqual(
        handoffs.map((number) => `task-${number}`).toSorted(),
      );
      const facts = await one.page(null, 99);
      expect(facts).toHaveLength(25);
      expect(facts.map(({ id }) => Number(id.slice(-3))).toSorted((a, b) => a - b)).toEqual(
        facts.map((_, at) => at + 1),
      );
      await expectWhole();
    });

    it("link what they say against each other, and give no id twice (2, 3)", async () => {
      const wish = (text: string): ReturnType<typeof fact> => fact(text, { id: "pattern-007" });
      const [[left], [right]] = await Promise.all([
        one.learn(lesson(1, [wish("Mock the clock")])),
        other.learn(lesson(2, [wish("Never mock the clock")])),
      ]);
      expect(new Set([left?.id, right?.id])).toEqual(new Set(["pattern-001", "pattern-007"]));
      expect((await one.find(left?.id ?? ""))?.opposes).toEqual([right?.id]);
      expect((await one.find(right?.id ?? ""))?.opposes).toEqual([left?.id]);
      await expectWhole();
    });

    it("trust, answer and count help once", async () => {
      const question = fact("Which issuer signs?", { kind: "question", isBlocking: true });
      await one.learn(lesson(1, ["Say it", question], { status: "quarantined" }));
      const twice = async (work: (store: KnowledgeStore) => Promise<number>): Promise<number[]> =>
        (await Promise.all([work(one), work(other)])).toSorted((a, b) => a - b);
      expect(await twice((store) => store.trust("run", "step-1", 9))).toEqual([0, 2]);
      const given = [{ id: "pattern-001", said: factMarkOf("Say it") }];
      expect(await twice((store) => store.countHelp("run", "s1", given))).toEqual([0, 1]);
      const answer = { run: "run", step: "step-1", answer: "ada: the second", by: "ada", at: 50 };
      expect(await twice((store) => store.answer(answer))).toEqual([0, 1]);
      await expectWhole();
    });

    it("merge, edit and retire while the other one learns the same statements", async () => {
      await one.learn(lesson(1, ["Use tabs", "Indent with tabs", "Use blanks"]));
      await Promise.all([
        one.change(change("pattern-001", { kind: "merge", into: "pattern-002" })),
        other.learn(lesson(2, ["Use tabs", "Use no tabs"])),
        one.change(change("pattern-003", { kind: "edit", fields: { text: "Use commas" } })),
        other.learn(lesson(3, ["Use tabs", "Use blanks"])),
        one.change(change("pattern-002", { kind: "retire" })),
        other.learn(lesson(4, ["Indent with tabs"])),
      ]);
      const tabs = await one.find("pattern-002");
      expect(tabs?.status).toBe("retired");
      expect(tabs?.witnesses.map(({ task }) => task).toSorted()).toEqual([
        "task-1",
        "task-1",
        "task-2",
        "task-3",
        "task-4",
      ]);
      await expectWhole();
    });

    it("find at once what the other one has learned", async () => {
      await one.learn(lesson(1, ["Rotate keys"]));
      expect(await ids(other.search({ text: "rotating key", max: 9 }))).toEqual(["pattern-001"]);
      await other.change(change("pattern-001", { kind: "edit", fields: { text: "Rotate logs" } }));
      expect(await ids(one.search({ text: "logs", max: 9 }))).toEqual(["pattern-001"]);
      expect(await ids(one.search({ text: "keys", max: 9 }))).toEqual([]);
    });
  });
}
