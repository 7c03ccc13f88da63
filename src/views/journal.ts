import { claimedPath } from "../evidence/claimed-path.ts";
import { type Fact, printPlace } from "../knowledge/fact.ts";
import { type FactStanding, factStandingOf } from "../knowledge/freshness.ts";
import { ownValue } from "../shared/json-value.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState, TaskState } from "../workflow/state.ts";
import { count } from "../shared/count.ts";

/**
 * What a project has done, decided and learned, in the sections of the journal of 003. Plain JSON, composed from the
 * log each time.
 */
export interface Journal {
  readonly project: { readonly name: string; readonly runs: number; readonly brief: string };
  readonly current_run: JournalRun;
  /** Oldest first. */
  readonly runs: readonly JournalRunRow[];
  readonly tasks: readonly JournalTask[];
  readonly decisions: readonly JournalFact[];
  /** Oldest first. */
  readonly answers: readonly JournalAnswer[];
  readonly blockers: readonly JournalBlocker[];
  readonly context_map: readonly JournalFile[];
  readonly learned: { readonly patterns: readonly JournalFact[]; readonly gotchas: readonly JournalFact[] };
  readonly history: readonly HistoryLine[];
  /** How many entries each list leaves out. */
  readonly left_out: JournalLeftOut;
}

interface JournalLeftOut {
  readonly tasks: number;
  readonly decisions: number;
  readonly context_map: number;
  readonly patterns: number;
  /** Gotchas of any severity that are not listed. */
  readonly gotchas: number;
}

export interface JournalRunRow {
  readonly number: number;
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly started_at: number;
  readonly updated_at: number;
}

export interface JournalRun extends JournalRunRow {
  readonly type: "initial" | "iteration" | "extension";
  readonly phase: "planning" | "implementation" | "complete" | "paused";
  readonly iteration: number;
  readonly active: readonly string[];
  readonly done: number;
  readonly tasks: number;
  readonly blocked: number;
  /** Questions that wait for a person. */
  readonly asks: readonly string[];
}

export interface JournalTask {
  readonly id: string;
  readonly name: string;
  /** The status word of 003. */
  readonly status: string;
  /** The present, next or last agent of the task, with the kind of its runner; null for tasks of other runs. */
  readonly agent: string | null;
  readonly complexity: string | null;
  readonly depends_on: readonly string[];
  readonly run: string;
  readonly file: string | null;
}

export interface JournalFact {
  readonly id: string;
  readonly text: string;
  readonly detail: string | null;
  readonly severity: string | null;
  readonly place: string | null;
  readonly task: string;
  readonly agent: string;
  readonly handoff: string;
  readonly at: number;
  readonly proven: boolean;
  /** Whether it holds now: `trusted`, or why it is not passed on. */
  readonly standing: FactStanding;
}

/** What a person has answered, or decided without a word of their own. */
export interface JournalAnswer {
  readonly question: string;
  readonly answer: string;
  /** Null for answers of other runs, which name the person themselves. */
  readonly by: string | null;
  readonly task: string;
  readonly run: string;
  readonly at: number;
}

export interface JournalBlocker {
  readonly blocker: string;
  readonly impact: string | null;
  readonly resolution: string | null;
  readonly task: string;
  /** Tasks that wait for it. */
  readonly blocks: readonly string[];
}

export interface JournalFile {
  readonly path: string;
  readonly lines: string | null;
  readonly notes: string | null;
  readonly change: string;
  readonly task: string;
  readonly agent: string;
  readonly run: string;
}

export interface JournalSource {
  readonly project: string;
  readonly runs: readonly JournalRunRow[];
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly events: readonly { readonly at: number; readonly event: Event }[];
  /** Tasks of all runs that have a handoff, newest first. */
  readonly known: readonly {
    readonly run: string;
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly dependsOn: readonly string[];
  }[];
  readonly facts: readonly Fact[];
  /** Whether each fact holds now, by its id; a fact that is not listed was not looked at. */
  readonly standings?: ReadonlyMap<string, FactStanding>;
  /** Newest first. */
  readonly files: readonly (Omit<JournalFile, "notes"> & { readonly purpose: string | null })[];
  /** How many there are in total; absent when all of them are listed. */
  readonly totals?: {
    readonly facts: Readonly<Partial<Record<Fact["kind"], number>>>;
    readonly tasks: number;
    readonly files: number;
  };
}

export function journalOf(source: JournalSource): Journal {
  const { project, runs, state, facts, events } = source;
  const current = runs.find(({ run }) => run === state.run);
  const ofKind = (kind: Fact["kind"]): JournalFact[] =>
    facts
      .filter((fact) => fact.kind === kind)
      .flatMap((fact) => journalFact(fact, source.standings?.get(fact.id) ?? factStandingOf(fact, null)))
      .sort(byTime);
  return {
    project: { name: project, runs: runs.length, brief: state.brief },
    current_run: currentRun(source, current?.number ?? runs.length),
    runs,
    tasks: [...Object.values(state.tasks).map((task) => taskOf(source, task)), ...earlierTasks(source)],
    decisions: ofKind("decision"),
    answers: answersOf(source),
    blockers: blockersOf(state),
    context_map: contextMap(source),
    learned: {
      patterns: ofKind("pattern"),
      gotchas: ofKind("gotcha").filter(({ severity }) => severity === "high" || severity === "critical"),
    },
    history: historyOf(events),
    left_out: leftOut(source),
  };
}

function leftOut({ totals, known, facts, files }: JournalSource): JournalLeftOut {
  const more = (all: number | undefined, given: number): number => Math.max(0, (all ?? given) - given);
  const ofKind = (kind: Fact["kind"]): number =>
    more(totals?.facts[kind], facts.filter((fact) => fact.kind === kind).length);
  return {
    tasks: more(totals?.tasks, known.length),
    decisions: ofKind("decision"),
    context_map: more(totals?.files, new Set(files.map(({ path }) => path)).size),
    patterns: ofKind("pattern"),
    gotchas: ofKind("gotcha"),
  };
}

function currentRun({ state, runs, known }: JournalSource, number: number): JournalRun {
  const tasks = Object.values(state.tasks);
  const isRepeated = known.some(({ run, id }) => run !== state.run && Object.hasOwn(state.tasks, id));
  const row = runs.find(({ run }) => run === state.run);
  return {
    number,
    run: state.run,
    workflow: state.name,
    status: row?.status ?? state.status,
    started_at: state.startedAt,
    updated_at: row?.updated_at ?? state.startedAt,
    type: number === 1 ? "initial" : isRepeated ? "iteration" : "extension",
    phase: phaseOf(state, tasks),
    iteration: state.iteration,
    active: tasks.flatMap(({ id, step }) => (step === null ? [] : [id])),
    done: tasks.filter(({ status }) => status === "done").length,
    tasks: tasks.length,
    blocked: tasks.filter(({ blockers, status }) => blockers.length > 0 && status !== "done").length,
    asks: Object.values(state.asks).map(({ title }) => title),
  };
}

function phaseOf({ status, steps }: RunState, tasks: readonly TaskState[]): JournalRun["phase"] {
  if (status === "completed") return "complete";
  if (status !== "running") return "paused";
  if (steps === 0) return "planning";
  return tasks.some(({ step }) => step !== null && step.phase !== "asking") ? "implementation" : "paused";
}

function taskOf({ workflow, state }: JournalSource, task: TaskState): JournalTask {
  const name = (task.step ?? task.next ?? task.last)?.agent ?? null;
  const agent = ownValue(workflow.agents, name ?? "");
  return {
    id: task.id,
    name: task.name,
    status: taskStatus(task),
    agent: agent === undefined ? name : `${agent.name} (${agent.runner.kind})`,
    complexity: agent?.context?.complexity ?? null,
    depends_on: task.dependsOn,
    run: state.run,
    file: task.source?.path ?? null,
  };
}

/** pending, in_progress, completed, failed, blocked, skipped. */
export function taskStatus({ status, blockers, last }: TaskState): string {
  if (status === "waiting") return blockers.length > 0 ? "blocked" : "pending";
  if (status === "asking" && last?.handoff.outcome === "blocked") return "blocked";
  return STATUSES[status] ?? status;
}

const STATUSES: Readonly<Record<string, string>> = {
  working: "in_progress",
  asking: "in_progress",
  "in-progress": "in_progress",
  done: "completed",
  "done-with-warnings": "completed",
  cancelled: "skipped",
};

function earlierTasks({ known, state }: JournalSource): JournalTask[] {
  return known
    .filter(({ run }) => run !== state.run)
    .map(({ run, id, name, status, dependsOn }) => ({
      id,
      name,
      status: ownValue(STATUSES, status) ?? status,
      agent: null,
      complexity: null,
      depends_on: dependsOn,
      run,
      file: null,
    }));
}

/** Blockers named by the last handoffs of unfinished tasks, with the tasks that they block (003-R25). */
function blockersOf({ tasks }: RunState): JournalBlocker[] {
  const all = Object.values(tasks);
  return all.flatMap(({ id, status, last }) => {
    if (status === "done" || status === "cancelled") return [];
    return (last?.handoff.blockers ?? []).map(({ description = "", impact, resolution, blocks = [] }) => ({
      blocker: description,
      impact: impact ?? null,
      resolution: resolution ?? null,
      task: id,
      blocks: all
        .filter((task) => task.blockers.some((held) => held.by === id && held.description === description))
        .map((task) => task.id)
        .concat(blocks.filter((name) => !Object.hasOwn(tasks, name))),
    }));
  });
}

/** The latest statement about each file. Paths outside of the project are left out. */
function contextMap({ files }: JournalSource): JournalFile[] {
  const map = new Map<string, JournalFile>();
  for (const { purpose, ...file } of files) {
    const claimed = claimedPath(file.path);
    if (claimed.isSafe && !map.has(claimed.path))
      map.set(claimed.path, { ...file, path: claimed.path, notes: purpose });
  }
  return [...map.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** Answers of this run from its events, and of other runs from the questions that they have closed. */
function answersOf({ events, facts, state }: JournalSource): JournalAnswer[] {
  const asks = new Map(events.flatMap(({ event }) => (event.kind === "ask-opened" ? [[event.ask.id, event.ask]] : [])));
  const own = events.flatMap(({ event }): JournalAnswer[] => {
    if (event.kind !== "ask-answered") return [];
    const { title = event.ask, task = "" } = asks.get(event.ask) ?? {};
    const answer = event.text === null ? event.choice : `${event.choice}: ${event.text}`;
    return [{ question: title, answer, by: event.by, task, run: state.run, at: event.at }];
  });
  const others = facts.flatMap(({ text, answer, witnesses: [first] }): JournalAnswer[] => {
    if (answer === null || first === undefined || first.run === state.run) return [];
    return [{ question: text, answer, by: null, task: first.task, run: first.run, at: first.at }];
  });
  return [...others, ...own].sort((left, right) => left.at - right.at);
}

function journalFact(
  { id, text, detail, severity, citation, status, witnesses }: Fact,
  standing: FactStanding,
): JournalFact[] {
  const [first] = witnesses;
  if (first === undefined) return [];
  const { task, agent, handoff, at } = first;
  const place = citation === null ? null : printPlace(citation);
  return [{ id, text, detail, severity, place, task, agent, handoff, at, proven: status === "trusted", standing }];
}

function byTime(left: JournalFact, right: JournalFact): number {
  return left.at - right.at || (left.id < right.id ? -1 : 1);
}

interface HistoryLine {
  readonly at: number;
  readonly text: string;
}

type Tell = { readonly [K in Event["kind"]]?: (event: Extract<Event, { kind: K }>) => string };

/** The history of a run in fixed phrases: names, counts and outcomes, and no free text of an agent. */
function historyOf(events: readonly { readonly at: number; readonly event: Event }[]): HistoryLine[] {
  return events.flatMap(({ at, event }) => {
    const tell = TOLD[event.kind] as ((event: Event) => string) | undefined;
    return tell === undefined ? [] : [{ at, text: tell(event) }];
  });
}

const TOLD: Tell = {
  "run-started": ({ name, run }) => `run ${run} of ${name} started`,
  "run-completed": () => "run completed",
  "run-failed": () => "run failed",
  "run-cancelled": ({ by }) => `run cancelled by ${by}`,
  "run-reopened": ({ by }) => `run sent on again by ${by}`,
  "step-started": ({ agent, task, reason, iteration }) =>
    `${agent} started on ${task}, round ${iteration}${reason.kind === "first" ? "" : ` (${reason.kind})`}`,
  "handoff-accepted": ({ agent, task, delivery }) => `${agent} handed ${task} over: ${delivery.handoff.outcome}`,
  "handoff-refused": ({ agent, task, problems }) =>
    `a handoff of ${agent} on ${task} was sent back with ${count(problems.length, "problem")}`,
  "gate-passed": ({ gate, task }) => `gate ${gate} passed for ${task}`,
  "gate-failed": ({ gate, task }) => `gate ${gate} failed for ${task}`,
  "loop-began": ({ loop, issues }) =>
    `round ${loop.iteration}: ${loop.asker} sent ${loop.task} back to ${loop.target} with ${count(issues.length, "issue")}`,
  "loop-ended": ({ task, asker, end }) => `the loop of ${asker} on ${task} ended: ${end}`,
  "task-blocked": ({ task, blocker }) => `${task} is held up by ${blocker.by}`,
  "task-released": ({ task, by }) => `${task} is no longer held up by ${by}`,
  "task-finished": ({ task, status }) => `${task} ended: ${status}`,
  "ask-opened": ({ ask }) => `${ask.id} waits for a person (${ask.kind})`,
  "ask-answered": ({ ask, choice, by }) => `${by} answered ${ask}: ${choice}`,
};
