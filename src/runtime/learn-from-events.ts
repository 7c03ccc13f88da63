import type { Judgement } from "../evidence/claim.ts";
import { namesFile } from "../evidence/claims/knowledge-claims.ts";
import type { Citation, LearnedFact } from "../knowledge/fact.ts";
import { cite } from "../knowledge/freshness.ts";
import { learnFacts, factLine } from "../knowledge/learn-facts.ts";
import type { AnsweredStep, LearnedBatch, TaughtFact } from "../ports/knowledge-store.ts";
import type { Ports } from "../ports/ports.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { ownValue } from "../shared/json-value.ts";
import type { GivenFact } from "../workflow/attempt-record.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState, TaskState } from "../workflow/state.ts";
import { readEntries, decisionsIn } from "./read-log.ts";
import type { RunSession } from "./run-session.ts";

type LearningPorts = Pick<Ports, "knowledge" | "clock" | "workspace" | "repository">;

/**
 * Learns from new events, given the state before them: accepted handoffs add facts, passed gates make them trusted,
 * answers close questions, and helpful facts are credited.
 */
export async function learnFromEvents(
  ports: LearningPorts,
  session: RunSession,
  events: readonly Event[],
  before: RunState,
): Promise<void> {
  const { run } = session.lease;
  for (const event of events) {
    if (event.kind === "handoff-accepted") await learn(ports, session, acceptedHandoff(event, events, before));
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
  for (const { before, events: decided } of decisions)
    for (const event of decided) {
      if (event.kind !== "handoff-accepted") continue;
      const isLast = lasts.some(({ step, text }) => step === event.step && text === event.delivery.text);
      if (isLast) await learn(ports, session, acceptedHandoff(event, decided, before));
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
  /** Verdicts on its claims; empty when they were not verified. */
  readonly judgements: readonly Judgement[];
  /** Facts that the attempts of its step were given. */
  readonly given: readonly GivenFact[];
}

/** `events` are those of the decision that accepted the handoff, and `before` is the state before them. */
export function acceptedHandoff(
  { task, step, agent, delivery }: HandoffAccepted,
  events: readonly Event[],
  before: RunState,
): AcceptedHandoff {
  const judged = events.findLast(
    (event) => event.kind === "claims-verified" && event.step === step && event.gate === null,
  );
  const judgements = judged?.kind === "claims-verified" ? judged.judgements : [];
  const { handoff, text } = delivery;
  return { task, step, agent, handoff, text, judgements, given: givenFacts(before, events, task) };
}

function givenFacts({ tasks }: RunState, events: readonly Event[], task: string): GivenFact[] {
  const earlier = ownValue(tasks, task)?.step?.given ?? [];
  const ended = events.flatMap((event) =>
    event.kind === "attempt-ended" && event.task === task ? (event.record?.packet?.facts ?? []) : [],
  );
  return [...earlier, ...ended];
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
export async function learn(ports: LearningPorts, session: RunSession, taught: AcceptedHandoff): Promise<void> {
  const task = session.state.tasks[taught.task];
  if (task === undefined) return;
  const facts = await factsIn(ports, session, taught.handoff);
  await ports.knowledge.learn(learnedBatchOf(session.lease.run, task, taught, facts, ports.clock.now()));
}

/** The workspace is looked at only where a fact may cite a place in it. */
async function factsIn(
  ports: LearningPorts,
  { workflow, lease }: RunSession,
  handoff: Handoff,
): Promise<LearnedBatch["facts"]> {
  const learned = learnFacts(handoff);
  if (learned.length === 0) return [];
  const directory = await ports.workspace.prepare(lease.run, workflow.workspace);
  const commit = await ports.repository.head(directory);
  const facts = [];
  for (const fact of learned) facts.push({ ...fact, citation: await citationOf(ports, directory, commit, fact) });
  return facts;
}

export function learnedBatchOf(
  run: string,
  task: TaskState,
  taught: AcceptedHandoff,
  facts: LearnedBatch["facts"],
  at: number,
): LearnedBatch {
  const { step, agent, text, handoff, judgements, given } = taught;
  return {
    source: { run, task: task.id, step, agent, handoff: text, at },
    task: { id: task.id, name: task.name, status: statusOf(task, handoff), dependsOn: task.dependsOn },
    facts: facts.map((fact) => withVerdict(fact, judgements)),
    files: filesOf(handoff),
    given,
    // A gate that the step passes, or a person, makes the others trusted.
    status: "quarantined",
  };
}

/**
 * A fact is trusted at once when the place that it names is there and its handoff says nothing untrue. One that names a
 * file which was not found stays quarantined. Places do not count against other facts.
 */
function withVerdict(fact: TaughtFact, judgements: readonly Judgement[]): TaughtFact {
  const { where, place } = fact;
  const isOwn = (judged: Judgement): boolean =>
    judged.kind === "place" && PLACE_FIELDS.some((field) => judged.where === `${where}.${field}`);
  const own = judgements.find(isOwn);
  if (own === undefined || place === null) return fact;
  if (own.verdict === "confirmed") {
    const isUntrue = judgements.some(({ kind, verdict }) => verdict === "refuted" && kind !== "place");
    return isUntrue ? fact : { ...fact, ownPlace: "confirmed" };
  }
  const isMissing = own.verdict === "refuted" || namesFile(place);
  return isMissing ? { ...fact, citation: null, ownPlace: "unconfirmed" } : fact;
}

const PLACE_FIELDS = ["location", "discovered_in"];

function statusOf({ status }: TaskState, { outcome }: Handoff): string {
  return status === "working" || status === "waiting" ? outcome : status;
}

const LARGEST = 1_048_576;

async function citationOf(
  ports: LearningPorts,
  directory: string,
  commit: string | null,
  { place, text: said, detail }: LearnedFact,
): Promise<Citation | null> {
  if (place === null) return null;
  const text = (await ports.workspace.read(directory, place.path, LARGEST))?.text ?? null;
  return text === null ? null : cite(place.path, place.lines, text, commit, `${said} ${detail ?? ""}`);
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
