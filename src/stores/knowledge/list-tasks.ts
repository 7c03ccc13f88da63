import type { FactKind } from "../../knowledge/fact.ts";
import { normalTag } from "../../knowledge/words.ts";
import type { FileTouch, KnowledgeStore, KnownTask, KnowledgeTotals } from "../../ports/knowledge-store.ts";
import { integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { numbersOf } from "./stored-fact.ts";
import { markGroups } from "./rank-facts.ts";
import { matchAll, matchWithout } from "./search-facts.ts";
import { searchMark } from "./fact-text.ts";
import type { KnowledgeStatements } from "./statements.ts";
import { knownTaskOf, knowledgeTotalsOf, touchOf } from "./task-rows.ts";

type TaskQuery = Parameters<KnowledgeStore["tasks"]>[0];
type FileQuery = Parameters<KnowledgeStore["files"]>[0];

export function listTasks(statements: KnowledgeStatements, query: TaskQuery): KnownTask[] {
  const { tag, kind, run, max } = query;
  if (tag !== undefined || kind !== undefined) return tasksThatSaid(statements, query);
  const rows = run === undefined ? statements.tasks.all(max) : statements.tasksOfRun.all(run, max);
  return rows.map((row) => withNeeds(statements, row));
}

/** Reads facts from the newest to the oldest until there are enough tasks. */
function tasksThatSaid(statements: KnowledgeStatements, query: TaskQuery): KnownTask[] {
  const names = new Map<string, readonly [run: string, task: string]>();
  for (const number of factsAbout(statements, query)) {
    for (const row of statements.tasksOfFact.all(number, query.max)) {
      const [run, task] = [textColumn(row, "run"), textColumn(row, "task")];
      if (query.run === undefined || query.run === run) names.set(JSON.stringify([run, task]), [run, task]);
    }
    if (names.size >= query.max) break;
  }
  return [...names.values()].slice(0, query.max).flatMap((name) => findTask(statements, ...name) ?? []);
}

/** One task may have stated many facts, so facts are read in large pages. */
const FACTS_AT_ONCE = 1_000;

function* factsAbout(statements: KnowledgeStatements, { tag, kind, run }: TaskQuery): Generator<number> {
  const groups = markGroups({
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(kind === undefined ? {} : { kinds: [kind] }),
  });
  if (run !== undefined) {
    const ofRun = numbersOf(statements.factsOfRun.all(run, MAX_OF_RUN));
    const rows = statements.weighed.all(JSON.stringify(ofRun));
    const wanted = rows.filter((row) => groups.every(([token]) => textColumn(row, "tokens").includes(` ${token} `)));
    yield* numbersOf(wanted);
    return;
  }
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const numbers = numbersOf(statements.matchingBefore.all(matchAll(groups), before, FACTS_AT_ONCE));
    yield* numbers;
    if (numbers.length < FACTS_AT_ONCE) return;
    before = numbers.at(-1) ?? 0;
  }
}

const MAX_OF_RUN = 50_000;

function findTask(statements: KnowledgeStatements, run: string, id: string): KnownTask | null {
  const row = statements.task.get(run, id);
  return row === undefined ? null : withNeeds(statements, row);
}

function withNeeds(statements: KnowledgeStatements, row: Row): KnownTask {
  const needs = statements.needs.all(textColumn(row, "run"), textColumn(row, "id"));
  return knownTaskOf(
    row,
    needs.map((need) => textColumn(need, "needs")),
  );
}

export function listFiles(statements: KnowledgeStatements, { run, task, max }: FileQuery): FileTouch[] {
  if (task !== undefined) return statements.touchesOfTask.all(task, run ?? null, max).map(touchOf);
  return (run === undefined ? statements.touches.all(max) : statements.touchesOfRun.all(run, max)).map(touchOf);
}

export function factsWithTag(statements: KnowledgeStatements, tag: string, max: number): number[] {
  return numbersOf(statements.matching.all(matchAll([[searchMark.tag(normalTag(tag) ?? "")]]), max));
}

/** Counts with the index, without reading facts. */
export function countAll(statements: KnowledgeStatements): KnowledgeTotals {
  const ofKind = (kind: FactKind): number => {
    const match = matchWithout(matchAll(markGroups({ kinds: [kind] })), searchMark.status("retired"));
    return integerOf(statements.countMatching.get(match) ?? {}, "count");
  };
  return knowledgeTotalsOf(ofKind, {
    tasks: integerOf(statements.countTasks.get() ?? {}, "count"),
    files: integerOf(statements.countFiles.get() ?? {}, "count"),
  });
}
