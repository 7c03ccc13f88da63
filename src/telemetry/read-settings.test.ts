import { describe, expect, it } from "vitest";
import { readSettings } from "./read-settings.ts";

const BASE = "OTEL_EXPORTER_OTLP_ENDPOINT";

describe("the variables of OpenTelemetry", () => {
  it.each([
    [{}],
    [{ [BASE]: " " }],
    [{ [BASE]: "http://here:4318", OTEL_SDK_DISABLED: "true" }],
    [{ [BASE]: "http://here:4318", OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }],
    [{ OTEL_TRACES_EXPORTER: "otlp" }],
  ])("leave it off: %o", (environment) => {
    expect(readSettings(environment)).toBeNull();
  });

  it.each([
    [{ [BASE]: "http://here:4318" }, "http://here:4318/v1/traces", "http://here:4318/v1/metrics"],
    [{ [BASE]: "https://here/otlp/" }, "https://here/otlp/v1/traces", "https://here/otlp/v1/metrics"],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://here/spans" }, "http://here/spans", null],
    [
      { [BASE]: "http://here", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://there/m" },
      "http://here/v1/traces",
      "http://there/m",
    ],
    [{ [BASE]: "http://here", OTEL_METRICS_EXPORTER: "none" }, "http://here/v1/traces", null],
    [
      { [BASE]: "http://here", OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
      "http://here/v1/traces",
      "http://here/v1/metrics",
    ],
  ])("say where it goes: %o", (environment, traces, metrics) => {
    expect(readSettings(environment)).toEqual({ traces, metrics });
  });

  it.each([
    [{ [BASE]: "here:4318" }, /^OTEL_EXPORTER_OTLP_ENDPOINT is no address/],
    [{ [BASE]: "file:///etc/passwd" }, /^OTEL_EXPORTER_OTLP_ENDPOINT is no address/],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "?" }, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is no address/],
    [{ [BASE]: "http://here:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /grpc; baton speaks http\/json/],
  ])("are refused with a reason: %o", (environment, reason) => {
    expect(readSettings(environment)).toMatch(reason);
  });
});
