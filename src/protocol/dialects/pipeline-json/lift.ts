import type { JsonRecord } from "../../../shared/json-value.ts";
import type { HandoffContent, Outcome } from "../../handoff.ts";
import { compact, present } from "../compact.ts";
import { extensionsOf, unknownFields } from "../extensions.ts";
import { type PipelineDocument, pipelineShape } from "./shape.ts";

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  PASS: "done",
  PASS_WITH_WARNINGS: "done-with-warnings",
  PASS_WITH_FIXES: "needs-fixes",
  FAIL: "failed",
};

export function lift(raw: JsonRecord): HandoffContent {
  const document = raw as unknown as PipelineDocument;
  const complete = document.to_agent === "COMPLETE";
  return present({
    from: document.from_agent,
    to: complete ? null : document.to_agent,
    final: complete ? true : undefined,
    at: document.timestamp,
    iteration: document.iteration ?? 1,
    outcome: OUTCOMES[document.status] ?? "failed",
    status: document.status,
    work: { artifacts: document.artifacts },
    context: compact({
      decisions: document.context.design_decisions,
      limitations: document.context.known_limitations,
      assumptions: document.context.assumptions,
    }),
    findings: compact({
      issues: document.issues,
      fixes: document.fixes_applied?.map((description) => ({ description })),
      resolved: document.issues_resolved,
      new_issues: document.new_issues,
    }),
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
    ...extensionsOf("pipeline-json", unknownFields(topLevel(raw), pipelineShape)),
  });
}

/** Metrics, checks and test requirements are lifted whole, unknown keys included. */
function topLevel(raw: JsonRecord): JsonRecord {
  const { metrics: _metrics, validation: _validation, test_requirements: _requirements, ...rest } = raw;
  return rest;
}
