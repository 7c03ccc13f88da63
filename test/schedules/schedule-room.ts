import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { embeddedDriver } from "../../src/drivers/embedded/embedded-driver.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import { readRepositoryInfo } from "../../src/main/read-repository-info.ts";
import type { Ports } from "../../src/ports/ports.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { type ScheduleList, listSchedules } from "../../src/runtime/operations/list-schedules.ts";
import { loadWorkflow } from "../../src/runtime/operations/load-workflow.ts";
import { trustSubject, trustWorkflow } from "../../src/runtime/operations/trust-workflow.ts";
import { ScheduleKeeper } from "../../src/runtime/schedules/schedule-keeper.ts";

const AGENT = `printf '## Handoff\\n\\n\`\`\`yaml\\noutcome: completed\\n\`\`\`\\n'\n`;

/** A workflow with one agent that is done at once, or a person. */
export function workflowWith(schedules: string, run = "{ process: [sh, agent.sh] }"): string {
  return `baton: 1
name: timed
start: one
verify: off
context: off
agents:
  one:
    run: ${run}
    dialect: task-yaml
    routes: { done: end }
schedules:
${schedules.replaceAll(/^/gm, "  ")}
`;
}

export const DAY = 86_400_000;

const MIDNIGHT = (Math.floor(Date.now() / DAY) + 2) * DAY;

/** A moment of that day. */
export function at(hours: number, minutes = 0, seconds = 0): number {
  return MIDNIGHT + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

export interface ScheduleRoom {
  readonly folder: string;
  readonly configFolder: string;
  write(workflow: string): void;
  /** As `baton trust` does, at this moment; an hour before that day unless given. */
  trust(moment?: number): void;
  /** A process of its own, as far as the state tells. */
  open(): OpenedState;
}

interface OpenedState {
  readonly engine: Engine;
  readonly keeper: ScheduleKeeper;
  readonly notes: string[];
  setClock(to: number): void;
  /** Drives the runs that are there until they have ended or wait for a person. */
  drive(): Promise<void>;
  runs(): Promise<{ readonly run: string; readonly status: string }[]>;
  list(): Promise<ScheduleList>;
}

/** The same log, but for some of its methods. */
export function logWith(log: Ports["log"], instead: Partial<Ports["log"]>): Ports["log"] {
  const own = (key: keyof Ports["log"]): unknown => instead[key] ?? log[key].bind(log);
  return new Proxy(log, { get: (_log, key) => own(key as keyof Ports["log"]) });
}

/** A repository with a workflow that is trusted, and its state. */
export function scheduleRoom(workflow: string): ScheduleRoom {
  const room = mkdtempSync(join(tmpdir(), "baton-schedules-"));
  onTestFinished(() => rmSync(room, { recursive: true, force: true }));
  const [folder, configFolder] = [join(room, "repository"), join(room, "config")];
  mkdirSync(folder);
  execFileSync("git", ["init", "--quiet", folder]);
  writeFileSync(join(folder, "agent.sh"), AGENT);
  const write = (text: string): void => writeFileSync(join(folder, "baton.yaml"), text);
  const trust = (moment = at(-1)): void => {
    const subject = trustSubject(loadWorkflow(join(folder, "baton.yaml")), readRepositoryInfo(folder));
    const entry = { ...subject.entry, at: new Date(moment).toISOString() };
    trustWorkflow({ ...subject, entry }, configFolder);
  };
  write(workflow);
  trust();
  return { folder, configFolder, write, trust, open: () => openState(folder, configFolder) };
}

function openState(folder: string, configFolder: string): OpenedState {
  const real = openEngine(folder, configFolder);
  onTestFinished(() => real.close());
  let now = at(0);
  const clock: Ports["clock"] = { now: () => now, id: () => real.ports.clock.id() };
  const ports = Object.create(real.ports, { clock: { value: clock } }) as Ports;
  const engine: Engine = { ...real, ports };
  const notes: string[] = [];
  const operator = { configFolder, repositoryInfo: readRepositoryInfo(folder), searchPath: process.env["PATH"] ?? "" };
  const keeper = new ScheduleKeeper({ engine, operator, notify: (message) => void notes.push(message) });
  const runs: OpenedState["runs"] = async () =>
    (await ports.log.runs({ limit: 100 })).map(({ run, status }) => ({ run, status }));
  return {
    engine,
    keeper,
    notes,
    setClock: (to) => void (now = to),
    async drive() {
      const driver = embeddedDriver(ports, { pollTime: 10 });
      for (const { run } of await runs()) await driver.settled(run);
      await driver.stop();
    },
    runs,
    list: () => listSchedules({ ...operator, engine, now }),
  };
}
