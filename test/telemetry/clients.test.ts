import { afterAll, describe, expect, it, vi } from "vitest";
import { invokeClaude } from "../../src/agents/claude/claude-agent.ts";
import { invokeCodex } from "../../src/agents/codex/codex-agent.ts";
import { readSettings } from "../../src/telemetry/read-settings.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import type { Collector } from "../../src/ports/telemetry.ts";
import { openTelemetry } from "../../src/telemetry/open-telemetry.ts";
import { aJob, removeJobFolders } from "../agents/agent-jobs.ts";

afterAll(removeJobFolders);

const collector: Collector = { traces: "http://here:4318/v1/traces", metrics: "http://here:4318/v1/metrics" };

function claude(given: Collector | null, options: JsonRecord = {}) {
  const runner = { kind: "claude", command: ["claude"], options } as const;
  return invokeClaude(aJob(runner, "", { collector: given }), runner);
}

function codex(given: Collector | null, options: JsonRecord = {}): readonly string[] {
  const runner = { kind: "codex", command: ["codex"], options } as const;
  return invokeCodex(aJob(runner, "", { collector: given }), runner).command;
}

function otel(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => /OTEL|TELEMETRY|TRACE/.test(name)));
}

describe("clients", () => {
  it("are told nothing when nobody collects, whatever the operator's environment holds", () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer abcdefgh");
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://here:4318");
    expect(otel(claude(null).environment)).toEqual({});
    expect(codex(null).join(" ")).not.toContain("otel");
    vi.unstubAllEnvs();
  });

  it("are told where to send what they tell of themselves, and no prompts", () => {
    expect(otel(claude(collector).environment)).toEqual({
      CLAUDE_CODE_ENABLE_TELEMETRY: "1",
      CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.traces,
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.metrics,
    });
    expect(codex(collector)).toContain(
      'otel.trace_exporter={ otlp-http = { endpoint = "http://here:4318/v1/traces", protocol = "json" } }',
    );
    expect(codex(collector)).toContain("otel.log_user_prompt=false");
  });

  it("are asked for nothing that the operator does not collect", () => {
    const environment = otel(claude({ traces: null, metrics: collector.metrics }).environment);
    expect(environment).not.toHaveProperty("OTEL_TRACES_EXPORTER");
    expect(codex({ traces: null, metrics: collector.metrics }).join(" ")).not.toContain("otel");
    expect(otel(claude({ traces: collector.traces, metrics: null }).environment)).not.toHaveProperty(
      "OTEL_METRICS_EXPORTER",
    );
  });

  it("can be told otherwise by the workflow that starts them", () => {
    expect(claude(collector, { env: { CLAUDE_CODE_ENABLE_TELEMETRY: "0" } }).environment).toMatchObject({
      CLAUDE_CODE_ENABLE_TELEMETRY: "0",
    });
    const flags = codex(collector, { config: ['otel.trace_exporter="none"'] });
    expect(flags.lastIndexOf('otel.trace_exporter="none"')).toBeGreaterThan(
      flags.findIndex((flag) => flag.startsWith("otel.trace_exporter={")),
    );
  });

  it("never get the operator's password", () => {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://ada:secret@here/otlp" };
    expect(readSettings(environment)).toMatchObject({ traces: "https://ada:secret@here/otlp/v1/traces" });
    const telemetry = openTelemetry({ environment, version: "1", redact: (text) => text });
    expect(telemetry.collector).toEqual({
      traces: "https://here/otlp/v1/traces",
      metrics: "https://here/otlp/v1/metrics",
    });
  });
});
