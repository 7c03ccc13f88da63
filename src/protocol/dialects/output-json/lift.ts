import type { JsonRecord } from "../../../shared/json-value.ts";
import type { HandoffContent, Outcome } from "../../handoff.ts";
import { compact, present } from "../compact.ts";
import { extensionsOf, unknownFields } from "../extensions.ts";
import { type OutputDocument, outputShape } from "./shape.ts";

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  complete: "done",
  needs_review: "needs-review",
  "needs-review": "needs-review",
  blocked: "blocked",
  "in-progress": "in-progress",
};

export function lift(raw: JsonRecord): HandoffContent {
  const document = raw as unknown as OutputDocument;
  const handoff = document.handoff;
  return present({
    from: document.agent,
    to: handoff?.next_agent,
    final: handoff?.next_phase === "complete" && handoff.next_agent === null ? true : undefined,
    at: document.timestamp,
    phase: document.phase,
    outcome: OUTCOMES[document.status] ?? liftApproval(document.status),
    status: document.status,
    summary: document.summary,
    work: compact({
      modified: document.files_modified?.map((path) => ({ path })),
      artifacts: document.artifacts?.map((path) => ({ path })),
      output_type: document.output_type,
      directory: document.feature_directory,
      skills: document.skills_invoked,
      library_skills: document.library_skills_read,
      verified: document.source_files_verified,
    }),
    context: compact({ text: handoff?.context }),
    checks: compact({ results: document.verification }),
    blockers: handoff?.blockers,
    routing: compact({
      next_phase: handoff?.next_phase,
      blocked_reason: document.blocked_reason,
      attempted: document.attempted,
    }),
    ...extensionsOf("output-json", unknownFields(withoutVerification(raw), outputShape)),
  });
}

/** `approved` is done; an approval with conditions or recommendations is done with remarks. */
function liftApproval(word: string): Outcome {
  if (/^approved$/i.test(word)) return "done";
  return /^approved/i.test(word) ? "done-with-warnings" : "failed";
}

function withoutVerification(raw: JsonRecord): JsonRecord {
  const { verification: _verification, ...rest } = raw;
  if (rest["handoff"] === null) delete rest["handoff"];
  return rest;
}
