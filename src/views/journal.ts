import { claimedPath } from "../evidence/claimed-path.ts";
import type { Fact } from "../knowledge/fact.ts";
import { printPlace } from "../knowledge/print-place.ts";
import { ownValue } from "../shared/json-value.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState, TaskState } from "../workflow/state.ts";
import { type HistoryLine, historyOf } from "./journal-history.ts";

/** What a project has done, decided and learned, as 003 keeps its journal. Plain JSON; made anew each time. */
export interface Journal {
  readonly project: { readonly name: string; readonly runs: number; readonly brief: string };
  readonly current_run: JournalRun;
  /** The oldest first. */
  readonly runs: readonly JournalRunRow[];
  readonly tasks: readonly JournalTask[];
  readonly decisions: readonly JournalFact[];
  readonly blockers: readonly JournalBlocker[];
  readonly context_map: readonly JournalFile[];
  readonly learned: { readonly patterns: readonly JournalFact[]; readonly gotchas: readonly JournalFact[] };
  readonly history: readonly HistoryLine[];
  /** How many more there are than are listed. */
  readonly left_out: JournalLeftOut;
}

export interface JournalLeftOut {
  readonly tasks: number;
  readonly decisions: number;
  readonly context_map: number;
  readonly patterns: number;
  /** Of any severity: these were not looked at. */
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
  /** What waits for a person. */
  readonly asks: readonly string[];
}

export interface JournalTask {
  readonly id: string;
  readonly name: string;
  /** In the words of 003. */
  readonly status: string;
  /** What the agent that works on it runs on; null for tasks of other runs. */
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
  /** Tasks of all runs that handed something over, the newest first. */
  readonly known: readonly {
    readonly run: string;
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly dependsOn: readonly string[];
  }[];
  readonly facts: readonly Fact[];
  /** The newest first. */
  readonly files: readonly (Omit<JournalFile, "notes"> & { readonly purpose: string | null })[];
  /** How many there are in all; absent when all of them are given. */
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
      .flatMap(journalFact)
      .sort(byTime);
  return {
    project: { name: project, runs: runs.length, brief: state.brief },
    current_run: currentRun(source, current?.number ?? runs.length),
    runs,
    tasks: [...Object.values(state.tasks).map((task) => taskOf(source, task)), ...earlierTasks(source)],
    decisions: ofKind("decision"),
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

/** What the last handoffs of unfinished tasks name, and whom it holds up (003-R25). */
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

/** Of each file what was said of it last. What does not lie in the project is no part of it. */
function contextMap({ files }: JournalSource): JournalFile[] {
  const map = new Map<string, JournalFile>();
  for (const { purpose, ...file } of files) {
    const claimed = claimedPath(file.path);
    if (claimed.isSafe && !map.has(claimed.path))
      map.set(claimed.path, { ...file, path: claimed.path, notes: purpose });
  }
  return [...map.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
}

function journalFact({ id, text, detail, severity, citation, status, witnesses }: Fact): JournalFact[] {
  const [first] = witnesses;
  if (first === undefined) return [];
  const { task, agent, handoff, at } = first;
  const place = citation === null ? null : printPlace(citation);
  return [{ id, text, detail, severity, place, task, agent, handoff, at, proven: status === "trusted" }];
}

function byTime(left: JournalFact, right: JournalFact): number {
  return left.at - right.at || (left.id < right.id ? -1 : 1);
}
