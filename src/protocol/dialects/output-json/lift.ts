import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Origin } from "../../dialect.ts";
import type { Handoff, Outcome } from "../../handoff.ts";
import { compact, each, present, extended, unknownFields } from "../lift-and-lower.ts";
import { type OutputDocument, outputShape } from "./shape.ts";

/** A map: a record would have to look up in the engine's table of names every word that it has just read. */
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ["complete", "done"],
  ["needs_review", "needs-review"],
  ["needs-review", "needs-review"],
  ["blocked", "blocked"],
  ["in-progress", "in-progress"],
]);

export function lift(raw: JsonRecord, _origin: Origin, isClosed = false): Handoff {
  const document = raw as unknown as OutputDocument;
  const next: NonNullable<OutputDocument["handoff"]> = document.handoff ?? {};
  const handoff: Handoff = present({
    dialect: "output-json",
    from: document.agent,
    to: next.next_agent,
    at: document.timestamp,
    phase: document.phase,
    outcome: OUTCOMES.get(document.status) ?? liftApproval(document.status),
    status: document.status,
    summary: document.summary,
    work: compact({
      modified: each(document.files_modified, (path) => ({ path })),
      artifacts: each(document.artifacts, (path) => ({ path })),
      output_type: document.output_type,
      directory: document.feature_directory,
      skills: document.skills_invoked,
      library_skills: document.library_skills_read,
      verified: document.source_files_verified,
    }),
    context: next.context === undefined ? undefined : { text: next.context },
    checks: document.verification && { results: document.verification },
    blockers: next.blockers,
    routing: liftRouting(document, next.next_phase),
  });
  if (next.next_phase === "complete" && next.next_agent === null) handoff.final = true;
  return isClosed ? handoff : extended(handoff, unknownFields(withoutVerification(raw), outputShape));
}

function liftRouting({ blocked_reason, attempted }: OutputDocument, next_phase?: string): Handoff["routing"] {
  if (blocked_reason === undefined && attempted === undefined)
    return next_phase === undefined ? undefined : { next_phase };
  return compact({ next_phase, blocked_reason, attempted });
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
