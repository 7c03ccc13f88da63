import type { Attributes as OtelAttributes, Meter } from "@opentelemetry/api";
import type { Verdict } from "../evidence/claim.ts";
import type { VerdictCounts } from "../evidence/policy.ts";
import type { AttemptSpan, GateSpan, TracedSpan } from "../views/run-trace.ts";
import { ATTRIBUTES, METRICS, OPERATIONS, SECOND_BUCKETS, TOKEN_BUCKETS } from "./conventions.ts";
import { errorOf, providerOf, toolOf } from "./describe-span.ts";

const VERDICTS: readonly Verdict[] = ["confirmed", "refuted", "unverifiable"];

/** Figures over many runs: each part counts when it has ended. Names of runs and tasks would make too many series. */
export class SpanCounts {
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  add(span: TracedSpan): void {
    switch (span.kind) {
      case "run":
        return this.#count(METRICS.runs, { [ATTRIBUTES.workflow]: span.workflow, [ATTRIBUTES.status]: span.status });
      case "attempt":
        return this.#addAttempt(span);
      case "gate":
        return this.#addGate(span);
    }
  }

  #addAttempt(span: AttemptSpan): void {
    const { agent, reason, end, handoff, claims, usage } = span;
    const who = { [ATTRIBUTES.agent]: agent };
    const model = span.model === null ? {} : { [ATTRIBUTES.model]: span.model };
    const error = errorOf(span);
    const operation = {
      [ATTRIBUTES.operation]: OPERATIONS.agent,
      [ATTRIBUTES.provider]: providerOf(span),
      ...who,
      ...model,
    };
    this.#count(METRICS.attempts, { ...who, [ATTRIBUTES.reason]: reason, [ATTRIBUTES.end]: end });
    this.#meter
      .createHistogram(METRICS.duration, { unit: "s", advice: { explicitBucketBoundaries: SECOND_BUCKETS } })
      .record((span.endedAt - span.startedAt) / 1000, {
        ...operation,
        ...(error !== null && { [ATTRIBUTES.error]: error }),
      });
    // Clients tell what they used in all, and not all of them tell it.
    if (usage !== null && usage.tokens !== null)
      this.#meter
        .createHistogram(METRICS.tokens, { unit: "{token}", advice: { explicitBucketBoundaries: TOKEN_BUCKETS } })
        .record(usage.tokens, { ...operation, [ATTRIBUTES.tokenType]: "total" });
    if (handoff !== null) {
      const { isAccepted, delivery } = handoff;
      const what = delivery && { [ATTRIBUTES.dialect]: delivery.dialect, [ATTRIBUTES.outcome]: delivery.outcome };
      this.#count(METRICS.handoffs, {
        ...who,
        [ATTRIBUTES.result]: isAccepted ? "accepted" : "refused",
        ...what,
      });
    }
    this.#countClaims(who, claims);
  }

  #addGate(span: GateSpan): void {
    this.#count(METRICS.gates, { [ATTRIBUTES.tool]: toolOf(span), [ATTRIBUTES.passed]: span.passed });
    this.#countClaims({ [ATTRIBUTES.agent]: span.agent }, span.claims);
  }

  #countClaims(who: OtelAttributes, claims: VerdictCounts | null): void {
    if (claims === null) return;
    for (const verdict of VERDICTS)
      if (claims[verdict] > 0) this.#count(METRICS.claims, { ...who, [ATTRIBUTES.verdict]: verdict }, claims[verdict]);
  }

  #count(name: string, attributes: OtelAttributes, by = 1): void {
    this.#meter.createCounter(name).add(by, attributes);
  }
}
