import { type Collector, NO_TELEMETRY, type Telemetry } from "../ports/telemetry.ts";
import type { TracedRun, TracedSpan } from "../views/run-trace.ts";
import type { OtlpSender, OtlpSenderOptions } from "./otlp-sender.ts";
import { type Settings, readSettings } from "./read-settings.ts";
import { traceContext } from "./trace-ids.ts";

/** By the operator's environment. Off, and nothing loaded, unless it names where telemetry goes. */
export function openTelemetry(options: OtlpSenderOptions): Telemetry {
  const settings = readSettings(options.environment);
  if (settings === null) return NO_TELEMETRY;
  if (typeof settings !== "string") return new OtlpTelemetry(settings, options);
  return { ...NO_TELEMETRY, settle: () => Promise.resolve(settings) };
}

class OtlpTelemetry implements Telemetry {
  readonly isOn = true;
  readonly collector: Collector;
  readonly #settings: Settings;
  readonly #options: OtlpSenderOptions;
  #sender: OtlpSender | null = null;
  /** One after the other; the first of them loads the sender. */
  #telling: Promise<void> = Promise.resolve();
  #problem: string | null = null;

  constructor(settings: Settings, options: OtlpSenderOptions) {
    this.#settings = settings;
    this.#options = options;
    this.collector = { traces: withoutCredentials(settings.traces), metrics: withoutCredentials(settings.metrics) };
  }

  contextOf(run: TracedRun, part: string): Readonly<Record<string, string>> {
    return this.#settings.traces === null ? {} : traceContext(run, part);
  }

  report(run: TracedRun, spans: readonly TracedSpan[]): void {
    if (spans.length === 0) return;
    this.#telling = this.#telling.then(() => this.#send(run, spans));
  }

  async settle(): Promise<string | null> {
    await this.#telling;
    const problem = this.#problem ?? (await this.#sender?.settle()) ?? null;
    this.#problem = null;
    return problem;
  }

  close(): void {
    this.#sender?.close();
  }

  async #send(run: TracedRun, spans: readonly TracedSpan[]): Promise<void> {
    try {
      const { OtlpSender: Sender } = await import("./otlp-sender.ts");
      this.#sender ??= new Sender(this.#settings, this.#options);
      this.#sender.send(run, spans);
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
    }
  }
}

/** An agent learns where its client's spans go, not with which password. */
function withoutCredentials(address: string | null): string | null {
  if (address === null) return null;
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return url.href;
}
