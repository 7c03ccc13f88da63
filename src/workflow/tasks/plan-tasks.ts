import { AppError } from "../../shared/app-error.ts";
import type { TaskDefinition } from "../definition.ts";
import { findCycles } from "../find-cycles.ts";
import { type FoundTaskFile, type FoundTask, MAX_TASKS } from "./found-task.ts";

interface TaskPlan {
  readonly tasks: readonly TaskDefinition[];
  /** Open tasks that are not part of the run, each with the reason. */
  readonly leftOut: readonly { readonly id: string; readonly why: string }[];
}

/**
 * Selects the tasks of a run. A task with subtasks is represented by them. Done tasks block nothing. Held tasks are
 * left out, together with all tasks that depend on them.
 */
export function planTasks(files: readonly FoundTaskFile[], elsewhere: ReadonlySet<string>): TaskPlan {
  const plan = new Plan(files);
  refuseCycles(plan);
  const open = [...plan.all.values()].filter(
    ({ task }) => plan.parts(task.id).length === 0 && plan.stands(task) !== "done",
  );
  if (open.length > MAX_TASKS)
    throw new AppError(
      "cannot-read",
      `${open.length} tasks are open.`,
      `A run takes up to ${MAX_TASKS}: name fewer files.`,
    );
  const why = new Map<string, string>();
  for (const { task } of open) if (plan.stands(task) === "held") why.set(task.id, plan.holder(task));
  const waiting = open.map(({ task }) => ({ task, needs: plan.needs(task, elsewhere) }));
  spread(waiting, why);
  return {
    tasks: waiting
      .filter(({ task }) => !why.has(task.id))
      .map(({ task, needs }) => plan.define(task, [...needs].sort())),
    leftOut: [...why].map(([id, reason]) => ({ id, why: reason })),
  };
}

/** Leaves out every task that depends on one that is left out. */
function spread(waiting: readonly { task: FoundTask; needs: ReadonlySet<string> }[], why: Map<string, string>): void {
  const followers = new Map<string, string[]>();
  for (const { task, needs } of waiting) for (const need of needs) pushTo(followers, need, task.id);
  const queue = [...why.keys()];
  for (const id of queue)
    for (const follower of followers.get(id) ?? []) {
      if (why.has(follower)) continue;
      why.set(follower, `waits for ${id}`);
      queue.push(follower);
    }
}

function pushTo(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

interface Known {
  readonly task: FoundTask;
  readonly file: FoundTaskFile;
}

/** All tasks that were found, by id. */
class Plan {
  readonly all = new Map<string, Known>();
  readonly #parts = new Map<string, string[]>();
  readonly #standings = new Map<string, FoundTask["standing"]>();

  constructor(files: readonly FoundTaskFile[]) {
    for (const file of files)
      for (const task of file.tasks) {
        this.#refuseTwin(task, file);
        this.all.set(task.id, { task, file });
      }
    for (const { task } of this.all.values())
      if (task.parent !== null && this.all.has(task.parent)) pushTo(this.#parts, task.parent, task.id);
  }

  #refuseTwin(task: FoundTask, file: FoundTaskFile): void {
    const other = this.all.get(task.id);
    if (other === undefined) return;
    const places = other.file === file ? `twice in ${file.path}` : `in ${other.file.path} and in ${file.path}`;
    const names = new Set([other.task.sourceId, task.sourceId]);
    const why = names.size === 1 ? "" : `: ${[...names].join(" and ")} become one in a run`;
    throw new AppError(
      "cannot-read",
      `The task ${task.id} stands ${places}${why}.`,
      "Give one of them another id, or name fewer files.",
    );
  }

  parts(id: string): readonly string[] {
    return this.#parts.get(id) ?? [];
  }

  /** The task and its ancestors, innermost first. Cycles were rejected before. */
  above(task: FoundTask): FoundTask[] {
    const found = [task];
    for (let next = this.#parent(task); next !== undefined; next = this.#parent(next)) found.push(next);
    return found;
  }

  #parent({ parent }: FoundTask): FoundTask | undefined {
    return parent === null ? undefined : this.all.get(parent)?.task;
  }

  stands(task: FoundTask): FoundTask["standing"] {
    const known = this.#standings.get(task.id);
    if (known !== undefined) return known;
    const all = new Set(this.above(task).map(({ standing }) => standing));
    const stands = all.has("done") ? "done" : all.has("held") ? "held" : "open";
    this.#standings.set(task.id, stands);
    return stands;
  }

  holder(task: FoundTask): string {
    const holder = this.above(task).find(({ standing }) => standing === "held");
    return holder === undefined || holder === task ? task.word : `${holder.id} is ${holder.word}`;
  }

  /** The tasks of the run that it depends on, including the dependencies of its ancestors. */
  needs(task: FoundTask, elsewhere: ReadonlySet<string>): ReadonlySet<string> {
    const found = new Set<string>();
    for (const owner of this.above(task)) {
      for (const need of owner.dependsOn) {
        if (this.resolve(need) !== null) continue;
        if (!elsewhere.has(need)) throw this.#unknownNeed(owner, need);
        found.add(need);
      }
      for (const id of this.known(owner)) for (const leaf of this.#leaves(id)) found.add(leaf);
    }
    return found;
  }

  /** The dependencies that are among the tasks found. A dependency on its own subtask is implied, and left out. */
  known(task: FoundTask): string[] {
    return task.dependsOn.flatMap((need) => {
      const id = this.resolve(need);
      const known = id === null || id === task.id ? undefined : this.all.get(id);
      const isPart = known !== undefined && this.above(known.task).includes(task);
      return id === null || isPart ? [] : [id];
    });
  }

  /** Finds an id in any spelling: `task-12` and `12` are the same. */
  resolve(id: string): string | null {
    const spellings = [id, `task-${id}`, id.replace(/^task-/i, "")];
    return spellings.find((spelling) => this.all.has(spelling)) ?? null;
  }

  /** The open tasks without subtasks that make up a task. */
  #leaves(id: string): string[] {
    const found: string[] = [];
    const queue = [id];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const parts = this.parts(next);
      const known = this.all.get(next);
      if (parts.length > 0) queue.push(...parts);
      else if (known !== undefined && this.stands(known.task) !== "done") found.push(next);
    }
    return found;
  }

  #unknownNeed(task: FoundTask, need: string): AppError {
    const path = this.all.get(task.id)?.file.path ?? "";
    return new AppError(
      "cannot-read",
      `${path}: ${task.sourceId} depends on ${need}, which is in none of the files.`,
      "Correct or remove the dependency, or let --tasks match the file that holds it.",
    );
  }

  define({ id, sourceId, name, priority, brief }: FoundTask, dependsOn: readonly string[]): TaskDefinition {
    const file = this.all.get(id)?.file;
    const source =
      file === undefined ? undefined : { format: file.format, path: file.path, id: sourceId, tag: file.tag };
    return { id, name, priority, dependsOn, start: null, brief, ...(source !== undefined && { source }) };
  }
}

/** Rejects tasks that are parts of each other or wait for each other, also through their ancestors. */
function refuseCycles(plan: Plan): void {
  const path: never[] = [];
  const ids = [...plan.all.keys()];
  const parents = (id: string): string[] => [plan.all.get(id)?.task.parent ?? null].filter((name) => name !== null);
  const [loop] = findCycles(ids, (id) => parents(id).map((name) => ({ name, path })));
  if (loop !== undefined) throw cyclic(plan, "are parts of each other", loop.names.join(" is part of "));
  const isOpen = (id: string): boolean => {
    const known = plan.all.get(id);
    return known !== undefined && plan.stands(known.task) !== "done";
  };
  // A task starts after its parent may start, and the parent ends after its subtasks: so each task has two nodes.
  const following = (node: string): string[] => followingNodes(plan, node).filter((name) => isOpen(name.slice(1)));
  const nodes = ids.filter(isOpen).flatMap((id) => [`<${id}`, `>${id}`]);
  const [cycle] = findCycles(nodes, (node) => following(node).map((name) => ({ name, path })));
  if (cycle === undefined) return;
  const names = cycle.names.map((name) => name.slice(1));
  const chain = names.filter((name, index) => name !== names[index - 1]);
  throw cyclic(plan, "wait for each other", (chain.length > 1 ? chain : [...chain, ...chain]).join(" needs "));
}

/** The end of a task (`>`) needs its start (`<`) and the ends of its subtasks; its start needs its dependencies. */
function followingNodes(plan: Plan, node: string): string[] {
  const task = plan.all.get(node.slice(1))?.task;
  if (task === undefined) return [];
  if (node.startsWith(">")) return [`<${task.id}`, ...plan.parts(task.id).map((part) => `>${part}`)];
  const needs = plan.known(task).map((id) => `>${id}`);
  return task.parent === null ? needs : [...needs, `<${task.parent}`];
}

function cyclic(plan: Plan, what: string, chain: string): AppError {
  const first = chain.split(" ", 1)[0] ?? "";
  const path = plan.all.get(first)?.file.path ?? "";
  return new AppError("cannot-read", `${path}: these tasks ${what}: ${chain}.`, "Remove one of these dependencies.");
}
