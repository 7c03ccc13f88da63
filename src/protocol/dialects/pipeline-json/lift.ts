import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Origin } from "../../dialect.ts";
import type { Handoff, Outcome } from "../../handoff.ts";
import { compact, present, extended, unknownFields } from "../lift-and-lower.ts";
import { type PipelineDocument, pipelineShape } from "./shape.ts";

/** A map: a record would have to look up in the engine's table of names every word that it has just read. */
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ["PASS", "done"],
  ["PASS_WITH_WARNINGS", "done-with-warnings"],
  ["PASS_WITH_FIXES", "needs-fixes"],
  ["FAIL", "failed"],
]);

export function lift(raw: JsonRecord, _origin: Origin, isClosed = false): Handoff {
  const document = raw as unknown as PipelineDocument;
  const complete = document.to_agent === "COMPLETE";
  const handoff: Handoff = present({
    dialect: "pipeline-json",
    from: document.from_agent,
    to: complete ? null : document.to_agent,
    at: document.timestamp,
    iteration: document.iteration ?? 1,
    outcome: OUTCOMES.get(document.status) ?? "failed",
    status: document.status,
    work: { artifacts: document.artifacts },
    context: compact({
      decisions: document.context.design_decisions,
      limitations: document.context.known_limitations,
      assumptions: document.context.assumptions,
    }),
    findings: liftFindings(document),
    test_requirements: document.test_requirements,
    checks: document.validation,
    metrics: document.metrics,
    routing: {
      loop: {
        required: document.loop_required ?? false,
        target: document.loop_target ?? null,
        reason: document.loop_reason ?? null,
      },
    },
  });
  if (complete) handoff.final = true;
  return isClosed ? handoff : extended(handoff, unknownFields(topLevel(raw), pipelineShape));
}

function liftFindings({ issues, fixes_applied, issues_resolved, new_issues }: PipelineDocument): Handoff["findings"] {
  if (fixes_applied === undefined && issues_resolved === undefined && new_issues === undefined)
    return issues === undefined ? undefined : { issues };
  const fixes = fixes_applied?.map((description) => ({ description }));
  return compact({ issues, fixes, resolved: issues_resolved, new_issues });
}

/** Metrics, checks and test requirements are lifted whole, unknown keys included. */
function topLevel(raw: JsonRecord): JsonRecord {
  const { metrics: _metrics, validation: _validation, test_requirements: _requirements, ...rest } = raw;
  return rest;
}
