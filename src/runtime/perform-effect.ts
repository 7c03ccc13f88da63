import { resolve } from "node:path";
import type { AgentJob, AgentReport, AgentSession, AgentUpdate } from "../ports/agent.ts";
import type { Told } from "../ports/driver.ts";
import type { Machine } from "../ports/machine.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { renderPacket } from "../knowledge/render-packet.ts";
import { attemptPart } from "../views/run-trace.ts";
import { composePrompt, isRepairOnly } from "../workflow/compose-prompt.ts";
import type { Effect } from "../workflow/effect.ts";
import type { TaskState } from "../workflow/state.ts";
import type { Redact } from "../shared/redact.ts";
import type { RunSession } from "./run-session.ts";
import { partOfPrompt, preparePacket } from "./prepare-packet.ts";
import { type Given, type Recorded, recordAttempt } from "./record-attempt.ts";
import { situationOf } from "./situation.ts";
import { runGate } from "./run-gate.ts";
import { type Taken, handoffFiles, takeHandoff } from "./take-handoff.ts";
import { type Verified, markBase, verifyHandoff } from "./verify-handoff.ts";

type StartAgent = Extract<Effect, { kind: "start-agent" }>;
type RunGate = Extract<Effect, { kind: "run-gate" }>;

/** What came of an effect, and the texts that are to be kept with it. */
export interface Outcome {
  readonly told: Told;
  readonly texts: readonly string[];
}

/** An effect that is being carried out. */
export interface Performance {
  readonly key: string;
  readonly outcome: Promise<Outcome>;
  stop(): void;
}

/** Starts an agent; its outcome is an input, whatever happens. */
export function performStart(
  machine: Machine,
  session: RunSession,
  effect: StartAgent,
  watch: (update: AgentUpdate) => void,
): Performance {
  const stopping = new AbortController();
  return {
    key: effect.key,
    outcome: runAgent(machine, session, effect, watch, stopping.signal),
    stop: () => stopping.abort(),
  };
}

async function runAgent(
  machine: Machine,
  session: RunSession,
  effect: StartAgent,
  watch: (update: AgentUpdate) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const { workflow, state, lease } = session;
  const startedAt = machine.clock.now();
  try {
    const agent = workflow.agents[effect.agent];
    const task = state.tasks[effect.task];
    if (agent === undefined || task === undefined || agent.runner.kind === "human")
      throw new Error(`${effect.agent} cannot be started`);
    const directory = await machine.workspace.prepare(lease.run, workflow.workspace);
    const scratch = await machine.workspace.scratch(lease.run, effect.attempt);
    const files = handoffFiles(agent, state.iteration, { task: task.id, isParallel: workflow.parallel > 1 });
    const before = await machine.workspace.look(directory, files);
    const began = task.began[agent.name];
    const base = agent.verify === null ? null : await markBase(machine, lease.run, directory, began, signal);
    if (signal.aborted) throw new Error("it was stopped before it started");
    const packet = await packetFor(machine, session, task, effect, directory);
    const heading = { nonce: machine.clock.id(), file: files.at(-1) ?? null, packet: packet?.text ?? "" };
    const prompt = composePrompt(workflow, state, task, effect.reason, heading);
    const started = machine.agent(agent.runner.kind).start(
      {
        attempt: `${lease.run}.${effect.attempt}`,
        agent: agent.name,
        runner: placed(agent.runner, directory),
        prompt,
        situation: situationOf(workflow, state, task),
        workspace: directory,
        scratch,
        environment: {
          ...environmentOf(lease.run, state.iteration, effect),
          ...machine.submission?.(lease.run, effect.attempt),
          ...machine.telemetry.contextOf(state, attemptPart(effect.attempt)),
        },
        timeout: effect.timeout,
        outputLimit: agent.output,
        session: effect.session,
        money: agent.cost.money,
        collector: machine.telemetry.collector,
      },
      watch,
    );
    const report = await reportOf(started, signal, machine.redact);
    const verify = (handoff: Handoff): Promise<Verified> =>
      agent.verify === null
        ? Promise.resolve({ judgements: [], problems: [] })
        : verifyHandoff(machine, { handoff, directory, base, ownFiles: files, workflow, state, task, signal });
    const finished = { attempt: effect.attempt, agent, report, directory, scratch, files, before, verify };
    return withRecord(
      await takeHandoff(machine, finished),
      recordAttempt(machine.redact, { prompt, nonce: heading.nonce, packet }, report),
    );
  } catch (error) {
    return notStarted(effect.attempt, error, machine.clock.now() - startedAt);
  }
}

function notStarted(attempt: string, error: unknown, milliseconds: number): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  const usage = { milliseconds, tokens: null, money: null };
  const nothing = { delivery: null, judgements: [], problems: [], session: null } as const;
  return { told: { kind: "report-attempt", attempt, end: "could-not-start", message, usage, ...nothing }, texts: [] };
}

/** How it ended, its last message masked. */
async function reportOf(started: AgentSession, signal: AbortSignal, redact: Redact): Promise<AgentReport> {
  if (signal.aborted) started.stop();
  signal.addEventListener("abort", () => started.stop());
  const { lastMessage, ...report } = await started.ended;
  return { ...report, lastMessage: lastMessage === null ? null : redact(lastMessage) };
}

/** A handoff that stands in the last message is the same text, and kept once. */
function withRecord({ told, text }: Taken, { record, texts }: Recorded): Outcome {
  return { told: { ...told, record }, texts: [...new Set([...(text === null ? [] : [text]), ...texts])] };
}

/** What is known helps; that it cannot be had keeps nobody from working. */
async function packetFor(
  machine: Machine,
  { workflow, state, lease }: RunSession,
  task: TaskState,
  { agent, reason }: StartAgent,
  directory: string,
): Promise<Given["packet"]> {
  const { context = null, dialect: layout = "task-yaml" } = workflow.agents[agent] ?? {};
  if (context === null || isRepairOnly(task, reason)) return null;
  const { tokens, complexity } = context;
  try {
    const work = { run: lease.run, directory, state, task, complexity, layout, budget: tokens };
    const packet = partOfPrompt(await preparePacket(machine, { ...work, issues: reason.issues }));
    const text = renderPacket(packet);
    return text === "" ? null : { packet, text };
  } catch {
    return null;
  }
}

/** A function is named from the workspace. */
function placed(runner: AgentJob["runner"], directory: string): AgentJob["runner"] {
  return runner.kind === "function" ? { ...runner, module: resolve(directory, runner.module) } : runner;
}

function environmentOf(run: string, iteration: number, effect: StartAgent): Record<string, string> {
  return {
    BATON_RUN: run,
    BATON_STEP: effect.step,
    BATON_TASK: effect.task,
    BATON_AGENT: effect.agent,
    BATON_ITERATION: String(iteration),
    BATON_REASON: effect.reason.kind,
  };
}

export function performGate(machine: Machine, session: RunSession, effect: RunGate): Performance {
  const stopping = new AbortController();
  return {
    key: effect.key,
    outcome: runGate(machine, session, effect, stopping.signal).then((told) => ({ told, texts: [] })),
    stop: () => stopping.abort(),
  };
}
