import type { Citation, LearnedFact } from "../../knowledge/fact.ts";
import { learnFacts } from "../../knowledge/learn-facts.ts";
import type { RunRow, StoredEntry } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { decisionsIn } from "../decisions.ts";
import { answeredStep, countHelps, lessonOf, provenStep, taughtBy } from "../learn-lessons.ts";

export interface RebuiltKnowledge {
  /** Runs that were read, and handoffs in them. */
  readonly runs: number;
  readonly handoffs: number;
  /** Facts that these say, each as often as it is said. */
  readonly sayings: number;
  /** Runs whose content was pruned: what they taught cannot be learned again. */
  readonly pruned: readonly string[];
}

const MOST_RUNS = 1_000_000;

/** Learns from the whole log again, the oldest run first. What is known already stays as it is. */
export async function rebuildKnowledge(machine: Pick<Machine, "log" | "knowledge">): Promise<RebuiltKnowledge> {
  const rows = await machine.log.runs({ limit: MOST_RUNS });
  const pruned: string[] = [];
  let [runs, handoffs, sayings] = [0, 0, 0];
  for (const row of rows.toReversed()) {
    if (!(await learns(machine, row))) continue;
    const entries = await machine.log.entries(row.run);
    if (entries.some(({ data }) => data === null)) {
      pruned.push(row.run);
      continue;
    }
    const told = await learnRun(machine, row.run, entries);
    runs++;
    handoffs += told.handoffs;
    sayings += told.sayings;
  }
  return { runs, handoffs, sayings, pruned };
}

/** What a workflow keeps to itself is not learned afterwards either. */
async function learns({ log }: Pick<Machine, "log">, { workflow }: RunRow): Promise<boolean> {
  const definition = await log.workflow(workflow);
  return definition !== null && definition["learns"] !== false;
}

/** Asked for in order and stored together: one by one, each lesson would wait for the disk. */
async function learnRun(
  { knowledge }: Pick<Machine, "knowledge">,
  run: string,
  entries: readonly StoredEntry[],
): Promise<{ handoffs: number; sayings: number }> {
  const asked: Promise<unknown>[] = [];
  let [handoffs, sayings] = [0, 0];
  for (const { before, state, events, at } of decisionsIn(entries)) {
    for (const event of events) {
      const task = event.kind === "handoff-accepted" ? state.tasks[event.task] : undefined;
      if (event.kind === "handoff-accepted" && task !== undefined) {
        const facts = learnFacts(event.delivery.handoff).map((fact) => ({ ...fact, citation: unseen(fact) }));
        const taught = taughtBy(event, events);
        asked.push(knowledge.learn(lessonOf(run, task, taught, facts, at)));
        // Learned before, it may not have been known to be proven.
        if (taught.isProven) asked.push(knowledge.trust(run, taught.step, at));
        handoffs++;
        sayings += facts.length;
      }
      const step = provenStep(state, event);
      if (step !== null) asked.push(knowledge.trust(run, step, at));
      const answered = answeredStep(before, event);
      if (answered !== null) asked.push(knowledge.answer({ run, ...answered }));
    }
    asked.push(...countHelps({ knowledge }, run, events));
  }
  await Promise.all(asked);
  return { handoffs, sayings };
}

/**
 * The log does not tell what stood in a file when it was cited, and what stands there now may be something else. Such
 * a citation counts as changed until a person confirms it.
 */
function unseen({ place }: LearnedFact): Citation | null {
  return place === null ? null : { ...place, text: [], commit: null };
}
