import { NO_REPOSITORY } from "../test/no-repository.ts";
import { randomBytes } from "node:crypto";
import type { Agent } from "../src/ports/agent.ts";
import type { EventLog } from "../src/ports/event-log.ts";
import type { Ports } from "../src/ports/ports.ts";
import { NO_TELEMETRY } from "../src/ports/telemetry.ts";
import { driveRun } from "../src/runtime/drive-run.ts";
import { startRun } from "../src/runtime/operations/start-run.ts";
import { redactor } from "../src/shared/redact.ts";
import type { AgentDefinition, Workflow } from "../src/workflow/definition.ts";
import { validText, textOf } from "./documents.ts";

/** Whole steps: prompt, agent, handoff read and checked, decision, commit. Only the agent itself takes no time. */
export async function takeSteps(ports: Ports, steps: number): Promise<void> {
  const lease = await startRun(ports, newRun(workflowOf(steps)));
  const { status, steps: taken } = await driveRun(ports, lease, { leaveParked: true });
  if (status !== "completed" || taken !== steps) throw new Error(`the run is ${status} after ${taken} steps`);
}

const HANDOFF = validText(textOf("pipeline-json", 2_000));

/** Each is another text, as they are in the world, and hands over to the next agent of the chain. */
export function handoffOf(agent: string, purpose: string): string {
  const next = agent.replace(/\d+$/, (number) => String(Number(number) + 1));
  return HANDOFF.replace(/"from_agent": *"\w+"/, `"from_agent": "${agent}"`)
    .replace(/"to_agent": *"\w+"/, `"to_agent": "${next}"`)
    .replace(/"purpose": *"[^"]*"/, `"purpose": "${purpose}"`);
}

/** Everything of the machine but its agents, which answer at once, and its folders, which are not looked into. */
export function machineOn(log: EventLog): Ports {
  return {
    log,
    clock: { now: () => Date.now(), id: () => randomBytes(16).toString("hex") },
    workspace: {
      prepare: () => Promise.resolve("/"),
      scratch: () => Promise.resolve("/"),
      look: () => Promise.resolve({}),
      readNew: () => Promise.resolve(null),
      rewrite: () => Promise.resolve(),
      release: () => Promise.resolve(),
      read: () => Promise.resolve(null),
      has: () => Promise.resolve(false),
      fingerprint: () => Promise.resolve(""),
      writtenSince: () => Promise.resolve(null),
      worktree: () => Promise.resolve(null),
      copyFolder: () => "/",
      fresh: () => Promise.resolve("/"),
      remove: () => Promise.resolve(),
      discard: () => Promise.resolve(),
      enter: () => Promise.resolve({ turn: { last: null, leave: () => Promise.resolve() } }),
      waitsFor: () => Promise.resolve(null),
      stopWaiting: () => Promise.resolve(),
    },
    repository: NO_REPOSITORY,
    get knowledge(): never {
      throw new Error("nothing is learned here");
    },
    results: { find: () => Promise.resolve(null), keep: () => Promise.resolve() },
    commands: { run: () => Promise.reject(new Error("there are no gates")) },
    redact: redactor([]),
    agent: () => INSTANT,
    telemetry: NO_TELEMETRY,
    killOrphans: () => Promise.resolve(null),
  };
}

const INSTANT: Agent = {
  kind: "process",
  start: ({ agent, attempt }) => ({
    ended: Promise.resolve({
      end: "finished",
      message: "",
      lastMessage: handoffOf(agent, attempt),
      usage: { milliseconds: 1, tokens: 1_000, money: null },
      session: null,
    }),
    stop: () => undefined,
  }),
};

export function newRun(workflow: Workflow): Parameters<typeof startRun>[1] {
  return { workflow, brief: "Add up the cart", tasks: [], known: {} };
}

/** A chain of so many agents. */
export function workflowOf(steps: number, more: Partial<AgentDefinition> = {}): Workflow {
  const loop = { limit: 3, blocking: ["critical"], stuck: "person", capped: "person" } as const;
  const names = Array.from({ length: steps }, (_, index) => `Agent${index}`);
  const agents = names.map((name, index): AgentDefinition => {
    const next = names[index + 1];
    const action = next === undefined ? ({ kind: "end" } as const) : ({ kind: "go", to: next } as const);
    const routes = [{ when: null, action }];
    return {
      name,
      runner: { kind: "process", command: ["true"], prompt: "stdin", environment: {}, inherit: [] },
      dialect: "pipeline-json",
      domain: name,
      phase: null,
      prompt: "Build what is asked for and nothing else.",
      routes: { done: routes, "done-with-warnings": routes, "needs-fixes": routes, failed: routes },
      retry: { most: 3, delay: 1_000 },
      repairs: 2,
      timeout: 60_000,
      output: 1_000_000,
      onFailure: null,
      // What is measured is the step; what looking at a repository costs, `verify` measures.
      verify: null,
      context: null,
      gates: [],
      approve: null,
      loop,
      needs: null,
      gives: {},
      cost: { tokens: null, money: null },
      file: null,
      hub: false,
      ...more,
    };
  });
  return {
    name: "bench",
    description: "",
    hash: "bench",
    mode: "semi",
    start: names[0] ?? "",
    agents: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
    gates: {},
    loop,
    blocked: {},
    budget: { wall: null, agent: null, tokens: null, money: null, steps: steps + 1 },
    parallel: 1,
    asks: { timeout: null, silence: "remind" },
    workspace: "in-place",
    verify: null,
    learns: false,
    commands: "never",
    tasks: [],
    forge: null,
  };
}
