import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  type Resource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Redact } from "../shared/redact.ts";
import type { TracedRun, TracedSpan } from "../views/run-trace.ts";
import { SCHEMA } from "./conventions.ts";
import { SpanCounts } from "./count-spans.ts";
import { type Attributes, describeSpan } from "./describe-span.ts";
import type { Settings } from "./read-settings.ts";
import { spanIdOf, traceIdOf } from "./trace-ids.ts";

export interface OtlpSenderOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly redact: Redact;
}

/** An export that takes longer is given up; the end of a run waits no longer either. */
const MAX_EXPORT = 3000;
/** Short, so that little is lost with a process that is killed. */
const BATCH_DELAY = 200;
const METRIC_INTERVAL = 60_000;
/** Spans beyond these are dropped while the collector does not answer. */
const MAX_WAITING = 4096;
const MAX_VALUE = 256;
const SCOPE = "baton-handoff";

/**
 * The one module that knows the SDK of OpenTelemetry, loaded when the first span is told. The SDK's ids are ours:
 * its tracer asks for them, and is told those of the span that is just being made.
 */
export class OtlpSender {
  readonly #redact: Redact;
  readonly #next = { trace: "", span: "" };
  readonly #agents: (Agent | SecureAgent)[] = [];
  readonly #flushes: (() => Promise<unknown>)[] = [];
  readonly #tracer: Tracer | null;
  readonly #counts: SpanCounts | null;
  /** Exports that were not answered yet. */
  #underWay = 0;
  #problem: string | null = null;

  constructor({ traces, metrics }: Settings, options: OtlpSenderOptions) {
    this.#redact = options.redact;
    const resource = resourceOf(options.version);
    this.#tracer = traces === null ? null : this.#openTracer(traces, resource, options);
    this.#counts = metrics === null ? null : this.#openCounts(metrics, resource, options);
  }

  send(traced: TracedRun, spans: readonly TracedSpan[]): void {
    for (const span of spans) {
      if (this.#tracer !== null) this.#emit(this.#tracer, traced, span);
      this.#counts?.add(span);
    }
  }

  async settle(): Promise<string | null> {
    const flushed = Promise.allSettled(this.#flushes.map((flush) => flush()));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MAX_EXPORT);
    });
    await Promise.race([flushed, late]);
    clearTimeout(timer);
    const problem = this.#problem ?? (this.#underWay > 0 ? "the collector does not answer" : null);
    this.#problem = null;
    return problem;
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  #openTracer(url: string, resource: Resource, { environment, version }: OtlpSenderOptions): Tracer {
    const exporter = new OTLPTraceExporter(this.#connection(url, "TRACES", environment));
    this.#noteFailures(exporter);
    const processor = new BatchSpanProcessor({
      exporter,
      scheduledDelayMillis: BATCH_DELAY,
      exportTimeoutMillis: MAX_EXPORT,
      maxQueueSize: MAX_WAITING,
    });
    const provider = new TracerProvider({
      resource,
      sampler: new AlwaysOnSampler(),
      spanProcessors: [processor],
      spanLimits: { attributeValueLengthLimit: MAX_VALUE },
      idGenerator: { generateTraceId: () => this.#next.trace, generateSpanId: () => this.#next.span },
    });
    // What is under way already is not waited for by the provider.
    this.#flushes.push(async () => {
      await provider.forceFlush({ timeoutMillis: MAX_EXPORT });
      await exporter.forceFlush();
    });
    return provider.getTracer(SCOPE, version, { schemaUrl: SCHEMA });
  }

  #openCounts(url: string, resource: Resource, { environment, version }: OtlpSenderOptions): SpanCounts {
    const exporter = new OTLPMetricExporter(this.#connection(url, "METRICS", environment));
    this.#noteFailures(exporter);
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: METRIC_INTERVAL,
      exportTimeoutMillis: MAX_EXPORT,
    });
    const provider = new MeterProvider({ resource, readers: [reader] });
    this.#flushes.push(() => provider.forceFlush({ timeoutMillis: MAX_EXPORT }));
    return new SpanCounts(provider.getMeter(SCOPE, version, { schemaUrl: SCHEMA }));
  }

  /** The SDK would keep what went wrong to itself. */
  #noteFailures<Items>(exporter: Exporter<Items>): void {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, tell) => {
      this.#underWay++;
      send(items, (result) => {
        this.#underWay--;
        if (result.error !== undefined) this.#problem = reasonOf(result.error);
        tell(result);
      });
    };
  }

  #connection(url: string, signal: "TRACES" | "METRICS", environment: OtlpSenderOptions["environment"]) {
    const { ca, cert, key } = certificatesFor(signal, environment);
    const agent = url.startsWith("https:") ? new SecureAgent({ keepAlive: true, ca, cert, key }) : new Agent(KEPT);
    this.#agents.push(agent);
    return { url, timeoutMillis: MAX_EXPORT, concurrencyLimit: 4, httpAgentOptions: () => agent };
  }

  #emit(tracer: Tracer, traced: TracedRun, span: TracedSpan): void {
    const { name, isClient, hasFailed, attributes } = describeSpan(traced, span);
    const contextOf = (part: string) => ({
      traceId: traceIdOf(traced),
      spanId: spanIdOf(traced, part),
      traceFlags: TraceFlags.SAMPLED,
    });
    const { traceId, spanId } = contextOf(span.part);
    this.#next.trace = traceId;
    this.#next.span = spanId;
    const parent = span.parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(span.parent));
    const follows = span.kind === "run" ? null : span.follows;
    const made = tracer.startSpan(
      this.#redact(name).slice(0, MAX_VALUE),
      {
        kind: isClient ? SpanKind.CLIENT : SpanKind.INTERNAL,
        startTime: new Date(span.startedAt),
        attributes: this.#masked(attributes),
        links: follows === null ? [] : [{ context: contextOf(follows) }],
      },
      parent,
    );
    if (hasFailed) made.setStatus({ code: SpanStatusCode.ERROR });
    made.end(new Date(Math.max(span.startedAt, span.endedAt)));
  }

  #masked(attributes: Attributes): Attributes {
    const masked = Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === "string" ? this.#redact(value) : value,
    ]);
    return Object.fromEntries(masked) as Attributes;
  }
}

interface Exporter<Items> {
  export(items: Items, tell: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

const KEPT = { keepAlive: true };

/** The operator's own names win; the last part tells processes apart that count at the same time. */
function resourceOf(version: string): Resource {
  const ours = { "service.name": "baton", "service.version": version, "service.instance.id": randomUUID() };
  return resourceFromAttributes(ours).merge(
    detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
  );
}

/** An agent of our own has to be told of the operator's certificates. */
function certificatesFor(signal: "TRACES" | "METRICS", environment: OtlpSenderOptions["environment"]) {
  const read = (name: string): Buffer | undefined => {
    const path = environment[`OTEL_EXPORTER_OTLP_${signal}_${name}`] ?? environment[`OTEL_EXPORTER_OTLP_${name}`] ?? "";
    return path === "" ? undefined : readFileSync(path);
  };
  return { ca: read("CERTIFICATE"), cert: read("CLIENT_CERTIFICATE"), key: read("CLIENT_KEY") };
}

/** Not what the collector answered: that could be anything. */
function reasonOf(error: Error): string {
  const { code } = error as { readonly code?: string | number };
  if (typeof code === "number") return `the collector answered ${code}`;
  return code ?? error.message.slice(0, 100);
}
