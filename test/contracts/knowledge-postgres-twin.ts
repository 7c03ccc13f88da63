import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FACT_KINDS, FACT_STATUSES } from "../../src/knowledge/fact.ts";
import { StoreError } from "../../src/ports/event-log.ts";
import {
  factMarkOf,
  type FactChange,
  type KnowledgeStore,
  type LearnedBatch,
} from "../../src/ports/knowledge-store.ts";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { Random } from "../simulation/random.ts";
import { change, cited, contentOf, fact, lesson, place } from "./knowledge-store-lessons.ts";
import type { PostgresRoom } from "./postgres-room.ts";

const OPERATIONS = 120;
const WORDS = "cache schema clock token mock rotate keys tabs blanks retry parseUrl sessions".split(" ");

/** What one operation answers, or the code of its refusal. */
type Operation = (store: KnowledgeStore) => Promise<unknown>;

/** The same random work on both stores: few words, so that statements meet, oppose each other and are merged. */
export class RandomWork {
  readonly #random: Random;
  #lessons = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  #one<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[this.#random.below(list.length)] as T;
  }

  #isOften(percent: number): boolean {
    return this.#random.below(100) < percent;
  }

  #text(): string {
    const words = Array.from({ length: 1 + this.#random.below(2) }, () => this.#one(WORDS));
    return `${this.#one(["Use", "Never use", "Do", "Do not"])} ${words.join(" ")}`;
  }

  #id(): string {
    return `${this.#one(["pattern", "gotcha", "question"])}-00${1 + this.#random.below(9)}`;
  }

  #batch(): LearnedBatch {
    const number = this.#isOften(15) ? 1 + this.#random.below(this.#lessons + 1) : ++this.#lessons;
    const facts = Array.from({ length: this.#random.below(5) }, (_, at) =>
      fact(this.#text(), {
        kind: this.#one(["pattern", "gotcha", "question"]),
        id: this.#isOften(30) ? this.#id() : null,
        tags: this.#isOften(50) ? [this.#one(WORDS)] : [],
        detail: this.#isOften(30) ? this.#text() : null,
        severity: this.#one([null, "low", "high"]),
        isBlocking: this.#isOften(40),
        place: this.#isOften(40) ? place(`src/${this.#one(WORDS)}.ts`) : null,
        citation: this.#isOften(20) ? cited(`src/${this.#one(WORDS)}.ts`, "x") : null,
        where: `at.${at}`,
        ...(this.#isOften(20) && { ownPlace: this.#one(["confirmed", "unconfirmed"]) }),
      }),
    );
    return lesson(number, facts, {
      status: this.#one(["trusted", "quarantined"]),
      ...(this.#isOften(20) && { given: [{ id: this.#id(), said: factMarkOf(this.#text()) }] }),
      files: [{ path: `src/${this.#one(WORDS)}.ts`, change: "modify", lines: null, purpose: null }],
    });
  }

  #change(): FactChange {
    const id = this.#id();
    const kind = this.#one(["promote", "confirm", "retire", "merge", "merge", "edit", "edit", "cite"]);
    if (kind === "merge") return change(id, { kind, into: this.#id() });
    if (kind === "edit")
      return change(id, { kind, fields: this.#isOften(70) ? { text: this.#text() } : { tags: ["x"] } });
    if (kind === "cite") return change(id, { kind, citation: this.#isOften(50) ? cited("src/moved.ts", "y") : null });
    return change(id, { kind: kind === "retire" ? "retire" : "confirm" });
  }

  write(): Operation {
    const step = `step-${1 + this.#random.below(this.#lessons + 1)}`;
    const at = this.#random.below(100);
    const kind = this.#random.below(10);
    if (kind < 5) {
      const batch = this.#batch();
      return (store) => store.learn(batch);
    }
    if (kind < 7) {
      const done = this.#change();
      return (store) => store.change(done);
    }
    if (kind === 7) return (store) => store.trust("run", step, at);
    if (kind === 8) return (store) => store.answer({ run: "run", step, answer: `ada: ${at}`, by: "ada", at });
    const given = [{ id: this.#id(), said: factMarkOf(this.#text()) }];
    return async (store) => {
      const known = await store.find(given[0]?.id ?? "");
      return store.countHelp("run", step, known === null ? given : [{ id: known.id, said: factMarkOf(known.text) }]);
    };
  }

  read(): Operation {
    const words = Array.from({ length: 1 + this.#random.below(3) }, () => this.#one(WORDS));
    const query = {
      ...(this.#isOften(80) && { text: words.join(" ").slice(0, -this.#random.below(3) || undefined) }),
      ...(this.#isOften(20) && { tags: [this.#one(WORDS)] }),
      ...(this.#isOften(20) && { kinds: [this.#one(FACT_KINDS)] }),
      ...(this.#isOften(20) && { status: [this.#one(FACT_STATUSES)] }),
      ...(this.#isOften(15) && { file: `src/${this.#one(WORDS)}.ts` }),
      ...(this.#isOften(15) && { task: `task-${this.#random.below(9)}` }),
      ...(this.#isOften(15) && { run: "run" }),
      ...(this.#isOften(15) && { since: this.#random.below(50) }),
      max: 1 + this.#random.below(20),
    };
    const task = `task-${this.#random.below(9)}`;
    const name = this.#one(WORDS);
    const nodes = [
      `fact:${this.#id()}`,
      `task:run/${task}`,
      "run:run",
      "agent:Builder",
      `file:src/${name}.ts`,
      `tag:${name}`,
    ] as const;
    const node = this.#one(nodes);
    const files = words.map((word) => `src/${word}.ts`);
    return async (store) => ({
      found: await store.search(query),
      near: (await store.candidates({ tags: words, words, files, tasks: [{ run: "run", task }], max: 5 }))
        .map((one) => one.id)
        .toSorted(),
      around: sorted(await store.neighbours(node, 1, 500)),
      tasks: await store.tasks({ kind: "pattern", max: 5 }),
      totals: await store.totals(),
    });
  }
}

function sorted({ nodes, edges }: Awaited<ReturnType<KnowledgeStore["neighbours"]>>): unknown {
  return {
    nodes: nodes.map((one) => JSON.stringify(one)).toSorted(),
    edges: edges.map((one) => JSON.stringify(one)).toSorted(),
  };
}

export async function answerOf(store: KnowledgeStore, operation: Operation): Promise<unknown> {
  try {
    return await operation(store);
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

/** A server answers what a file answers. */
export function describePostgresTwin(roomOf: () => PostgresRoom): void {
  describe("the file of one machine and the server", () => {
    it.each([1, 2])("answer the same, whatever they are taught (%i)", async (seed) => {
      const folder = mkdtempSync(join(tmpdir(), "baton-twin-"));
      const file = openKnowledgeStore(join(folder, "knowledge.db"));
      await roomOf().empty();
      const server = await roomOf().open();
      const work = new RandomWork(seed);
      for (let at = 0; at < OPERATIONS; at++) {
        const write = work.write();
        expect(await answerOf(server, write), `${at}`).toEqual(await answerOf(file, write));
        if (at % 4 !== 0) continue;
        const read = work.read();
        expect(await answerOf(server, read), `${at}`).toEqual(await answerOf(file, read));
      }
      expect(await contentOf(server)).toEqual(await contentOf(file));
      expect(await server.check()).toMatchObject({ problems: [], altered: [] });
      await Promise.all([file.close(), server.close()]);
      rmSync(folder, { recursive: true });
    });
  });
}
