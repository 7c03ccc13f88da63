import { countVerdicts } from "../evidence/policy.ts";
import type { Citation, LearnedFact } from "../knowledge/fact.ts";
import { cite } from "../knowledge/freshness.ts";
import { learnFacts, factLine } from "../knowledge/learn-facts.ts";
import type { AnsweredStep, LearnedBatch } from "../ports/knowledge-store.ts";
import type { Ports } from "../ports/ports.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { ownValue } from "../shared/json-value.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState, TaskState } from "../workflow/state.ts";
import { readEntries, decisionsIn } from "./read-log.ts";
import type { RunSession } from "./run-session.ts";

/**
 * Learns from new events, given the state before them: accepted handoffs add facts, passed gates make them trusted,
 * answers close questions, and helpful facts are credited.
 */
export async function learnFromEvents(
  ports: Ports,
  session: RunSession,
  events: readonly Event[],
  before: RunState,
): Promise<void> {
  const { run } = session.lease;
  for (const event of events) {
    if (event.kind === "handoff-accepted") await learn(ports, session, acceptedHandoff(event, events));
    const step = provenStep(session.state, event);
    if (step !== null) await ports.knowledge.trust(run, step, ports.clock.now());
    const answered = answeredStep(before, event);
    if (answered !== null) await ports.knowledge.answer({ run, ...answered });
    if (event.kind === "facts-helped") await ports.knowledge.countHelp(run, event.step, event.facts);
  }
}

/**
 * After a crash it is not known whether the last handoff of each task was learned from, trusted, answered and credited.
 * All of this is repeated, and nothing counts twice.
 */
export async function learnFromLastHandoffs(ports: Ports, session: RunSession): Promise<void> {
  const lasts = Object.values(session.state.tasks).flatMap(({ last }) => (last === null ? [] : [last]));
  if (lasts.length === 0) return;
  const { run } = session.lease;
  const decisions = decisionsIn(await readEntries(ports.log, run));
  const events = decisions.flatMap((decision) => decision.events);
  for (const event of events) {
    if (event.kind !== "handoff-accepted") continue;
    const isLast = lasts.some(({ step, text }) => step === event.step && text === event.delivery.text);
    if (isLast) await learn(ports, session, acceptedHandoff(event, events));
  }
  const lastSteps = new Set(lasts.map(({ step }) => step));
  const proven = decisions.flatMap(({ state, events: decided, at }) =>
    decided.flatMap((event) => {
      const step = provenStep(state, event);
      return step !== null && lastSteps.has(step) ? [ports.knowledge.trust(run, step, at)] : [];
    }),
  );
  const answered = decisions.flatMap((decision) =>
    decision.events.flatMap((event) => {
      const answer = answeredStep(decision.before, event);
      return answer !== null && lastSteps.has(answer.step) ? [ports.knowledge.answer({ run, ...answer })] : [];
    }),
  );
  await Promise.all([...proven, ...answered, ...countHelps(ports, run, events)]);
}

export function countHelps({ knowledge }: Pick<Ports, "knowledge">, run: string, events: readonly Event[]) {
  return events.flatMap((event) =>
    event.kind === "facts-helped" ? [knowledge.countHelp(run, event.step, event.facts)] : [],
  );
}

type HandoffAccepted = Extract<Event, { kind: "handoff-accepted" }>;

interface AcceptedHandoff {
  readonly task: string;
  readonly step: string;
  readonly agent: string;
  readonly handoff: Handoff;
  /** SHA-256 of its text. */
  readonly text: string;
  readonly isProven: boolean;
}

/** `events` are those of one or many decisions; the last verification of the step counts. */
export function acceptedHandoff(
  { task, step, agent, delivery }: HandoffAccepted,
  events: readonly Event[],
): AcceptedHandoff {
  const judged = events.findLast(
    (event) => event.kind === "claims-verified" && event.step === step && event.gate === null,
  );
  const { handoff, text } = delivery;
  return { task, step, agent, handoff, text, isProven: judged?.kind === "claims-verified" && isProof(judged) };
}

/** A handoff is proven when no claim was refuted and at least one was confirmed. */
function isProof({ judgements }: Extract<Event, { kind: "claims-verified" }>): boolean {
  const { confirmed, refuted } = countVerdicts(judgements);
  return refuted === 0 && confirmed > 0;
}

/** The step that has passed a gate; the task may have moved on by then. */
export function provenStep({ tasks }: RunState, event: Event): string | null {
  if (event.kind !== "gate-passed" || !event.isLast) return null;
  return (Object.hasOwn(tasks, event.task) ? tasks[event.task]?.last?.step : null) ?? null;
}

/** A person's answer to the blocking questions of a step; the task has moved on since. */
export function answeredStep({ asks, tasks }: RunState, event: Event): Omit<AnsweredStep, "run"> | null {
  if (event.kind !== "ask-answered" || event.choice !== "answer") return null;
  const { task } = ownValue(asks, event.ask) ?? {};
  const step = task === undefined ? undefined : ownValue(tasks, task)?.last?.step;
  const answer = factLine(`${event.by} answered: ${event.text ?? ""}`);
  return step === undefined || answer === null ? null : { step, answer, by: event.by, at: event.at };
}

/** Repeating it after a crash changes nothing. */
export async function learn(ports: Ports, session: RunSession, taught: AcceptedHandoff): Promise<void> {
  const { workflow, state, lease } = session;
  const task = state.tasks[taught.task];
  if (task === undefined) return;
  const directory = await ports.workspace.prepare(lease.run, workflow.workspace);
  const commit = await ports.repository.head(directory);
  const facts = [];
  for (const fact of learnFacts(taught.handoff))
    facts.push({ ...fact, citation: await citationOf(ports, directory, commit, fact) });
  await ports.knowledge.learn(learnedBatchOf(lease.run, task, taught, facts, ports.clock.now()));
}

export function learnedBatchOf(
  run: string,
  task: TaskState,
  taught: AcceptedHandoff,
  facts: LearnedBatch["facts"],
  at: number,
): LearnedBatch {
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
  ports: Ports,
  directory: string,
  commit: string | null,
  { place }: LearnedFact,
): Promise<Citation | null> {
  if (place === null) return null;
  const text = (await ports.workspace.read(directory, place.path, LARGEST))?.text ?? null;
  return text === null ? null : cite(place.path, place.lines, text, commit);
}

function filesOf({ work }: Handoff): LearnedBatch["files"] {
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
