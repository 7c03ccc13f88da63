import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/main/open-engine.ts";
import { driveRun } from "../../src/runtime/drive-run.ts";
import { startRun } from "../../src/runtime/operations/start-run.ts";
import type { AgentDefinition } from "../../src/workflow/definition.ts";
import type { Event } from "../../src/workflow/event.ts";
import type { RunState } from "../../src/workflow/state.ts";
import { livingIn } from "../agents/living-processes.ts";
import { always, buildAgent, buildWorkflow, go } from "../workflow/build-workflow.ts";
import { CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE } from "./clients.ts";
import type { RealClient } from "./clients.ts";
import { aRunFolder, forgetAll, offlineRunner, removeRunFolders, whyAbsent } from "./offline-runs.ts";

afterAll(removeRunFolders);

for (const client of [CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT]) {
  const absence = whyAbsent(client);
  describe.skipIf(absence !== null)(`a run with ${client.name}${absence === null ? "" : ` (${absence})`}`, () => {
    it("takes a handoff from a message, and one from a file", { timeout: 120_000 }, async () => {
      const builder = { prompt: "Build it.", routes: { done: go("tester") } };
      const tester = { prompt: "Use your tools.", dialect: "pipeline-json" } as const;
      const { state, events } = await drive(client, { builder, tester });
      expect(state.status, tellEnds(events)).toBe("completed");
      expect(of(events, "handoff-refused")).toEqual([]);
      const taken = of(events, "handoff-accepted").map(({ agent, delivery }) => [agent, delivery.source]);
      expect(taken).toEqual([
        ["builder", "message"],
        ["tester", "file"],
      ]);
      for (const { usage } of of(events, "attempt-ended")) {
        expect(usage.milliseconds).toBeGreaterThan(0);
        expect(usage.tokens).toBeGreaterThan(0);
        if (client.tellsMoney) expect(usage.money).toBeGreaterThan(0);
      }
      const takeovers = of(events, "attempt-ended").map(({ record }) => record?.takeover);
      expect(takeovers).toHaveLength(2);
      for (const takeover of takeovers) expect(takeover?.input ?? Number.NaN).not.toBe(0);
      const [message, file] = takeovers;
      expect(message).toMatchObject({ inputBeforeChange: null, changes: 0, reads: { named: [], unnamed: [] } });
      expect(file?.reads).toEqual({ named: [], unnamed: ["notes.txt"], more: 0, elsewhere: 0 });
      expect(file?.changes).toBe(client.tellsChanges ? 1 : 0);
      if (client.tellsRequests) expect(file?.inputBeforeChange).toBeGreaterThan(file?.firstInput ?? Number.NaN);
      else expect([file?.firstInput, file?.inputBeforeChange]).toEqual([null, null]);
    });

    it("sends a handoff back to the same session, and takes the mended one", { timeout: 180_000 }, async () => {
      const pause = client.rest === undefined ? "" : " Answer in the next minute.";
      const { state, events, asked } = await drive(client, { builder: { prompt: `Forget the time.${pause}` } });
      expect(state.status, tellEnds(events)).toBe("completed");
      expect(of(events, "handoff-accepted")).toHaveLength(1);

      const prompts = expectRepair(events, asked);
      // The same session: the model is shown what was said in it before.
      expect(prompts).toHaveLength(2);
      const [first, second, ...others] = sessionsOf(events);
      expect([second, others]).toEqual([first, []]);
    });

    it("sends a handoff back in a new session when the old one is lost", { timeout: 120_000 }, async () => {
      const builder = { prompt: "Forget the time." };
      const { state, events, asked } = await drive(client, { builder }, (folder) => forgetAll(client, folder));
      expect(state.status, tellEnds(events)).toBe("completed");
      expect(of(events, "attempt-ended").map(({ end }) => end)).toEqual(["finished", "finished"]);
      expect(expectRepair(events, asked)).toHaveLength(1);
      const [first, second] = sessionsOf(events);
      expect(second).not.toBe(first);
    });

    it("is ended when its time is over, leaves nobody and is tried again", { timeout: 120_000 }, async () => {
      const patience = { timeout: client.startUp ?? 12_000, retry: { most: 1, delay: 100 } };
      const builder = { prompt: "Answer when asked again.", ...patience };
      const { state, events, asked, left, atWork } = await drive(client, { builder });
      expect(state.status, tellEnds(events)).toBe("completed");
      expect(of(events, "attempt-ended").map(({ end }) => end)).toEqual(["timed-out", "finished"]);
      expect(of(events, "attempt-delayed")).toHaveLength(1);
      expect(asked[0]?.prompts.at(-1)).toContain("You are the first");
      expect(atWork).toBeGreaterThanOrEqual(3);
      expect(left).toEqual([[], []]);
    });

    it("is ended while it starts, leaves nobody and is brought before a person", { timeout: 60_000 }, async () => {
      const routes = { done: always({ kind: "end" }), failed: always({ kind: "person" }) };
      const patience = { timeout: 2000, retry: { most: 0, delay: 100 }, routes };
      const builder = { prompt: "Never answer.", ...patience };
      const { state, events, left, atWork } = await drive(client, { builder });
      expect(of(events, "attempt-ended").map(({ end }) => end)).toEqual(["timed-out"]);
      expect(of(events, "handoff-accepted")).toEqual([]);
      expect(state.status).toBe("running");
      expect(Object.values(state.asks)).toMatchObject([{ kind: "escalation", agent: "builder" }]);
      expect(atWork).toBeGreaterThanOrEqual(3);
      expect(left).toEqual([[]]);
    });
  });
}

/** One handoff was sent back, and the model got to know why; all prompts that it was shown then. */
function expectRepair(events: readonly Event[], asked: readonly Asked[]): readonly string[] {
  const refused = of(events, "handoff-refused");
  expect(refused).toMatchObject([{ agent: "builder", problems: [{ rule: "004-R05" }] }]);
  const repair = asked.find(({ prompts }) => prompts.at(-1)?.includes("Your handoff was refused"));
  expect(repair?.prompts.at(-1)).toContain(refused[0]?.problems[0]?.message);
  expect(repair?.prompts.at(-1)).toContain("[004-R05]");
  return repair?.prompts ?? [];
}

/** By the names that the client gives them. */
function sessionsOf(events: readonly Event[]): (string | undefined)[] {
  return of(events, "attempt-ended").map(({ session }) => session?.split("?")[0]);
}

interface Driven {
  readonly state: RunState;
  /** As they stand in the log. */
  readonly events: readonly Event[];
  /** What the model was asked, in its order. */
  readonly asked: readonly Asked[];
  /** Processes that were left of each attempt when its end was told. */
  readonly left: readonly (readonly number[])[];
  /** The most processes with the mark of the run that were seen at once. */
  readonly atWork: number;
}

interface Asked {
  readonly prompts: readonly string[];
}

/** A whole run of the embedded engine in a repository of its own, until it has ended or waits for a person. */
async function drive(
  client: RealClient,
  agents: Record<string, Partial<AgentDefinition>>,
  afterAttempt: (folder: string) => void = () => undefined,
): Promise<Driven> {
  const folder = aRunFolder(client);
  execFileSync("git", ["init", "--quiet", join(folder, "proj")]);
  writeFileSync(join(folder, "proj/notes.txt"), "Totals are exact.\n");
  const runner = offlineRunner(client, folder, "step-scenario.mjs");
  const limits = { timeout: 110_000, output: 16 << 20, retry: { most: 0, delay: 100 } };
  const workflow = buildWorkflow(
    Object.entries(agents).map(([name, more]) =>
      buildAgent(name, { runner, dialect: "output-json", ...limits, ...more }),
    ),
  );
  const engine = openEngine(join(folder, "proj"));
  const left: number[][] = [];
  let atWork = 0;
  const lease = await startRun(engine.ports, { workflow, brief: "Gift cards", tasks: [], known: {} });
  const looking = setInterval(() => (atWork = Math.max(atWork, livingWith(`${lease.run}.`).length)), 500);
  try {
    const state = await driveRun(engine.ports, lease, {
      leaveParked: true,
      watch(news) {
        if (news.kind !== "decided") return;
        for (const event of of(news.events, "attempt-ended")) {
          left.push([...livingIn(folder), ...livingWith(`${lease.run}.${event.attempt}`)]);
          afterAttempt(folder);
        }
      },
    });
    const entries = await engine.ports.log.entries(lease.run);
    const events = entries.flatMap(({ kind, data }) => (kind === "input" ? [] : [data as unknown as Event]));
    return { state, events, asked: readAsked(folder), left, atWork };
  } finally {
    clearInterval(looking);
    await engine.close();
  }
}

function readAsked(folder: string): Asked[] {
  const file = join(folder, "asked.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Asked & { tools: string[] }).filter(({ tools }) => tools.length > 0);
}

/** Processes that carry the mark of an attempt in their environment, wherever they work. */
function livingWith(attempt: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && environmentOf(pid).includes(attempt));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

function of<K extends Event["kind"]>(events: readonly Event[], kind: K): Extract<Event, { kind: K }>[] {
  return events.filter((event): event is Extract<Event, { kind: K }> => event.kind === kind);
}

/** Why a run did not go as it should: how its agents ended, and what was wrong with their handoffs. */
function tellEnds(events: readonly Event[]): string {
  const ends = of(events, "attempt-ended").map(({ end, message }) => `${end}: ${message}`);
  const problems = of(events, "handoff-refused").flatMap((refused) => refused.problems.map(({ message }) => message));
  return [...ends, ...problems].join("\n");
}
