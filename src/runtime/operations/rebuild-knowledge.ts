import type { Citation, LearnedFact } from "../../knowledge/fact.ts";
import { learnFacts } from "../../knowledge/learn-facts.ts";
import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { codec } from "../../workflow/stored/codec.ts";
import { type LogEntry, isEmptied, readEntries, decisionsIn } from "../read-log.ts";
import { answeredStep, countHelps, learnedBatchOf, provenStep, acceptedHandoff } from "../learn-from-events.ts";

interface RebuiltKnowledge {
  /** Number of runs that were read, and of handoffs in them. */
  readonly runs: number;
  readonly handoffs: number;
  /** Number of statements in them, repeated ones included. */
  readonly sayings: number;
  /** Runs whose content was pruned: their facts cannot be learned again. */
  readonly pruned: readonly string[];
  /** Facts that something else than Baton had changed or added: they were removed first. */
  readonly forgotten: readonly string[];
}

const MAX_RUNS = 1_000_000;

/**
 * Removes what something else than Baton has changed, and learns from the whole log again, oldest run first. Facts that
 * are as they were learned, or as a person has changed them through Baton, stay as they are.
 */
export async function rebuildKnowledge(ports: Pick<Ports, "log" | "knowledge">): Promise<RebuiltKnowledge> {
  const forgotten = await ports.knowledge.forgetAltered();
  const rows = await ports.log.runs({ limit: MAX_RUNS });
  const pruned: string[] = [];
  let [runs, handoffs, sayings] = [0, 0, 0];
  for (const row of rows.toReversed()) {
    if (!(await learns(ports, row))) continue;
    const entries = await readEntries(ports.log, row.run);
    if (entries.some(isEmptied)) {
      pruned.push(row.run);
      continue;
    }
    const told = await learnRun(ports, row.run, entries);
    runs++;
    handoffs += told.handoffs;
    sayings += told.sayings;
  }
  return { runs, handoffs, sayings, pruned, forgotten };
}

/** Facts of a workflow with learning disabled are not learned afterwards either. */
async function learns({ log }: Pick<Ports, "log">, { run, workflow }: RunRow): Promise<boolean> {
  const stored = await log.workflow(workflow);
  return stored !== null && codec.decodeWorkflow(stored, `The workflow of run ${run}`).learns;
}

/** Requested in order and stored together: one by one, each batch would wait for the disk. */
async function learnRun(
  { knowledge }: Pick<Ports, "knowledge">,
  run: string,
  entries: readonly LogEntry[],
): Promise<{ handoffs: number; sayings: number }> {
  const asked: Promise<unknown>[] = [];
  let [handoffs, sayings] = [0, 0];
  for (const { before, state, events, at } of decisionsIn(entries)) {
    for (const event of events) {
      const task = event.kind === "handoff-accepted" ? state.tasks[event.task] : undefined;
      if (event.kind === "handoff-accepted" && task !== undefined) {
        const facts = learnFacts(event.delivery.handoff).map((fact) => ({ ...fact, citation: unseen(fact) }));
        const taught = acceptedHandoff(event, events, before);
        asked.push(knowledge.learn(learnedBatchOf(run, task, taught, facts, at)));
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
 * The log does not contain the cited file, and its present content may differ. Such a citation counts as changed until
 * a person confirms it.
 */
function unseen({ place }: LearnedFact): Citation | null {
  return place === null ? null : { ...place, text: [], commit: null };
}
