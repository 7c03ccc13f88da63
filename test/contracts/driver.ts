import { NO_REPOSITORY } from "../no-repository.ts";
import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Agent, AgentJob, AgentReport } from "../../src/ports/agent.ts";
import type { Driver } from "../../src/ports/driver.ts";
import { type EventLog, StoreError } from "../../src/ports/event-log.ts";
import type { Ports } from "../../src/ports/ports.ts";
import { NO_TELEMETRY } from "../../src/ports/telemetry.ts";
import type { CommandResult } from "../../src/ports/command-runner.ts";
import { always, buildAgent, buildGate, buildWorkflow, go } from "../workflow/build-workflow.ts";

interface DriverUnderTest {
  readonly name: string;
  openLog(): EventLog | Promise<EventLog>;
  drive(ports: Ports): Driver;
}

type Behaviour = (job: AgentJob) => string | Promise<string>;

/** An agent of this process that answers with a message; everything else of the machine is real or as small as can be. */
export function machineWith(log: EventLog, behaviour: Behaviour): Ports & { readonly started: string[] } {
  const started: string[] = [];
  const agent: Agent = {
    kind: "process",
    start(job) {
      started.push(job.agent);
      let stop = (): void => undefined;
      const stopped = new Promise<AgentReport>((resolve) => {
        stop = () => resolve({ end: "stopped", message: "", lastMessage: null, usage: NOTHING, session: null });
      });
      const answer = Promise.resolve(behaviour(job)).then((lastMessage): AgentReport => ({
        end: "finished",
        message: "",
        lastMessage,
        usage: NOTHING,
        session: null,
      }));
      return { ended: Promise.race([answer, stopped]), stop };
    },
  };
  return {
    log,
    started,
    clock: {
      now: () => Date.now(),
      id: () => randomUUID(),
    },
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
    commands: {
      run: () => Promise.resolve({ end: "exited", exitCode: 0, output: "", milliseconds: 1, sandbox: "none" }),
    },
    redact: (text) => text,
    agent: () => agent,
    telemetry: NO_TELEMETRY,
    killOrphans: () => Promise.resolve(null),
  };
}

const NOTHING = { milliseconds: 1, tokens: null, money: null };

export function handoff(outcome = "completed"): string {
  const extra =
    outcome === "completed"
      ? ""
      : "blockers:\n  - blocker: stuck\n    impact: all\n    suggested_resolution: try\n    blocking_tasks: [x]\n";
  return `## Handoff\n\n\`\`\`yaml\noutcome: ${outcome}\nfiles_created:\n  - path: src/a.ts\n    purpose: Holds a\n    lines: 1-3\n${extra}\`\`\`\n`;
}

const agents = [
  buildAgent("One", { dialect: "task-yaml", routes: { done: go("Two") } }),
  buildAgent("Two", { dialect: "task-yaml", routes: { done: always({ kind: "end" }) } }),
];
const workflow = buildWorkflow(agents);
export const newRun = { workflow, brief: "", tasks: [], known: {} };

/** Fails when its agent brings no handoff at its first attempt. */
export const newFailingRun = {
  ...newRun,
  workflow: buildWorkflow([
    buildAgent("One", {
      dialect: "task-yaml",
      repairs: 0,
      retry: { most: 0, delay: 1 },
      routes: { done: always({ kind: "end" }), failed: always({ kind: "fail" }) },
    }),
  ]),
};

/** What every driver must do, whatever it stands on. */
export function describeDriver({ name, openLog, drive }: DriverUnderTest): void {
  async function open(behaviour: Behaviour = () => handoff(), given?: EventLog, more: Partial<Ports> = {}) {
    const log = given ?? (await openLog());
    const ports = Object.assign(machineWith(log, behaviour), more);
    const driver = drive(ports);
    onTestFinished(() => driver.stop());
    return { ports, driver, log };
  }

  describe(`${name} driver`, () => {
    it("moves a run on to its end by itself", async () => {
      const { driver, ports } = await open();
      const run = await driver.start(newRun);
      expect(await driver.settled(run)).toMatchObject({ status: "completed", steps: 2 });
      expect(ports.started).toEqual(["One", "Two"]);
    });

    it("keeps the texts of a handoff with the commit that names them, also when it has to be tried again", async () => {
      const log = await openLog();
      const order: string[] = [];
      let isBusy = false;
      const busyOnce = new Proxy(log, {
        get(target, key) {
          const method = target[key as "commit"].bind(target) as (...args: unknown[]) => Promise<unknown>;
          if (key !== "commit" && key !== "putText") return method;
          return (...args: unknown[]) => {
            order.push(key);
            if (!isBusy) return method(...args);
            if (key === "commit") isBusy = false;
            return Promise.reject(new StoreError("busy", "others write"));
          };
        },
      });
      const { driver } = await open(({ agent }) => {
        isBusy = agent === "One";
        return handoff();
      }, busyOnce);
      const run = await driver.start(newRun);
      expect(await driver.settled(run)).toMatchObject({ status: "completed" });
      expect(order.slice(0, 5)).toEqual(["commit", "putText", "commit", "putText", "commit"]);
    });

    it("drives many runs at once", async () => {
      const { driver } = await open();
      const runs = await Promise.all(Array.from({ length: 50 }, () => driver.start(newRun)));
      const states = await Promise.all(runs.map((run) => driver.settled(run)));
      expect(states.every((state) => state.status === "completed")).toBe(true);
    });

    it("parks a run that waits for a person, takes the answer once, and goes on", async () => {
      const { driver, ports } = await open();
      const supervised = { ...newRun, workflow: buildWorkflow(agents, { mode: "supervised" }) };
      const run = await driver.start(supervised);
      expect((await driver.settled(run)).asks).toHaveProperty("q1");
      const yes = { kind: "answer", choice: "approve", text: null, by: "ada" } as const;
      expect(await driver.send(run, { ...yes, ask: "q1" }, "letter-1")).toBe(true);
      expect(await driver.send(run, { ...yes, ask: "q1" }, "letter-1")).toBe(false);
      expect((await driver.settled(run)).asks).toHaveProperty("q2");
      await driver.send(run, { ...yes, ask: "q2" });
      expect(await driver.settled(run)).toMatchObject({ status: "completed" });
      expect(ports.started).toEqual(["One", "Two"]);
    });

    it("fires timers: a crashed agent is tried again", async () => {
      let calls = 0;
      const { driver } = await open(() => (++calls === 1 ? "nothing" : handoff()));
      const quick = [
        buildAgent("One", {
          dialect: "task-yaml",
          repairs: 0,
          retry: { most: 1, delay: 10 },
          routes: { done: always({ kind: "end" }), failed: always({ kind: "retry", most: 1, then: { kind: "fail" } }) },
        }),
      ];
      const run = await driver.start({ ...newRun, workflow: buildWorkflow(quick) });
      expect(await driver.settled(run)).toMatchObject({ status: "completed", steps: 2 });
    });

    it("ends agents of a run that is cancelled", async () => {
      const { driver } = await open(() => new Promise(() => undefined));
      const run = await driver.start(newRun);
      await driver.send(run, { kind: "cancel-run", by: "ada", reason: "enough" });
      expect(await driver.settled(run)).toMatchObject({ status: "cancelled" });
    });

    it("finishes what a driver before it began, with the agent's attempt counted as lost", async () => {
      const log = await openLog();
      const first = await open(() => new Promise(() => undefined), log);
      const run = await first.driver.start(newRun);
      while (first.ports.started.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await first.driver.stop();
      const second = await open(() => handoff(), log);
      const state = await second.driver.settled(run);
      expect(state).toMatchObject({ status: "completed", steps: 2 });
      const ends = (await log.entries(run))
        .filter(({ kind }) => kind === "attempt-ended")
        .map(({ data }) => data?.["end"]);
      expect(ends).toEqual(["lost", "finished", "finished"]);
    });

    it("starts nothing again for a run that was cancelled while nobody drove it", async () => {
      const log = await openLog();
      const first = await open(() => new Promise(() => undefined), log);
      const run = await first.driver.start(newRun);
      while (first.ports.started.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await first.driver.stop();
      await log.postMessage({ id: "no", run, input: { kind: "cancel-run", by: "ada", reason: "enough" } });
      const second = await open(() => handoff(), log);
      expect(await second.driver.settled(run)).toMatchObject({ status: "cancelled" });
      expect(second.ports.started).toEqual([]);
    });

    it("cancels a run whose workspace was taken away while a gate of it ran", async () => {
      const log = await openLog();
      let gates = 0;
      const run = (command: { readonly signal: AbortSignal }): Promise<CommandResult> => {
        gates++;
        const stopped = { end: "stopped", exitCode: null, output: "", milliseconds: 1, sandbox: "none" } as const;
        return new Promise((resolve) => command.signal.addEventListener("abort", () => resolve(stopped)));
      };
      const gated = buildWorkflow([buildAgent("One", { dialect: "task-yaml", gates: ["lint"] })], {
        gates: { lint: buildGate("lint") },
      });
      const first = await open(() => handoff(), log, { commands: { run } });
      const id = await first.driver.start({ ...newRun, workflow: gated });
      while (gates === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await first.driver.stop();
      await log.postMessage({ id: "no", run: id, input: { kind: "cancel-run", by: "ada", reason: "enough" } });
      const { workspace } = machineWith(log, () => handoff());
      const prepare = (): Promise<string> => Promise.reject(new Error("the worktree is gone"));
      const second = await open(() => handoff(), log, { workspace: { ...workspace, prepare } });
      expect(await second.driver.settled(id)).toMatchObject({ status: "cancelled" });
    });

    it("sends a failed run on again when it is told to", async () => {
      let calls = 0;
      const { driver } = await open(() => (++calls === 1 ? "nothing" : handoff()));
      const run = await driver.start(newFailingRun);
      expect(await driver.settled(run)).toMatchObject({ status: "failed" });
      await driver.send(run, { kind: "retry-run", by: "ada", note: null });
      expect(await driver.settled(run)).toMatchObject({ status: "completed" });
    });

    it("sends an unusable handoff back and takes the repaired one", async () => {
      let calls = 0;
      const { driver, log } = await open(() => (++calls === 1 ? handoff("finished-all") : handoff()));
      const run = await driver.start(newRun);
      expect(await driver.settled(run)).toMatchObject({ status: "completed" });
      const refused = (await log.entries(run)).find(({ kind }) => kind === "handoff-refused");
      expect(JSON.stringify(refused?.data)).toContain("003-R02");
    });
  });
}
