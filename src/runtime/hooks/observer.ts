import { hash } from "node:crypto";
import { refusedBy, explainRefuted } from "../../evidence/policy.ts";
import type { Judgement } from "../../evidence/claim.ts";
import type { Ports } from "../../ports/ports.ts";
import { type RunRow, StoreError } from "../../ports/event-log.ts";
import type { Snapshot } from "../../ports/repository.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { EMPTY_RUN, evolve } from "../../workflow/evolve.ts";
import type { Observation, ObservedSession, ObservedStop, Problem } from "../../workflow/input.ts";
import { observedWorkflow } from "../../workflow/observed-workflow.ts";
import type { RunState, TaskState } from "../../workflow/state.ts";
import { codec } from "../../workflow/stored/codec.ts";
import { acquireToResume } from "../operations/resume-run.ts";
import { pinOf } from "../operations/start-run.ts";
import { sendInput } from "../operations/send-input.ts";
import { readRun } from "../read-run.ts";
import { takeObserved } from "../take-observed.ts";
import { type Verified, markFinding, verifyHandoff } from "../verify-handoff.ts";
import { countOtherWork, countSession, countUsage } from "./count-usage.ts";
import type { HookCall } from "./hook-call.ts";
import { taskOfAgent } from "./session-folder.ts";
import type { SessionRules } from "./session-rules.ts";

/** What recording a session takes. */
export type ObserverPorts = Pick<Ports, "log" | "clock" | "workspace" | "repository" | "knowledge" | "redact">;

/** The run of a session: its id follows from the client and the session, so that every hook finds the same one. */
export function runOfSession({ client, session }: Pick<HookCall, "client" | "session">): string {
  return hash("sha256", `baton session\0${client}\0${session}`, "hex").slice(0, 10);
}

interface Recording {
  readonly call: HookCall;
  readonly rules: SessionRules;
  readonly stateFolder: string;
  /** The task of the agent, where that is known in another way than by the call. */
  readonly task?: string;
  /** What the person asked for first, if that is known. */
  readonly brief?: string;
}

/** Watches one session: verifies what its agents hand over, and records it. */
export class Observer {
  readonly #ports: ObserverPorts;
  readonly #root: string;
  readonly #session: ObservedSession;
  readonly #run: string;
  readonly #task: string;
  readonly #workflow: Workflow;
  readonly #brief: string;
  readonly #call: HookCall;
  readonly #stateFolder: string;

  constructor(ports: ObserverPorts, root: string, { call, rules, stateFolder, task, brief = "" }: Recording) {
    this.#call = call;
    this.#stateFolder = stateFolder;
    const { client, session } = call;
    this.#ports = ports;
    this.#root = root;
    const follows = rules.followed === null ? {} : { follows: rules.followed.name };
    this.#session = { client, session: ports.redact(session).slice(0, MAX_ID), ...follows };
    this.#run = runOfSession(call);
    this.#task = task ?? taskOfAgent(call);
    const { section, hash: content, pinned, followed } = rules;
    this.#workflow = observedWorkflow({ client, section, hash: content, formats: pinned, followed });
    this.#brief = brief;
  }

  /** Notes the files as they are when an agent begins: what it changes is told from what was there. */
  markBase(when: string): Promise<Snapshot | null> {
    return this.#ports.repository.mark(this.#root, `${this.#run}.${this.#task}.${when}`);
  }

  /** What the person asked for, as far as it was recorded. */
  async brief(): Promise<string> {
    return (await this.#ports.log.run(this.#run))?.brief ?? "";
  }

  /** What a person asks for; with it the turn of the main agent begins, where that owes a handoff. */
  recordPrompt(text: string, id: string, agent: string | null): Promise<void> {
    return this.#record({ kind: "prompt", text, ...(agent !== null && { agent }) }, `prompt:${id}`);
  }

  /** An agent that starts, or is still at work at the end of a turn: it is recorded once in each turn. */
  recordStart(agent: string, turn: string): Promise<void> {
    return this.#record({ kind: "agent-started", task: this.#task, agent }, `start:${this.#task}${turn}`);
  }

  recordStop(stop: Omit<ObservedStop, "kind" | "task" | "usage">, id: string, text: string | null): Promise<void> {
    const usage = countUsage(this.#stateFolder, this.#call);
    const seen = { kind: "agent-stopped", task: this.#task, ...stop, ...(usage !== undefined && { usage }) } as const;
    return this.#record(seen, `${this.#task}:${id}`, text);
  }

  /** An agent that owes no handoff is shown, and nothing of it is checked. */
  recordOther(agent: string, has: "started" | "ended"): Promise<void> {
    const known = { id: this.#task, agent: this.#ports.redact(agent).slice(0, MAX_ID) };
    const id = `other:${this.#task}:${has}:${this.#ports.clock.id()}`;
    if (has === "started") return this.#record({ kind: "other-started", ...known }, id);
    const work = countOtherWork(this.#stateFolder, this.#root, this.#call);
    return this.#record({ kind: "other-ended", ...known, ...work }, id);
  }

  /** A session of which nothing was recorded is no run. */
  async recordEnd(reason: string): Promise<void> {
    if ((await this.#ports.log.run(this.#run)) === null) return;
    const usage = countSession(this.#stateFolder, this.#call);
    const seen = { kind: "session-ended", reason, ...(usage !== undefined && { usage }) } as const;
    await this.#record(seen, `end:${this.#ports.clock.id()}`);
  }

  /** The claims of a handoff against the repository as it is now. */
  async verify(handoff: Handoff, { agent, base }: Stopped): Promise<Verified> {
    const { state, workflow } = await this.#read();
    const subject = {
      handoff,
      directory: this.#root,
      base,
      rulesBase: null,
      ownFiles: [],
      workflow,
      ...withAgent(state, this.#task, agent, this.#ports.clock.now()),
      signal: AbortSignal.timeout(MAX_LOOK),
    };
    const verified = await verifyHandoff(this.#ports, subject);
    return { ...verified, ...(await markFinding(this.#ports, this.#root, handoff)) };
  }

  /** What of a verified handoff is sent back to its author. */
  refusals(judgements: readonly Judgement[], agent: string): Problem[] {
    const policy = ownValue(this.#workflow.agents, agent)?.verify ?? null;
    if (policy === null) return [];
    return refusedBy(judgements, policy)
      .slice(0, MAX_REFUSALS)
      .map((judgement) => ({ ...explainRefuted(judgement), where: judgement.where, rule: null }));
  }

  /**
   * Records what was seen. It is stored when this resolves: in the inbox of the run, from which it is taken here, or by
   * the next hook when another one has the run just now. The same observation is stored once, whoever tells it again.
   */
  async #record(seen: Observation, id: string, text: string | null = null): Promise<void> {
    const { log } = this.#ports;
    await this.#create();
    // Requested in one turn, and so stored together.
    const [, lease] = await Promise.all([
      Promise.all([
        ...(text === null ? [] : [log.putText(text)]),
        sendInput(this.#ports, this.#run, { kind: "observe", seen }, id),
      ]),
      acquireToResume(this.#ports, this.#run),
    ]);
    await takeObserved(this.#ports, this.#run, lease);
  }

  async #create(): Promise<void> {
    const { log, clock, redact, repository } = this.#ports;
    if ((await log.run(this.#run)) !== null) return;
    const at = clock.now();
    const [run, workflow] = [this.#run, this.#workflow];
    const pin = pinOf(workflow);
    const isInRepository = await repository.isRepository(this.#root);
    const start = {
      kind: "start-run",
      run,
      workflow: pin,
      name: workflow.name,
      brief: this.#brief,
      tasks: [],
      known: {},
      ...(isInRepository && ({ inRepository: true } as const)),
      trusted: [],
      observed: this.#session,
    } as const;
    try {
      await Promise.all([
        log.putWorkflow(pin, codec.encodeWorkflow(workflow)),
        log.create({ run, name: workflow.name, workflow: pin, at, brief: redact(this.#brief) }, NOBODY, at),
        sendInput(this.#ports, run, start, `start:${run}`),
      ]);
    } catch (error) {
      // Another hook of the session has made it.
      if (!(error instanceof StoreError) || error.code !== "exists") throw error;
    }
  }

  /** The run as it stands; a new one where there is none. */
  async #read(): Promise<{ readonly state: RunState; readonly workflow: Workflow }> {
    const row: RunRow | null = await this.#ports.log.run(this.#run);
    if (row === null || row.sequence === 0)
      return { workflow: this.#workflow, state: { ...EMPTY_RUN, run: this.#run, observed: this.#session } };
    const { state, workflow } = await readRun(this.#ports, row);
    return { state, workflow };
  }
}

interface Stopped {
  readonly agent: string;
  /** The state at which the agent began; null when its beginning was not heard of. */
  readonly base: Snapshot | null;
}

const MAX_ID = 200;
const MAX_REFUSALS = 50;
const MAX_LOOK = 20_000;
/** Creates the run, with a lease that is over at once. */
const NOBODY = "hook";

/** The state with the step of the agent under way, as the judges need it. */
function withAgent(
  state: RunState,
  id: string,
  agent: string,
  at: number,
): { readonly state: RunState; readonly task: TaskState } {
  const added = Object.hasOwn(state.tasks, id)
    ? state
    : evolve(state, {
        kind: "task-added",
        task: { id, name: agent, priority: "medium", dependsOn: [], start: agent, brief: "" },
      });
  const reason = { kind: "first", from: null, note: null, issues: [], problems: [] } as const;
  const known = added.tasks[id];
  const begun =
    known?.step === null
      ? evolve(added, { kind: "step-started", task: id, step: "s0", agent, reason, iteration: 1, at })
      : added;
  const task = begun.tasks[id];
  if (task === undefined) throw new Error(`There is no task ${id}`);
  return { state: begun, task };
}
