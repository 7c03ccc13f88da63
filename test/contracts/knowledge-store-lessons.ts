import type { Citation, LearnedFact } from "../../src/knowledge/fact.ts";
import { type StoreErrorCode, StoreError } from "../../src/ports/event-log.ts";
import type { FactChange, KnowledgeStore, LearnedBatch } from "../../src/ports/knowledge-store.ts";

/** Opens a store without any facts. */
export type OpenKnowledge = () => KnowledgeStore | Promise<KnowledgeStore>;

type TaughtFact = LearnedBatch["facts"][number];

/** A pattern; its place in the handoff is given by the lesson. */
export function fact(text: string, parts: Partial<TaughtFact> = {}): TaughtFact {
  return {
    kind: "pattern",
    text,
    detail: null,
    severity: null,
    isBlocking: false,
    tags: [],
    where: "",
    id: null,
    place: null,
    citation: null,
    ...parts,
  };
}

/** Lesson n is the handoff n of task n, learned at n. */
export function lesson(
  number: number,
  facts: readonly (TaughtFact | string)[],
  parts: Partial<LearnedBatch> = {},
): LearnedBatch {
  const id = `task-${number}`;
  return {
    source: {
      run: "run",
      task: id,
      step: `step-${number}`,
      agent: "Builder",
      handoff: `handoff-${number}`,
      at: number,
    },
    task: { id, name: `Task ${number}`, status: "completed", dependsOn: [] },
    facts: facts.map((one, at) => placed(typeof one === "string" ? fact(one) : one, `knowledge.patterns.${at}`)),
    files: [],
    status: "trusted",
    ...parts,
  };
}

function placed(one: TaughtFact, where: string): TaughtFact {
  return one.where === "" ? { ...one, where } : one;
}

export function cited(path: string, ...text: string[]): Citation {
  return { path, lines: { first: 1, last: text.length }, text, commit: null };
}

export function place(path: string): LearnedFact["place"] {
  return { path, lines: null };
}

type ChangeParts<T> = T extends FactChange ? Omit<T, "id" | "by" | "at" | "why"> : never;

export function change(id: string, parts: ChangeParts<FactChange>): FactChange {
  return { id, by: "me", at: 100, why: null, ...parts };
}

/** Everything that the store says about a fact, and about all of them. */
export async function contentOf(store: KnowledgeStore): Promise<unknown> {
  const facts = await store.page(null, 1_000);
  const histories = await Promise.all(facts.map(({ id }) => store.history(id)));
  return { facts, histories, tasks: await store.tasks({ max: 99 }), files: await store.files({ max: 99 }) };
}

export async function ids(found: Promise<readonly { readonly fact: { readonly id: string } }[]>): Promise<string[]> {
  return (await found).map(({ fact: { id } }) => id);
}

/** The code of what is refused, null when nothing is. */
export async function refusal(call: Promise<unknown>): Promise<StoreErrorCode | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.code;
  }
}
