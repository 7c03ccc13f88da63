import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FACT_KINDS } from "../src/knowledge/fact.ts";
import { keywordsIn, tagsOf } from "../src/knowledge/words.ts";
import type { FactQuery, KnowledgeStore, LearnedBatch, Signals } from "../src/ports/knowledge-store.ts";
import { openKnowledgeStore } from "../src/stores/knowledge/open-knowledge-store.ts";
import { type Bar, printTime, ratioBar } from "./bar.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const ROUNDS = 400;
const WARM_UP = 50;
const FACTS_EACH = 200;
const LESSONS_AT_ONCE = 10;
/** Facts about one matter, the same in both stores: all the others have nothing to do with it. */
const RELEVANT = 200;
const MOST = 40;

interface Stores {
  readonly small: KnowledgeStore;
  readonly large: KnowledgeStore;
}

/** Both stores are filled by the same door as runs use, and then take turns. */
export async function run(report: (bar: Bar) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-knowledge-"));
  try {
    const small = await openFilled(join(folder, "small.db"), FEW);
    const large = await openFilled(join(folder, "large.db"), MANY);
    const chance = new Chance(7);
    const many = <T>(make: (chance: Chance) => T): T[] => Array.from({ length: ROUNDS }, () => make(chance));
    const stores = { small, large };
    const searches = await compare(stores, many(someQuery), (store, query) => store.search(query));
    tellTime(report, "knowledge search", searches);
    const packets = await compare(stores, many(someSignals), (store, signals) => store.candidates(signals));
    tellTime(report, "candidates for a packet", packets);
    const same = await compare(stores, many(signalsOfTheMatter), (store, signals) => store.candidates(signals));
    const what = `candidates, the same ${RELEVANT} relevant among ${MANY.toLocaleString("en")}`;
    report(ratioBar(what, same.many, same.few, 2, `among ${FEW.toLocaleString("en")}, both p95`));
    await small.close();
    await large.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The 95th percentiles, in nanoseconds. */
interface Slowest {
  readonly few: number;
  readonly many: number;
}

async function compare<T>(
  { small, large }: Stores,
  inputs: readonly T[],
  ask: (store: KnowledgeStore, input: T) => Promise<readonly unknown[]>,
): Promise<Slowest> {
  const smallTimes: number[] = [];
  const largeTimes: number[] = [];
  for (const input of inputs.slice(0, WARM_UP)) await Promise.all([ask(small, input), ask(large, input)]);
  for (const input of inputs) {
    smallTimes.push(await timeOf(() => ask(small, input)));
    largeTimes.push(await timeOf(() => ask(large, input)));
  }
  return { few: percentile95(smallTimes), many: percentile95(largeTimes) };
}

function tellTime(report: (bar: Bar) => void, what: string, { few, many }: Slowest): void {
  report({
    what: `${what}, ${MANY.toLocaleString("en")} facts`,
    ours: `${printTime(many)} p95`,
    baseline: `${printTime(few)} p95 of ${FEW.toLocaleString("en")}, ${(many / few).toFixed(2)} x`,
    figure: many / 1e6,
    max: 20,
    unit: "ms",
  });
}

async function openFilled(path: string, facts: number): Promise<KnowledgeStore> {
  const store = openKnowledgeStore(path);
  const chance = new Chance(1);
  const lessons = Math.ceil(facts / FACTS_EACH);
  const everyNth = Math.floor(facts / RELEVANT);
  const before = process.cpuUsage();
  for (let first = 0; first < lessons; first += LESSONS_AT_ONCE) {
    const group = Array.from({ length: Math.min(LESSONS_AT_ONCE, lessons - first) }, (_, at) =>
      store.learn(someLesson(chance, first + at, everyNth)),
    );
    await Promise.all(group);
  }
  const { user, system } = process.cpuUsage(before);
  console.log(`  ${facts.toLocaleString("en")} facts learned in ${((user + system) / 1e6).toFixed(1)} s of CPU time`);
  return store;
}

function someLesson(chance: Chance, number: number, everyNth: number): LearnedBatch {
  const task = `task-${number % 25}`;
  const facts = Array.from({ length: FACTS_EACH }, (_, at) => {
    const position = number * FACTS_EACH + at;
    const isRelevant = position % everyNth === 0;
    const text = isRelevant ? sentenceOfTheMatter(chance, position) : `${sentence(chance)} ${position.toString(36)}x`;
    const path = isRelevant ? "src/ledger/reconcile.ts" : pathOf(chance.zipf(20_000));
    return {
      kind: FACT_KINDS[position % FACT_KINDS.length] ?? "pattern",
      text,
      detail: chance.below(3) === 0 ? sentence(chance) : null,
      severity: null,
      isBlocking: false,
      tags: tagsOf(undefined, text).slice(0, 6),
      where: `knowledge.${at}`,
      id: null,
      place: chance.below(2) === 0 || isRelevant ? { path, lines: null } : null,
      citation: null,
    };
  });
  return {
    source: {
      run: `run-${Math.floor(number / 25)}`,
      task,
      step: task,
      agent: `agent-${number % 12}`,
      handoff: `h-${number}`,
      at: 1_700_000_000_000 + number,
    },
    task: { id: task, name: `Task ${number}`, status: "completed", dependsOn: [] },
    facts,
    files: [{ path: pathOf(chance.zipf(20_000)), change: "modify", lines: null, purpose: null }],
    status: "trusted",
  };
}

/** Frequent words are words that people look for, too. */
function someQuery(chance: Chance): FactQuery {
  const text = Array.from({ length: 1 + chance.below(3) }, () => word(chance.zipf(VOCABULARY))).join(" ");
  const tag = chance.below(4) === 0 ? { tags: [word(chance.zipf(2_000))] } : {};
  const kinds = chance.below(4) === 0 ? { kinds: ["pattern", "gotcha"] as const } : {};
  return { text, ...tag, ...kinds, max: 20 };
}

function someSignals(chance: Chance): Signals {
  const text = `${sentence(chance)} ${sentence(chance)}`;
  const lineage = `run-${chance.below(200)}`;
  return {
    tags: tagsOf(undefined, text),
    words: keywordsIn(text),
    files: Array.from({ length: 5 }, () => pathOf(chance.zipf(20_000))),
    tasks: [1, 2, 3].map((task) => ({ run: lineage, task: `task-${task}` })),
    max: MOST,
  };
}

const MATTER = "ledger reconcile settlement chargeback payout escrow remittance dispute".split(" ");

function sentenceOfTheMatter(chance: Chance, position: number): string {
  return `${Array.from({ length: 5 }, () => chance.pick(MATTER)).join(" ")} ${position.toString(36)}x`;
}

function signalsOfTheMatter(chance: Chance): Signals {
  const words = [...new Set(Array.from({ length: 6 }, () => chance.pick(MATTER)))];
  return { tags: words, words, files: ["src/ledger/reconcile.ts"], tasks: [], max: MOST };
}

const VOCABULARY = 30_000;
const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ");

/** The lower the number, the more frequent. */
function word(number: number): string {
  let rest = number + 400;
  let text = "";
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) text += SYLLABLES[rest % SYLLABLES.length];
  return text;
}

function sentence(chance: Chance): string {
  return Array.from({ length: 12 }, () => word(chance.zipf(VOCABULARY))).join(" ");
}

function pathOf(number: number): string {
  return `src/area-${number % 100}/file-${number}.ts`;
}

/** A small generator with a fixed seed: the same facts on every machine. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761;
  }

  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** As words are: the second is half as frequent as the first. */
  zipf(limit: number): number {
    return Math.floor(limit ** this.next()) - 1;
  }
}

function percentile95(times: readonly number[]): number {
  return times.toSorted((left, right) => left - right)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}

/** CPU time, in nanoseconds: a query waits for nobody, and what else the machine does must not count. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1_000;
}
