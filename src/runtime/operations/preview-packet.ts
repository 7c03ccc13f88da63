import type { Complexity, Packet } from "../../knowledge/packet.ts";
import type { DialectName } from "../../protocol/handoff-words.ts";
import { AppError } from "../../shared/app-error.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import type { ContextPolicy, Workflow } from "../../workflow/definition.ts";
import { EMPTY_RUN, evolve } from "../../workflow/evolve.ts";
import { DEFAULT_CONTEXT } from "../../workflow/file/read-context.ts";
import type { RunState, TaskState } from "../../workflow/state.ts";
import type { Engine } from "../engine.ts";
import { preparePacket } from "../prepare-packet.ts";
import { foldEntries } from "../run-session.ts";
import { findRun, wholeEntries } from "./tell-run.ts";

export { COMPLEXITIES, MOST_CONTEXT_TOKENS } from "../../workflow/file/read-context.ts";
export type { Complexity, LeftOut, Packet } from "../../knowledge/packet.ts";
export { leftOutReason, PACKET_LAYOUTS, renderPacket } from "../../knowledge/render-packet.ts";

/** How much is given, and how it is laid out, instead of what the workflow says. */
export interface PacketSize {
  readonly budget: number | null;
  readonly complexity: Complexity | null;
  readonly layout: DialectName | null;
}

export interface PreviewRequest extends PacketSize {
  /** A run, the beginning of one, or the newest. */
  readonly run: string | undefined;
  readonly task: string | undefined;
  readonly agent: string | undefined;
}

export interface PreviewedPacket {
  readonly run: string | null;
  readonly task: string | null;
  readonly agent: string | null;
  /** False when the workflow gives this agent nothing. */
  readonly isGiven: boolean;
  readonly complexity: Complexity;
  readonly packet: Packet;
}

/** The packet that the agent at work on a task, or the named one, would be given now. */
export async function previewPacket(engine: Engine, request: PreviewRequest): Promise<PreviewedPacket> {
  const { machine } = engine;
  const row = await findRun(machine, request.run);
  const workflow = (await machine.log.workflow(row.workflow)) as unknown as Workflow;
  const state = foldEntries(await wholeEntries(machine, row.run));
  const task = chooseTask(state, request.task);
  const agent = chooseAgent(workflow, task, request.agent);
  const policy = workflow.agents[agent]?.context ?? null;
  const { complexity, tokens } = sizeOf(policy, request);
  const issues = (task.step ?? task.next)?.reason.issues ?? [];
  const directory = await folderOf(engine, row.run, workflow);
  const layout = request.layout ?? workflow.agents[agent]?.dialect ?? DEFAULT_LAYOUT;
  const work = { run: row.run, directory, state, task, issues, complexity, layout, budget: tokens };
  const packet = await preparePacket(machine, work);
  return { run: row.run, task: task.id, agent, isGiven: policy !== null, complexity, packet };
}

/** What is known about a text, for the repository at large. */
export async function previewAbout(engine: Engine, about: string, size: PacketSize): Promise<PreviewedPacket> {
  const definition = { id: "", name: "", priority: "medium", dependsOn: [], start: null, brief: about } as const;
  const state = evolve(EMPTY_RUN, { kind: "task-added", task: definition });
  const { complexity, tokens } = sizeOf(null, size);
  const work = { run: "", directory: engine.root, state, task: chooseTask(state, ""), issues: [] };
  const layout = size.layout ?? DEFAULT_LAYOUT;
  const packet = await preparePacket(engine.machine, { ...work, complexity, layout, budget: tokens });
  return { run: null, task: null, agent: null, isGiven: true, complexity, packet };
}

/** Markdown, for whoever reads it. */
const DEFAULT_LAYOUT: DialectName = "task-yaml";

function sizeOf(policy: ContextPolicy | null, { budget, complexity }: PacketSize): ContextPolicy {
  const usual = policy ?? DEFAULT_CONTEXT;
  return { tokens: budget ?? usual.tokens, complexity: complexity ?? usual.complexity };
}

/** The named one; else the one that is worked on, or that comes next, or that came last. */
function chooseTask({ tasks }: RunState, name: string | undefined): TaskState {
  const all = Object.values(tasks);
  const found =
    name === undefined
      ? (all.find(({ step }) => step !== null) ?? all.find(({ status }) => status === "waiting") ?? all.at(-1))
      : all.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const names = all.map(({ id }) => id);
  throw new AppError("no-match", `The run has no task ${name ?? ""}.`, nearHint(name ?? "", names));
}

function chooseAgent({ agents, start }: Workflow, task: TaskState, name: string | undefined): string {
  const agent = name ?? task.step?.agent ?? task.next?.agent ?? task.last?.agent ?? task.start ?? start;
  if (Object.hasOwn(agents, agent)) return agent;
  throw new AppError("no-match", `The workflow has no agent ${agent}.`, nearHint(agent, Object.keys(agents)));
}

function nearHint(name: string, names: readonly string[]): string {
  const near = nearestWord(name, names);
  return near === null ? `It has ${names.slice(0, 20).join(", ")}.` : `Did you mean ${near}?`;
}

/** Where the agents of the run work. A worktree that was put away is not made again to be looked at. */
async function folderOf({ machine, root, stateFolder }: Engine, run: string, { workspace }: Workflow): Promise<string> {
  const isThere = workspace === "worktree" && (await machine.workspace.has(stateFolder, `worktrees/${run}`));
  return isThere ? machine.workspace.prepare(run, workspace) : root;
}
