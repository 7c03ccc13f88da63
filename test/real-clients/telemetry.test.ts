import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type OtlpBody, type ReceivedSpan, pointsIn, spansIn } from "../telemetry/collector.ts";
import { CLAUDE, CODEX } from "./clients.ts";
import { aRunFolder, offlineCommand, offlineSink, programOf, removeRunFolders, whyAbsent } from "./offline-runs.ts";
import { hashToTrust } from "../hash-to-trust.ts";

const baton = join(import.meta.dirname, "../../dist/cli/baton.cjs");
const PORT = 4318;

afterAll(removeRunFolders);

/** Claude Code builds, Codex tests, a gate looks. All of it, the collector too, in one place without a network. */
const WORKFLOW = `baton: 1
name: two-clients
start: builder
gates:
  look: { command: ["true"], timeout: 1m, failed: fail }
agents:
  builder:
    run: { claude: { inherit: [${names(CLAUDE.variables)}] }, command: [${programOf(CLAUDE)}] }
    dialect: output-json
    prompt: Build it.
    gates: [look]
    routes: { done: tester, failed: fail }
  tester:
    run: { codex: { inherit: [${names(CODEX.variables)}] }, command: [${programOf(CODEX)}] }
    dialect: output-json
    prompt: Test it.
    routes: { done: end, failed: fail }
`;

const absence = whyAbsent(CLAUDE) ?? whyAbsent(CODEX);

describe.skipIf(absence !== null)(
  `telemetry of a run with real clients${absence === null ? "" : ` (${absence})`}`,
  () => {
    it("is one trace: our spans, and below them those of Claude Code and Codex", { timeout: 240_000 }, () => {
      const { spans, metrics, printed } = runOffline();
      const ours = spans.filter(({ service }) => service === "baton");
      expect(
        ours.map(({ name }) => name),
        printed,
      ).toEqual(["invoke_agent builder", "execute_tool look", "invoke_agent tester", "invoke_workflow two-clients"]);
      const root = ours.at(-1);
      expect(root?.parentSpanId).toBe("");
      expect(new Set(ours.map(({ traceId }) => traceId)).size).toBe(1);
      expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
      for (const [agent, expected] of [
        ["builder", ["claude_code.interaction", "claude_code.llm_request"]],
        ["tester", ["codex.exec", "session_task.turn", "run_sampling_request"]],
      ] as const) {
        const own = spans.find(({ name }) => name === `invoke_agent ${agent}`);
        expect(own?.parentSpanId).toBe(root?.spanId);
        const theirs = below(spans, own?.spanId ?? "");
        expect(theirs.map(({ name }) => name)).toEqual(expect.arrayContaining([...expected]));
        expect(new Set(theirs.map(({ traceId }) => traceId))).toEqual(new Set([root?.traceId]));
        expect(theirs.every(({ service }) => service !== "baton")).toBe(true);
      }
      // Claude Code has no other spans; Codex looks after itself in traces of its own.
      const strangers = spans.filter(({ traceId }) => traceId !== root?.traceId);
      expect(new Set(strangers.map(({ service }) => service))).toEqual(new Set(["codex_exec"]));
      expect(metrics).toEqual(expect.arrayContaining(["gen_ai.client.token.usage", "claude_code.token.usage"]));
      // What was said is nobody's business.
      expect(JSON.stringify(spans)).not.toMatch(/Build it\.|Test it\./);
    });
  },
);

interface Offline {
  readonly spans: readonly ReceivedSpan[];
  /** Their names. */
  readonly metrics: readonly string[];
  readonly printed: string;
}

function runOffline(): Offline {
  const run = aRunFolder(CODEX);
  const received = join(run, "otlp.jsonl");
  writeFileSync(join(run, "proj/baton.yaml"), WORKFLOW);
  const trusted = hashToTrust(join(run, "proj"));
  const script = `"${process.execPath}" "${offlineSink}" ${PORT} "${received}" & sink=$!
    until (exec 3<>/dev/tcp/127.0.0.1/${PORT}) 2>/dev/null; do sleep 0.1; done
    "${process.execPath}" "${baton}" run --trust ${trusted}; code=$?
    kill $sink; exit $code`;
  const variables = [...CLAUDE.variables, ...CODEX.variables, `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${PORT}`];
  const command = offlineCommand(run, "step-scenario.mjs", variables, ["bash", "-c", script]);
  // It ends as the fake model does that it stops; what became of the run is in what was printed.
  spawnSync(command[0] ?? "", command.slice(1), { cwd: join(run, "proj") });
  const lines = readFileSync(received, "utf8").trimEnd().split("\n");
  const bodies = lines.map((line) => JSON.parse(line) as { path: string; body: OtlpBody });
  return {
    spans: bodies.filter(({ path }) => path === "/v1/traces").flatMap(({ body }) => spansIn(body)),
    metrics: bodies
      .filter(({ path }) => path === "/v1/metrics")
      .flatMap(({ body }) => pointsIn(body).map(({ metric }) => metric)),
    printed: readFileSync(join(run, "out.txt"), "utf8") + readFileSync(join(run, "err.txt"), "utf8"),
  };
}

/** All spans that descend from this one. */
function below(spans: readonly ReceivedSpan[], spanId: string): ReceivedSpan[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === spanId)
    .flatMap((child) => [child, ...below(spans, child.spanId)]);
}

function names(variables: readonly string[]): string {
  return variables.map((variable) => variable.split("=")[0]).join(", ");
}
