import { normalTag } from "../../knowledge/words.ts";
import type { FileTouch, KnowledgeStore, KnownTask } from "../../ports/knowledge-store.ts";
import { integerOf, orNull, type Row, textOf } from "../sqlite/rows.ts";
import { numbersOf } from "./fact-rows.ts";
import { markGroups, matchAll } from "./match.ts";
import { mark } from "./saying.ts";
import type { Statements } from "./statements.ts";

type TaskQuery = Parameters<KnowledgeStore["tasks"]>[0];
type FileQuery = Parameters<KnowledgeStore["files"]>[0];

export function listTasks(statements: Statements, query: TaskQuery): KnownTask[] {
  const { tag, kind, run, most } = query;
  if (tag !== undefined || kind !== undefined) return tasksThatSaid(statements, query);
  const rows = run === undefined ? statements.tasks.all(most) : statements.tasksOfRun.all(run, most);
  return rows.map((row) => taskOf(statements, row));
}

/** From the newest fact to the oldest, until there are enough tasks. */
function tasksThatSaid(statements: Statements, query: TaskQuery): KnownTask[] {
  const names = new Map<string, readonly [run: string, task: string]>();
  for (const number of factsAbout(statements, query)) {
    for (const row of statements.tasksOfFact.all(number, query.most)) {
      const [run, task] = [textOf(row, "run"), textOf(row, "task")];
      if (query.run === undefined || query.run === run) names.set(JSON.stringify([run, task]), [run, task]);
    }
    if (names.size >= query.most) break;
  }
  return [...names.values()].slice(0, query.most).flatMap((name) => findTask(statements, ...name) ?? []);
}

/** A fact has a task or more; but one task may have said many. */
const FACTS_AT_ONCE = 1_000;

function* factsAbout(statements: Statements, { tag, kind, run }: TaskQuery): Generator<number> {
  const groups = markGroups({
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(kind === undefined ? {} : { kinds: [kind] }),
  });
  if (run !== undefined) {
    const ofRun = numbersOf(statements.factsOfRun.all(run, MOST_OF_RUN));
    const rows = statements.weighed.all(JSON.stringify(ofRun));
    const wanted = rows.filter((row) => groups.every(([token]) => textOf(row, "tokens").includes(` ${token} `)));
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

const MOST_OF_RUN = 50_000;

export function findTask(statements: Statements, run: string, id: string): KnownTask | null {
  const row = statements.task.get(run, id);
  return row === undefined ? null : taskOf(statements, row);
}

function taskOf(statements: Statements, row: Row): KnownTask {
  const [run, id] = [textOf(row, "run"), textOf(row, "id")];
  const dependsOn = statements.needs.all(run, id).map((need) => textOf(need, "needs"));
  return { run, id, name: textOf(row, "name"), status: textOf(row, "status"), dependsOn, at: integerOf(row, "at") };
}

export function listFiles(statements: Statements, { run, task, most }: FileQuery): FileTouch[] {
  if (task !== undefined) return statements.touchesOfTask.all(task, run ?? null, most).map(touchOf);
  return (run === undefined ? statements.touches.all(most) : statements.touchesOfRun.all(run, most)).map(touchOf);
}

function touchOf(row: Row): FileTouch {
  return {
    path: textOf(row, "path"),
    change: textOf(row, "change"),
    lines: orNull(textOf, row, "lines"),
    purpose: orNull(textOf, row, "purpose"),
    run: textOf(row, "run"),
    task: textOf(row, "task"),
    agent: textOf(row, "agent"),
    at: integerOf(row, "at"),
  };
}

export function factsWithTag(statements: Statements, tag: string, most: number): number[] {
  return numbersOf(statements.matching.all(matchAll([[mark.tag(normalTag(tag) ?? "")]]), most));
}
