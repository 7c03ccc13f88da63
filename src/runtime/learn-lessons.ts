import { countVerdicts } from "../evidence/policy.ts";
import type { Citation, LearnedFact } from "../knowledge/fact.ts";
import { cite } from "../knowledge/freshness.ts";
import { learnFacts, oneLine } from "../knowledge/learn-facts.ts";
import type { AnsweredStep, Lesson } from "../ports/knowledge-store.ts";
import type { Machine } from "../ports/machine.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { ownValue } from "../shared/json-value.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState, TaskState } from "../workflow/state.ts";
import { decisionsIn } from "./decisions.ts";
import type { RunSession } from "./run-session.ts";

/**
 * What is learned of what was just decided, in the state before: accepted handoffs teach, gates that pass make it
 * trusted, answers close what was asked, and what helped is counted.
 */
export async function learnLessons(
  machine: Machine,
  session: RunSession,
  events: readonly Event[],
  before: RunState,
): Promise<void> {
  const { run } = session.lease;
  for (const event of events) {
    if (event.kind === "handoff-accepted") await learn(machine, session, taughtBy(event, events));
    const step = provenStep(session.state, event);
    if (step !== null) await machine.knowledge.trust(run, step, machine.clock.now());
    const answered = answeredStep(before, event);
    if (answered !== null) await machine.knowledge.answer({ run, ...answered });
    if (event.kind === "facts-helped") await machine.knowledge.countHelp(run, event.step, event.facts);
  }
}

/**
 * After a crash: of the last handoff of each task it may not be known what it taught, nor that a gate let it pass, nor
 * what was answered, nor what helped it. Done again, nothing of it counts twice.
 */
export async function learnLast(machine: Machine, session: RunSession): Promise<void> {
  const lasts = Object.values(session.state.tasks).flatMap(({ last }) => (last === null ? [] : [last]));
  if (lasts.length === 0) return;
  const { run } = session.lease;
  const decisions = decisionsIn(await machine.log.entries(run));
  const events = decisions.flatMap((decision) => decision.events);
  for (const event of events) {
    if (event.kind !== "handoff-accepted") continue;
    const isLast = lasts.some(({ step, text }) => step === event.step && text === event.delivery.text);
    if (isLast) await learn(machine, session, taughtBy(event, events));
  }
  const lastSteps = new Set(lasts.map(({ step }) => step));
  const proven = decisions.flatMap(({ state, events: decided, at }) =>
    decided.flatMap((event) => {
      const step = provenStep(state, event);
      return step !== null && lastSteps.has(step) ? [machine.knowledge.trust(run, step, at)] : [];
    }),
  );
  const answered = decisions.flatMap((decision) =>
    decision.events.flatMap((event) => {
      const answer = answeredStep(decision.before, event);
      return answer !== null && lastSteps.has(answer.step) ? [machine.knowledge.answer({ run, ...answer })] : [];
    }),
  );
  await Promise.all([...proven, ...answered, ...countHelps(machine, run, events)]);
}

export function countHelps({ knowledge }: Pick<Machine, "knowledge">, run: string, events: readonly Event[]) {
  return events.flatMap((event) =>
    event.kind === "facts-helped" ? [knowledge.countHelp(run, event.step, event.facts)] : [],
  );
}

type HandoffAccepted = Extract<Event, { kind: "handoff-accepted" }>;

export interface Taught {
  readonly task: string;
  readonly step: string;
  readonly agent: string;
  readonly handoff: Handoff;
  /** SHA-256 of its text. */
  readonly text: string;
  readonly isProven: boolean;
}

/** Of the events of one decision, or of many: what was judged of this step last counts. */
export function taughtBy({ task, step, agent, delivery }: HandoffAccepted, events: readonly Event[]): Taught {
  const judged = events.findLast(
    (event) => event.kind === "claims-verified" && event.step === step && event.gate === null,
  );
  const { handoff, text } = delivery;
  return { task, step, agent, handoff, text, isProven: judged?.kind === "claims-verified" && isProof(judged) };
}

/** Nobody believes what stands beside a claim that is not true, or beside none that was shown to be. */
function isProof({ judgements }: Extract<Event, { kind: "claims-verified" }>): boolean {
  const { confirmed, refuted } = countVerdicts(judgements);
  return refuted === 0 && confirmed > 0;
}

/** The step whose work a gate has let pass; the task may have moved on by then. */
export function provenStep({ tasks }: RunState, event: Event): string | null {
  if (event.kind !== "gate-passed" || !event.isLast) return null;
  return (Object.hasOwn(tasks, event.task) ? tasks[event.task]?.last?.step : null) ?? null;
}

/** What a person has answered to the blocking questions of a step; its task has moved on since. */
export function answeredStep({ asks, tasks }: RunState, event: Event): Omit<AnsweredStep, "run"> | null {
  if (event.kind !== "ask-answered" || event.choice !== "answer") return null;
  const { task } = ownValue(asks, event.ask) ?? {};
  const step = task === undefined ? undefined : ownValue(tasks, task)?.last?.step;
  const answer = oneLine(`${event.by} answered: ${event.text ?? ""}`);
  return step === undefined || answer === null ? null : { step, answer, by: event.by, at: event.at };
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
  await machine.knowledge.learn(lessonOf(lease.run, task, taught, facts, machine.clock.now()));
}

export function lessonOf(run: string, task: TaskState, taught: Taught, facts: Lesson["facts"], at: number): Lesson {
  const { step, agent, text, handoff, isProven } = taught;
  return {
    source: { run, task: task.id, step, agent, handoff: text, at },
    task: { id: task.id, name: task.name, status: statusOf(task, handoff), dependsOn: task.dependsOn },
    facts,
    files: filesOf(handoff),
    status: isProven ? "trusted" : "quarantined",
  };
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
