import type { Citation, LearnedFact } from "../knowledge/fact.ts";
import { cite } from "../knowledge/freshness.ts";
import { learnFacts } from "../knowledge/learn-facts.ts";
import type { Lesson } from "../ports/knowledge-store.ts";
import type { Machine } from "../ports/machine.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { Event } from "../workflow/event.ts";
import type { TaskState } from "../workflow/state.ts";
import type { RunSession } from "./run-session.ts";

/** What is learned of what was just decided: accepted handoffs teach, gates that pass make it trusted. */
export async function learnLessons(machine: Machine, session: RunSession, events: readonly Event[]): Promise<void> {
  const { run } = session.lease;
  for (const event of events) {
    if (event.kind === "handoff-accepted") {
      const { task, step, agent, delivery } = event;
      await learn(machine, session, { task, step, agent, handoff: delivery.handoff, text: delivery.text });
    }
    if (event.kind === "gate-passed" && event.isLast) {
      const { step } = session.state.tasks[event.task] ?? { step: null };
      if (step !== null) await machine.knowledge.trust(run, step.id, machine.clock.now());
    }
  }
}

/** After a crash: the last handoff of each task may not have been learned. */
export async function learnLast(machine: Machine, session: RunSession): Promise<void> {
  for (const { id, last } of Object.values(session.state.tasks))
    if (last !== null) await learn(machine, session, { ...last, task: id });
}

export interface Taught {
  readonly task: string;
  readonly step: string;
  readonly agent: string;
  readonly handoff: Handoff;
  /** SHA-256 of its text. */
  readonly text: string;
}

/** Learned again after a crash, it stays the same. */
export async function learn(machine: Machine, session: RunSession, taught: Taught): Promise<void> {
  const { workflow, state, lease } = session;
  const task = state.tasks[taught.task];
  if (task === undefined) return;
  const directory = await machine.workspace.prepare(lease.run, workflow.workspace);
  const commit = await machine.repository.head(directory);
  const facts = [];
  for (const fact of learnFacts(taught.handoff))
    facts.push({ ...fact, citation: await citationOf(machine, directory, commit, fact) });
  const { step, agent, text } = taught;
  await machine.knowledge.learn({
    source: { run: lease.run, task: task.id, step, agent, handoff: text, at: machine.clock.now() },
    task: { id: task.id, name: task.name, status: statusOf(task, taught.handoff), dependsOn: task.dependsOn },
    facts,
    files: filesOf(taught.handoff),
    status: isProven(task, step) ? "trusted" : "quarantined",
  });
}

/** Nobody believes what stands beside a claim that is not true, or beside none that was shown to be. */
function isProven({ step }: TaskState, id: string): boolean {
  if (step?.id !== id) return false;
  const { confirmed, refuted } = step.claims;
  return refuted === 0 && confirmed > 0;
}

function statusOf({ status }: TaskState, { outcome }: Handoff): string {
  return status === "working" || status === "waiting" ? outcome : status;
}

const LARGEST = 1_048_576;

async function citationOf(
  machine: Machine,
  directory: string,
  commit: string | null,
  { place }: LearnedFact,
): Promise<Citation | null> {
  if (place === null) return null;
  const text = (await machine.workspace.read(directory, place.path, LARGEST))?.text ?? null;
  return text === null ? null : cite(place.path, place.lines, text, commit);
}

function filesOf({ work }: Handoff): Lesson["files"] {
  const { created = [], modified = [], artifacts = [] } = work ?? {};
  return [
    ...created.map((file) => ({ ...file, change: "created" })),
    ...modified.map((file) => ({ ...file, change: file.change_type ?? "modified" })),
    ...artifacts.map((file) => ({ ...file, change: "artifact" })),
  ].flatMap(({ path, change, purpose, ...rest }) => {
    if (path === undefined) return [];
    const lines = "lines" in rest ? (rest.lines ?? null) : null;
    const description = "description" in rest ? rest.description : undefined;
    return [{ path, change, lines, purpose: purpose ?? description ?? null }];
  });
}
