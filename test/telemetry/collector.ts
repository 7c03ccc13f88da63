import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as OTLP's JSON has it, its attributes as a plain record. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
  readonly status: number;
  readonly service: unknown;
  readonly schema: string;
}

interface ReceivedPoint {
  readonly metric: string;
  /** Which one counted. */
  readonly process: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number;
  readonly count: number;
}

/** An OTLP receiver on the loopback: what is sent to it as JSON, in the order of arrival. */
export interface Collector {
  readonly address: string;
  readonly spans: readonly ReceivedSpan[];
  /** The newest of each series. */
  points(metric: string): readonly ReceivedPoint[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  close(): Promise<void>;
}

type Answer = (response: ServerResponse) => void;

export async function openCollector(answer: Answer = fine): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const points = new Map<string, ReceivedPoint>();
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      requests.push({ path, headers: request.headers });
      const body = JSON.parse(Buffer.concat(chunks).toString()) as OtlpBody;
      if (path.endsWith("/v1/traces")) spans.push(...spansIn(body));
      for (const point of path.endsWith("/v1/metrics") ? pointsIn(body) : []) points.set(keyOf(point), point);
      answer(response);
    });
  });
  const port = await listen(server);
  return {
    address: `http://127.0.0.1:${port}`,
    spans,
    points: (metric) => [...points.values()].filter((point) => point.metric === metric),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function fine(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function keyOf({ metric, attributes, process }: ReceivedPoint): string {
  return JSON.stringify([metric, process, attributes]);
}

/** What of OTLP's JSON is looked at. */
export interface OtlpBody {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: OtlpAttributes };
    readonly scopeSpans: readonly { readonly schemaUrl?: string; readonly spans: readonly OtlpSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly resource?: { readonly attributes?: OtlpAttributes };
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

type OtlpAttributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

type OtlpSpan = Omit<ReceivedSpan, "parentSpanId" | "attributes" | "links" | "status" | "service" | "schema"> & {
  readonly parentSpanId?: string;
  readonly attributes?: OtlpAttributes;
  readonly links?: readonly { readonly spanId: string }[];
  readonly status?: { readonly code?: number };
};

interface OtlpMetric {
  readonly name: string;
  readonly sum?: OtlpPoints;
  readonly histogram?: OtlpPoints;
  readonly gauge?: OtlpPoints;
}

interface OtlpPoints {
  readonly dataPoints: readonly {
    readonly attributes?: OtlpAttributes;
    readonly asInt?: string | number;
    readonly asDouble?: number;
    readonly sum?: number;
    readonly count?: string | number;
  }[];
}

export function spansIn({ resourceSpans = [] }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ schemaUrl, spans }) =>
      spans.map((span) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? "",
        attributes: recordOf(span.attributes),
        links: (span.links ?? []).map(({ spanId }) => spanId),
        status: span.status?.code ?? 0,
        service: recordOf(resource?.attributes)["service.name"],
        schema: schemaUrl ?? "",
      })),
    ),
  );
}

export function pointsIn({ resourceMetrics = [] }: OtlpBody): ReceivedPoint[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(
        (metric) =>
          (metric.sum ?? metric.histogram ?? metric.gauge)?.dataPoints.map((point) => ({
            metric: metric.name,
            process: recordOf(resource?.attributes)["service.instance.id"],
            attributes: recordOf(point.attributes),
            value: Number(point.asInt ?? point.asDouble ?? point.sum),
            count: Number(point.count ?? 1),
          })) ?? [],
      ),
    ),
  );
}

function recordOf(attributes: OtlpAttributes = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue({ stringValue, boolValue, doubleValue, intValue }: Readonly<Record<string, unknown>>): unknown {
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}
