import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Origin } from "../../dialect.ts";
import type { Handoff, Outcome } from "../../handoff.ts";
import { compact, present, extended, unknownFields } from "../lift-and-lower.ts";
import { type PhaseDocument, phaseShape } from "./shape.ts";

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  pending: "pending",
  in_progress: "in-progress",
  complete: "done",
  failed: "failed",
  blocked: "blocked",
  retry: "needs-fixes",
};

export function lift(raw: JsonRecord, _origin: Origin, isClosed = false): Handoff {
  const { handoff } = raw as unknown as PhaseDocument;
  const to = handoff.to === null || handoff.to === "None" ? null : bareName(handoff.to);
  const failure = handoff.on_failure;
  const lifted: Handoff = present({
    dialect: "phase-yaml",
    from: bareName(handoff.from),
    to,
    final: to === null && handoff.phase === "Complete" ? true : undefined,
    at: handoff.timestamp,
    phase: handoff.phase,
    attempt: handoff.retry_count,
    outcome: OUTCOMES[handoff.status] ?? "failed",
    status: handoff.status,
    metrics: handoff.metrics,
    depends_on: handoff.dependencies,
    context: compact({ data: handoff.context }),
    routing: compact({
      on_failure:
        failure &&
        present({
          ...failure,
          route_to: failure.route_to && bareName(failure.route_to),
          notify: failure.notify && bareName(failure.notify),
        }),
    }),
  });
  return isClosed ? lifted : extended(lifted, unknownFields(withoutOpenRecords(raw, handoff), phaseShape));
}

/** `on_failure` is lifted whole, unknown keys included. */
function withoutOpenRecords(raw: JsonRecord, handoff: JsonRecord): JsonRecord {
  const { on_failure: _failure, ...rest } = handoff;
  return { ...raw, handoff: rest };
}

function bareName(name: string): string {
  return name.startsWith("@") && name.length > 1 ? name.slice(1) : name;
}
