import type { JsonValue } from "../shared/json-value.ts";
import { checkShape } from "./check-shape.ts";
import { DocumentCheck } from "./document-check.ts";
import { handoffShape, withParts } from "./handoff.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

/** Whether a part of the canonical handoff, such as `work.modified`, can have this value. */
export function fitsPart(name: string, value: JsonValue): boolean {
  const check = new DocumentCheck(DEFAULT_LIMITS);
  const base = { dialect: "pipeline-json", outcome: "done" } as const;
  const { dialect: _dialect, ...content } = withParts(base, new Map([[name, value]]));
  checkShape(content, handoffShape, check, "canonical");
  return check.findings.length === 0;
}
