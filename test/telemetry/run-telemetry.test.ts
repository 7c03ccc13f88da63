import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { type Ended, makeRoom, type Repository, type RunningBaton } from "../crash/run-room.ts";
import { killHard, processesIn } from "../crash/run-victims.ts";
import { loopWorkflow } from "../crash/run-workflow.ts";
import { Random } from "../simulation/random.ts";
import { type Collector, openCollector, type ReceivedSpan } from "./collector.ts";
import { addTraced, type TracedRepository } from "./traced-room.ts";

const isLinux = process.platform === "linux";
const KILLS = 6;

const room = makeRoom();
afterEach(() => vi.unstubAllEnvs());
afterAll(() => {
  if (isLinux) for (const survivor of processesIn(room.folder)) killHard(survivor);
  room.remove();
});

/** A collector to which everything started from here on tells. */
async function collect(answer?: Parameters<typeof openCollector>[0]): Promise<Collector> {
  const collector = await openCollector(answer);
  onTestFinished(() => collector.close());
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address);
  return collector;
}

async function run(repository: TracedRepository): Promise<Ended> {
  return repository.baton(["run", "--trust", repository.hash]).ended;
}

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [span, ...others] = spans.filter((one) => one.name === name);
  expect(others, `more than one ${name}`).toEqual([]);
  if (span === undefined) throw new Error(`there is no ${name} among ${spans.map((one) => one.name).join(", ")}`);
  return span;
}

describe("a run whose operator collects telemetry", () => {
  it("is one trace of its workflow, agents and gates", async () => {
    const collector = await collect();
    const repository = addTraced(room, "plain");
    const ended = await run(repository);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).not.toContain("Telemetry");

    const { spans } = collector;
    expect(spans.map(({ name }) => name)).toEqual([
      "invoke_agent Builder",
      "invoke_agent Tester",
      "execute_tool check",
      "invoke_workflow plain",
    ]);
    const root = named(spans, "invoke_workflow plain");
    const [builder, tester] = [named(spans, "invoke_agent Builder"), named(spans, "invoke_agent Tester")];
    const gate = named(spans, "execute_tool check");
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect([root, builder, tester, gate].map(({ parentSpanId }) => parentSpanId)).toEqual([
      "",
      root.spanId,
      root.spanId,
      root.spanId,
    ]);
    // Who works from whose handoff.
    expect([builder.links, tester.links, gate.links]).toEqual([[], [builder.spanId], [tester.spanId]]);
    const isWithin = ({ startTimeUnixNano, endTimeUnixNano }: ReceivedSpan): boolean =>
      BigInt(root.startTimeUnixNano) <= BigInt(startTimeUnixNano) &&
      BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano) &&
      BigInt(endTimeUnixNano) <= BigInt(root.endTimeUnixNano);
    expect(spans.every(isWithin)).toBe(true);
  });

  it("tells what the conventions ask for, and what came of the handoffs", async () => {
    const collector = await collect();
    vi.stubEnv("OTEL_SERVICE_NAME", "our-baton");
    await run(addTraced(room, "told"));
    const { spans } = collector;
    expect(named(spans, "invoke_workflow told").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": "told",
      "handoff.status": "completed",
      "handoff.steps": 2,
      "handoff.iteration": 1,
    });
    const { attributes, kind, status, schema, service } = named(spans, "invoke_agent Tester");
    expect(attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "process",
      "gen_ai.agent.name": "Tester",
      "handoff.step": "s2",
      "handoff.attempt": "s2.1",
      "handoff.iteration": 1,
      "handoff.reason": "forward",
      "handoff.end": "finished",
      "handoff.result": "accepted",
      "handoff.dialect": "output-json",
      "handoff.outcome": "done",
      "handoff.source": "message",
    });
    for (const verdict of ["confirmed", "refuted", "unverifiable"])
      expect(attributes[`handoff.claims.${verdict}`]).toBeGreaterThanOrEqual(0);
    // Nobody told how much it used, and that is not zero.
    expect(attributes).not.toHaveProperty("handoff.usage.tokens");
    expect([kind, status, schema, service]).toEqual([3, 0, "https://opentelemetry.io/schemas/1.41.0", "our-baton"]);
    expect(named(spans, "execute_tool check").attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "check",
      "handoff.passed": true,
    });
  });

  it("counts runs, attempts, handoffs and gates", async () => {
    const collector = await collect();
    await run(addTraced(room, "counted"));
    expect(collector.points("handoff.runs")).toMatchObject([
      { attributes: { "gen_ai.workflow.name": "counted", "handoff.status": "completed" }, value: 1 },
    ]);
    expect(collector.points("handoff.attempts").map(({ value }) => value)).toEqual([1, 1]);
    expect(collector.points("handoff.handoffs")[0]).toMatchObject({
      attributes: { "gen_ai.agent.name": "Builder", "handoff.result": "accepted", "handoff.dialect": "output-json" },
    });
    expect(collector.points("handoff.gates")).toMatchObject([
      { attributes: { "gen_ai.tool.name": "check", "handoff.passed": true }, value: 1 },
    ]);
    const [duration] = collector.points("gen_ai.client.operation.duration");
    expect(duration).toMatchObject({ count: 1, attributes: { "gen_ai.operation.name": "invoke_agent" } });
    expect(duration?.value).toBeGreaterThan(0);
    expect(collector.points("gen_ai.client.token.usage")).toEqual([]);
  });

  it("hands its trace on to agents and gates, and nothing else of the operator's", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20only-for-us");
    vi.stubEnv("TRACEPARENT", "00-11111111111111111111111111111111-2222222222222222-01");
    const collector = await collect();
    const repository = addTraced(room, "handed");
    await run(repository);
    const { spans } = collector;
    const root = named(spans, "invoke_workflow handed");
    const parentOf = (span: ReceivedSpan): string => `00-${root.traceId}-${span.spanId}-01`;
    const state = `baton=${String(root.attributes["handoff.run"])}`;
    expect(Object.fromEntries(repository.traces())).toEqual({
      "s1.1": { parent: parentOf(named(spans, "invoke_agent Builder")), state },
      "s2.1": { parent: parentOf(named(spans, "invoke_agent Tester")), state },
      "s2.1/check/1": { parent: parentOf(named(spans, "execute_tool check")), state },
    });
    expect(repository.environment()).not.toMatch(/OTEL_|only-for-us/);
    expect(collector.requests.every(({ headers }) => headers.authorization === "Bearer only-for-us")).toBe(true);
  });

  it("masks what looks like a secret", async () => {
    const collector = await collect();
    vi.stubEnv("DEPLOY_TOKEN", "hunter2-hunter2");
    await run(addTraced(room, "masked", "to-hunter2-hunter2"));
    expect(collector.spans.at(-1)?.name).toMatch(/^invoke_workflow to-.?redacted/);
    expect(JSON.stringify(collector.spans)).not.toContain("hunter2");
  });

  it.skipIf(!isLinux)("stays one trace when it is killed and goes on in another process", async () => {
    const collector = await collect();
    const repository = addTraced(room, "killed");
    repository.hold();
    const first = repository.baton(["run", "--trust", repository.hash]);
    await repository.untilHeld();
    while (collector.spans.length === 0) await sleep(20);
    first.process.kill("SIGKILL");
    expect((await first.ended).signal).toBe("SIGKILL");

    const id = String(collector.spans[0]?.attributes["handoff.run"]);
    const second = await repository.baton(["resume", id]).ended;
    expect(second.code, second.stderr).toBe(0);
    const { spans } = collector;
    expect(
      spans.map(({ name, attributes }) => [name, attributes["handoff.attempt"], attributes["error.type"]]),
    ).toEqual([
      ["invoke_agent Builder", "s1.1", undefined],
      ["invoke_agent Tester", "s2.1", "lost"],
      ["invoke_agent Tester", "s2.2", undefined],
      ["execute_tool check", undefined, undefined],
      ["invoke_workflow killed", undefined, undefined],
    ]);
    const root = named(spans, "invoke_workflow killed");
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(spans.filter((span) => span !== root).every((span) => span.parentSpanId === root.spanId)).toBe(true);
    // The agent that was killed with its orchestrator had been given the span that another process ended.
    const lost = spans.find(({ attributes }) => attributes["handoff.attempt"] === "s2.1");
    expect(repository.traces().get("s2.1")?.parent).toBe(`00-${root.traceId}-${lost?.spanId}-01`);
    expect(lost?.status).toBe(2);
  });

  it.skipIf(!isLinux)(
    `tells nothing twice, however often it is killed (${KILLS} times)`,
    { timeout: 120_000 },
    async () => {
      const collector = await collect();
      const repository = room.addRepository("hunted", loopWorkflow("hunted"));
      const random = new Random(20_260_309);
      for (let kills = 0; kills < KILLS;) if (await hunt(repository, random)) kills++;
      const { code, stderr } = await (await goOn(repository)).ended;
      expect(code, stderr).toBe(0);

      const { spans } = collector;
      const runs = new Set(spans.map(({ attributes }) => attributes["handoff.run"]));
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(runs.size);
      expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
      expect(spans.at(-1)?.name).toBe("invoke_workflow hunted");
    },
  );
});

/** Starts a run, or goes on with the one that was interrupted. */
async function goOn({ name, hash, baton }: Repository): Promise<RunningBaton> {
  const log = openSqliteLog(room.database);
  const rows = await log.runs({ unfinished: true, limit: 100 });
  await log.close();
  const unfinished = rows.find((row) => row.name === name)?.run;
  return baton(unfinished === undefined ? ["run", "--trust", hash] : ["resume", unfinished]);
}

/** Kills it at some moment after an agent or a gate has begun; false when it came to its end first. */
async function hunt(repository: Repository, random: Random): Promise<boolean> {
  const before = repository.journal().length;
  const running = await goOn(repository);
  while (running.process.exitCode === null && repository.journal().length === before) await sleep(5);
  await Promise.race([sleep(random.below(500)), running.ended]);
  running.process.kill("SIGKILL");
  return (await running.ended).signal === "SIGKILL";
}

describe("a run is not held up by a collector", () => {
  it("that is not there", async () => {
    const port = await freePort();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${port}`);
    const ended = await run(addTraced(room, "absent"));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Telemetry was not delivered: ECONNREFUSED");
  });

  it("that never answers", async () => {
    await collect(() => undefined);
    const ended = await run(addTraced(room, "silent"));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Telemetry was not delivered: ");
  });

  it("that answers without end", async () => {
    await collect((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(drip));
    });
    const ended = await run(addTraced(room, "endless"));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Telemetry was not delivered: ");
  });

  it("that refuses, and what it says is not repeated", async () => {
    await collect((response) => response.writeHead(401).end("\u001b[31m::error::go away"));
    const ended = await run(addTraced(room, "refused"));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Telemetry was not delivered: the collector answered 401");
    expect(ended.stderr).not.toContain("go away");
  });

  it("that cannot be spoken to", async () => {
    await collect();
    vi.stubEnv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    const ended = await run(addTraced(room, "grpc"));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Telemetry was not delivered: OTEL_EXPORTER_OTLP_PROTOCOL is grpc");
  });
});

describe("the code that tells", () => {
  it.each([
    ["is not loaded when nobody collects", {}, false],
    ["is not loaded when it is switched off", { OTEL_SDK_DISABLED: "true" }, false],
    ["is loaded when somebody does", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }, true],
  ])("%s", (what, variables, isLoaded) => {
    if ("OTEL_SDK_DISABLED" in variables) vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    const repository = addTraced(room, what.replaceAll(" ", "-"));
    const command = join(import.meta.dirname, "../../dist/cli/baton.cjs");
    const script = `process.argv.splice(1, 0, "baton"); require(${JSON.stringify(command)});
      process.on("exit", () => console.error("loaded " + Object.keys(require.cache).join(" ")));`;
    const folders = { BATON_STATE: join(room.folder, "state"), XDG_CONFIG_HOME: join(room.folder, "config") };
    const env = { ...process.env, ...variables, ...folders };
    const args = ["-e", script, "--", "run", "--trust", repository.hash];
    const ended = spawnSync(process.execPath, args, { cwd: repository.folder, env });
    expect(ended.status, ended.stderr.toString()).toBe(0);
    const loaded = ended.stderr.toString().split("loaded ").at(-1) ?? "";
    expect(loaded).toContain("open-engine.cjs");
    expect(loaded.includes("otlp-sender.cjs")).toBe(isLoaded);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}
