import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AgentJob, AgentReport, AgentSession, AgentUpdate, AgentInput, ReportedWork } from "../ports/agent.ts";
import type { ReportAttempt, RunInput, UntrustedFile } from "../workflow/input.ts";
import type { Ports } from "../ports/ports.ts";
import type { Snapshot } from "../ports/repository.ts";
import type { Handoff, Outcome } from "../protocol/handoff.ts";
import { OUTCOMES } from "../protocol/handoff-words.ts";
import { renderPacket } from "../knowledge/render-packet.ts";
import { attemptPart } from "../views/run-trace.ts";
import { composeWithRest, isRepairOnly } from "../workflow/compose-prompt.ts";
import type { Effect } from "../workflow/effect.ts";
import { reviewedCommit } from "../workflow/reviewed-commit.ts";
import type { TaskState, RunState } from "../workflow/state.ts";
import type { Redact } from "../shared/redact.ts";
import type { RunSession } from "./run-session.ts";
import type { Halt } from "./halt.ts";
import { partOfPrompt, preparePacket, unverifiedAgents } from "./prepare-packet.ts";
import { runGate } from "./run-gate.ts";
import { findUntrusted } from "./find-untrusted.ts";
import { type Taken, handoffFiles, takeHandoff } from "./take-handoff.ts";
import { type Verified, markBase, markFinding, verifyHandoff } from "./verify-handoff.ts";
import type { AgentDefinition, Workflow } from "../workflow/definition.ts";
import { hash } from "node:crypto";
import { type Packet, factsIn, splitReads } from "../knowledge/packet.ts";
import { factMarkOf } from "../ports/knowledge-store.ts";
import type { AttemptRecord, GivenPrompt, KeptText, Takeover } from "../workflow/attempt-record.ts";

type StartAgent = Extract<Effect, { kind: "start-agent" }>;
type RunGate = Extract<Effect, { kind: "run-gate" }>;

/** The result of an effect, and the texts to store with it. */
export interface EffectResult {
  readonly input: RunInput;
  readonly texts: readonly string[];
}

/** An effect that is being executed. */
export interface RunningEffect {
  readonly key: string;
  readonly outcome: Promise<EffectResult>;
  stop(): void;
}

/** Starts an agent. Every result, including a failure, becomes an input. */
export function performStart(
  ports: Ports,
  session: RunSession,
  effect: StartAgent,
  watch: (update: AgentUpdate) => void,
  halt?: Halt,
): RunningEffect {
  const stopping = new AbortController();
  const watching = { watch, signal: stopping.signal, ...(halt && { halt }) };
  return {
    key: effect.key,
    outcome: besideRepository(ports, session, effect, () => runAgent(ports, session, effect, watching)),
    stop: () => stopping.abort(),
  };
}

/** Says when the repository that was there is gone: then nothing can be verified, and nothing is started again either. */
async function besideRepository(
  ports: Ports,
  { lease, workflow, state }: RunSession,
  { attempt }: StartAgent,
  work: () => Promise<EffectResult>,
): Promise<EffectResult> {
  // A workspace that cannot be prepared is no sign: the attempt fails and tells why.
  const isThere = async (): Promise<boolean | null> => {
    const directory = await ports.workspace.prepare(lease.run, workflow.workspace).catch(() => null);
    return directory === null ? null : await ports.repository.isRepository(directory).catch(() => false);
  };
  const isNow = await isThere();
  const isMissing = (state.isRepositoryGone === true || state.beganInRepository) && isNow === false;
  const result = isMissing ? notStarted(attempt, new Error("the repository is gone"), 0) : await work();
  const { input } = result;
  if (input.kind !== "report-attempt" || input.end === "stopped") return result;
  const isGone = isMissing || (isNow === true && (await isThere()) === false);
  return isGone ? { ...result, input: { ...input, isRepositoryGone: true, delivery: null, problems: [] } } : result;
}

async function runAgent(
  ports: Ports,
  session: RunSession,
  effect: StartAgent,
  watching: Watching,
): Promise<EffectResult> {
  const { workflow, state, lease } = session;
  const { watch, signal } = watching;
  const startedAt = ports.clock.now();
  try {
    const agent = workflow.agents[effect.agent];
    const task = state.tasks[effect.task];
    if (agent === undefined || task === undefined || agent.runner.kind === "human")
      throw new Error(`${effect.agent} cannot be started`);
    const directory = await ports.workspace.prepare(lease.run, workflow.workspace);
    const scratch = await ports.workspace.scratch(lease.run, effect.attempt);
    const files = handoffFiles(agent, state, { task: task.id, isParallel: workflow.parallel > 1 });
    const before = await ports.workspace.look(directory, files);
    const bases = await markBases(ports, lease.run, directory, task, agent, signal);
    const from = await headOf(ports, workflow, directory);
    if (signal.aborted) throw new Error("it was stopped before it started");
    const packet = await packetFor(ports, session, task, effect, directory);
    const rest = join(scratch, LEFT_OUT_FILE);
    const heading = { nonce: ports.clock.id(), file: files.at(-1) ?? null, packet: packet?.text ?? "", rest };
    const prompt = promptIn(ports.redact, [workflow, state, task, effect.reason], heading);
    const untrusted = await findUntrusted(ports, session, { agent: agent.name }, directory);
    if (untrusted.length > 0) return notTrusted(effect.attempt, untrusted, ports.clock.now() - startedAt);
    const started = ports.agent(agent.runner.kind).start(
      {
        attempt: `${lease.run}.${effect.attempt}`,
        agent: agent.name,
        runner: placed(agent.runner, directory),
        prompt,
        input: agentInputOf(workflow, state, task),
        workspace: directory,
        scratch,
        environment: environmentFor(ports, session, effect),
        timeout: effect.timeout,
        outputLimit: agent.output,
        session: effect.session,
        money: agent.cost.money,
        collector: ports.telemetry.collector,
      },
      watch,
    );
    const report = await withFolder(ports, session, await reportOf(started, watching, ports.redact));
    const to = await headOf(ports, workflow, directory);
    const verify = async (handoff: Handoff): Promise<Verified> => {
      const subject = { handoff, directory, ...bases, ownFiles: files, workflow, state, task, signal };
      const verified = agent.verify === null ? NOTHING_JUDGED : await verifyHandoff(ports, subject);
      return { ...verified, ...(await markFinding(ports, directory, handoff)) };
    };
    const finished = { attempt: effect.attempt, agent, workflow, report, directory, scratch, files, before, verify };
    const record = recordAttempt(ports.redact, { prompt, nonce: heading.nonce, rest, packet }, report);
    return withHeads(withRecord(await takeHandoff(ports, finished), record), from, to);
  } catch (error) {
    return notStarted(effect.attempt, error, ports.clock.now() - startedAt);
  }
}

const NOTHING_JUDGED: Verified = { judgements: [], problems: [] };

/** Only where there is something to merge in: each look starts git. */
async function headOf({ repository }: Ports, { forge }: Workflow, directory: string): Promise<string | null> {
  return forge === null ? null : await repository.head(directory).catch(() => null);
}

function withHeads({ input, texts }: EffectResult, from: string | null, to: string | null): EffectResult {
  if (input.kind !== "report-attempt" || from === null || to === null) return { input, texts };
  return { input: { ...input, heads: { from, to } }, texts };
}

/** The states with which the work is compared: before the series of steps, and for the rules of gates before all of them. */
async function markBases(
  ports: Ports,
  run: string,
  directory: string,
  { began, since }: TaskState,
  { name, verify }: AgentDefinition,
  signal: AbortSignal,
): Promise<{ readonly base: Snapshot | null; readonly rulesBase: Snapshot | null }> {
  const base = verify === null ? null : await markBase(ports, run, directory, began[name], signal);
  if (base === null || since[name] === began[name]) return { base, rulesBase: base };
  return { base, rulesBase: await markBase(ports, run, directory, since[name], signal) };
}

function environmentFor(ports: Ports, { lease, state }: RunSession, effect: StartAgent): Record<string, string> {
  return {
    ...environmentOf(lease.run, state.iteration, effect),
    ...ports.submission?.(lease.run, effect.attempt),
    ...ports.telemetry.contextOf(state, attemptPart(effect.attempt)),
  };
}

function notStarted(
  attempt: string,
  error: unknown,
  milliseconds: number,
): EffectResult & { readonly input: ReportAttempt } {
  const message = error instanceof Error ? error.message : String(error);
  const usage = { milliseconds, tokens: null, money: null };
  const nothing = { delivery: null, judgements: [], problems: [], session: null } as const;
  return { input: { kind: "report-attempt", attempt, end: "could-not-start", message, usage, ...nothing }, texts: [] };
}

function notTrusted(attempt: string, untrusted: readonly UntrustedFile[], milliseconds: number): EffectResult {
  const names = untrusted.map(({ path }) => path).join(", ");
  const result = notStarted(attempt, new Error(`not as trusted: ${names}`), milliseconds);
  return { ...result, input: { ...result.input, untrusted } };
}

/** Waits for the end of the agent and masks its last message. */
interface Watching {
  readonly watch: (update: AgentUpdate) => void;
  readonly signal: AbortSignal;
  readonly halt?: Halt;
}

async function reportOf(started: AgentSession, { signal, halt }: Watching, redact: Redact): Promise<AgentReport> {
  if (signal.aborted) started.stop();
  signal.addEventListener("abort", () => started.stop());
  const free = halt?.apply((isOn) => holdAgent(started, isOn));
  const { lastMessage, ...report } = await started.ended;
  free?.();
  return { ...report, lastMessage: lastMessage === null ? null : redact(lastMessage) };
}

/** One that cannot be held is ended. */
function holdAgent(session: AgentSession, isOn: boolean): void {
  if (!isOn) session.resume?.();
  else if (session.pause === undefined) session.stop();
  else session.pause();
}

/** An agent whose folder was deleted while it worked has failed, whatever it reports: its work is gone. */
async function withFolder(ports: Ports, { workflow, lease }: RunSession, report: AgentReport): Promise<AgentReport> {
  try {
    await ports.workspace.prepare(lease.run, workflow.workspace);
    return report;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...report, end: "crashed", message, isPermanent: true };
  }
}

/** A handoff in the last message is the same text, and is stored once. */
function withRecord({ input, text }: Taken, { record, texts }: Recorded): EffectResult {
  return { input: { ...input, record }, texts: [...new Set([...(text === null ? [] : [text]), ...texts])] };
}

/** What the prompt leaves out is written, masked, where the other files of the attempt are. */
function promptIn(
  redact: Redact,
  of: readonly [Workflow, RunState, TaskState, StartAgent["reason"]],
  heading: Parameters<typeof composeWithRest>[4] & { readonly rest: string },
): string {
  const { text, rest } = composeWithRest(...of, heading);
  if (rest !== null) writeFileSync(heading.rest, redact(rest), { mode: 0o600 });
  return text;
}

const LEFT_OUT_FILE = "left-out.json";

/** If the packet cannot be prepared, the agent starts without it. */
async function packetFor(
  ports: Ports,
  { workflow, state, lease }: RunSession,
  task: TaskState,
  { agent, reason }: StartAgent,
  directory: string,
): Promise<GivenContext["packet"]> {
  const { context = null, dialect: layout = "task-yaml" } = workflow.agents[agent] ?? {};
  if (context === null || isRepairOnly(task, reason)) return null;
  const { tokens, complexity } = context;
  try {
    const unverified = unverifiedAgents(workflow);
    const work = { run: lease.run, directory, state, task, complexity, layout, budget: tokens, unverified };
    const packet = partOfPrompt(await preparePacket(ports, { ...work, issues: reason.issues }));
    const text = renderPacket(packet);
    return text === "" ? null : { packet, text };
  } catch {
    return null;
  }
}

/** The module of a function is relative to the workspace. */
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

export function performGate(
  ports: Ports,
  session: RunSession,
  effect: RunGate,
  notify: (message: string) => void,
): RunningEffect {
  const stopping = new AbortController();
  return {
    key: effect.key,
    outcome: runGate(ports, session, effect, stopping.signal, notify).then((input) => ({ input, texts: [] })),
    stop: () => stopping.abort(),
  };
}

/** What the run knows, for agents that take data instead of a prompt. */
function agentInputOf(workflow: Workflow, state: RunState, task: TaskState): AgentInput {
  const agent = workflow.agents[task.step?.agent ?? ""];
  return {
    run: state.run,
    task: task.id,
    brief: state.brief,
    startedAt: state.startedAt,
    trail: task.trail,
    known: Object.fromEntries(Object.entries(state.known).map(([name, { value }]) => [name, value])),
    last: task.last?.handoff ?? null,
    next: agent === undefined ? {} : nextAgents(agent),
    workspace: workflow.workspace,
    forge: workflow.forge,
    reviewed: reviewedCommit(workflow, task, agent?.name ?? ""),
  };
}

function nextAgents({ routes }: AgentDefinition): AgentInput["next"] {
  const next: Partial<Record<Outcome, string>> = {};
  for (const outcome of OUTCOMES) {
    const [only, ...others] = routes[outcome] ?? [];
    if (only === undefined || others.length > 0 || only.when !== null) continue;
    if (only.action.kind === "go" || only.action.kind === "loop") next[outcome] = only.action.to;
  }
  return next;
}

/** What an agent received. */
interface GivenContext {
  readonly prompt: string;
  readonly nonce: string;
  readonly rest: string;
  /** The packet and its text in the prompt; null when there is none. */
  readonly packet: { readonly packet: Packet; readonly text: string } | null;
}

interface Recorded {
  readonly record: AttemptRecord;
  /** Texts that the record refers to, masked, to be stored with it. */
  readonly texts: readonly string[];
}

/** The record of an attempt. Its last message is already masked. */
function recordAttempt(redact: Redact, given: GivenContext, report: AgentReport): Recorded {
  const { lastMessage: said, work = null } = report;
  const packet = given.packet === null ? null : keep(redact(given.packet.text));
  const output = said === null ? null : keep(said);
  const record: AttemptRecord = {
    prompt: markPrompt(given),
    packet:
      packet === null || given.packet === null
        ? null
        : {
            ...packet.named,
            estimatedTokens: given.packet.packet.estimatedTokens,
            facts: factsIn(given.packet.packet).map(({ id, text }) => ({ id, said: factMarkOf(text) })),
          },
    output: output?.named ?? null,
    takeover: takeoverOf(given.packet?.packet ?? null, work),
  };
  const texts = [packet, output].flatMap((kept) => (kept === null ? [] : [kept.text]));
  return { record, texts };
}

/** Maximum length of a stored prompt or message. */
const MAX_TEXT = 1 << 20;

function markPrompt({ prompt, nonce, rest }: GivenContext): GivenPrompt {
  return { nonce, sha256: hash("sha256", prompt, "hex"), bytes: Buffer.byteLength(prompt), rest };
}

function keep(whole: string): { readonly text: string; readonly named: KeptText } {
  const text = whole.slice(0, MAX_TEXT);
  const named = { text: hash("sha256", text, "hex"), bytes: Buffer.byteLength(whole), isCut: text !== whole };
  return { text, named };
}

/** Values that the client does not report are null. */
function takeoverOf(packet: Packet | null, work: ReportedWork | null): Takeover {
  if (work === null) return NOTHING_TOLD;
  const { firstInput, input, inputBeforeChange, changes, reads, moreReads: more, readsElsewhere: elsewhere } = work;
  return { firstInput, input, inputBeforeChange, changes, reads: { ...splitReads(packet, reads), more, elsewhere } };
}

const NOTHING_TOLD: Takeover = { firstInput: null, input: null, inputBeforeChange: null, changes: null, reads: null };
