import type { Complexity, Packet } from "../../knowledge/packet.ts";
import type { DialectName } from "../../protocol/handoff-words.ts";
import { AppError } from "../../shared/app-error.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import type { ContextPolicy, Workflow } from "../../workflow/definition.ts";
import { EMPTY_RUN, evolve } from "../../workflow/evolve.ts";
import { DEFAULT_CONTEXT } from "../../workflow/file/read-context.ts";
import type { RunState, TaskState } from "../../workflow/state.ts";
import type { Engine } from "../engine.ts";
import { type PacketPorts, preparePacket, unverifiedAgents } from "../prepare-packet.ts";
import { readWholeEntries, readPinnedWorkflow } from "../read-log.ts";
import { foldEntries } from "../run-session.ts";
import { findRun } from "./send-input.ts";

export { COMPLEXITIES, MAX_CONTEXT_TOKENS } from "../../workflow/file/read-context.ts";
export type { Complexity } from "../../knowledge/packet.ts";
export { leftOutReason, PACKET_LAYOUTS, renderPacket } from "../../knowledge/render-packet.ts";

/** The size and layout of a packet, overriding the workflow. */
export interface PacketSize {
  readonly budget: number | null;
  readonly complexity: Complexity | null;
  readonly layout: DialectName | null;
}

interface PreviewRequest extends PacketSize {
  /** Id of a run or a prefix of it; the newest run when undefined. */
  readonly run: string | undefined;
  readonly task: string | undefined;
  readonly agent: string | undefined;
}

export interface PreviewedPacket {
  readonly run: string | null;
  readonly task: string | null;
  readonly agent: string | null;
  /** False when the workflow gives this agent no packet. */
  readonly isGiven: boolean;
  readonly complexity: Complexity;
  readonly packet: Packet;
}

/** The packet for the agent that works on a task now, or for the named agent. */
export async function previewPacket(engine: Engine, request: PreviewRequest): Promise<PreviewedPacket> {
  const { ports } = engine;
  const row = await findRun(ports, request.run);
  const workflow = await readPinnedWorkflow(ports.log, row);
  const state = foldEntries(await readWholeEntries(ports.log, row.run));
  const task = chooseTask(state, request.task);
  const agent = chooseAgent(workflow, task, request.agent);
  const policy = workflow.agents[agent]?.context ?? null;
  const { complexity, tokens } = sizeOf(policy, request);
  const issues = (task.step ?? task.next)?.reason.issues ?? [];
  const directory = await folderOf(engine, row.run, workflow);
  const layout = request.layout ?? workflow.agents[agent]?.dialect ?? DEFAULT_LAYOUT;
  const unverified = unverifiedAgents(workflow);
  const work = { run: row.run, directory, state, task, issues, complexity, layout, budget: tokens, unverified };
  const packet = await preparePacket(ports, work);
  return { run: row.run, task: task.id, agent, isGiven: policy !== null, complexity, packet };
}

interface KnowledgePlace {
  readonly ports: PacketPorts;
  readonly root: string;
}

/** The known facts about a text, independent of a run. */
export async function previewAbout(engine: KnowledgePlace, about: string, size: PacketSize): Promise<PreviewedPacket> {
  const definition = { id: "", name: "", priority: "medium", dependsOn: [], start: null, brief: about } as const;
  const state = evolve(EMPTY_RUN, { kind: "task-added", task: definition });
  const { complexity, tokens } = sizeOf(null, size);
  const work = { run: "", directory: engine.root, state, task: chooseTask(state, ""), issues: [] };
  const layout = size.layout ?? DEFAULT_LAYOUT;
  const packet = await preparePacket(engine.ports, { ...work, complexity, layout, budget: tokens });
  return { run: null, task: null, agent: null, isGiven: true, complexity, packet };
}

/** Markdown, for readers of the preview. */
const DEFAULT_LAYOUT: DialectName = "task-yaml";

function sizeOf(policy: ContextPolicy | null, { budget, complexity }: PacketSize): ContextPolicy {
  const usual = policy ?? DEFAULT_CONTEXT;
  return { tokens: budget ?? usual.tokens, complexity: complexity ?? usual.complexity };
}

/** The named task; otherwise the one in progress, the next one, or the last one. */
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

/** The folder in which the agents of the run work. A removed worktree is not created again for a preview. */
async function folderOf({ ports, root }: Engine, run: string, { workspace }: Workflow): Promise<string> {
  return (workspace === "worktree" ? await ports.workspace.worktree(run) : null) ?? root;
}
