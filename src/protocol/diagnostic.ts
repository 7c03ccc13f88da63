import { SEVERITIES, type Severity } from "./handoff-words.ts";
import { type Infer, data } from "./shape.ts";

export type { Severity } from "./handoff-words.ts";

/** What kind of thing is wrong. A closed set: `baton explain CODE` teaches each of them. */
export type DiagnosticCode =
  // the text as a whole
  | "empty"
  | "binary"
  | "wrong-encoding"
  | "too-large"
  | "no-handoff"
  | "wrong-container"
  // its syntax
  | "syntax-error"
  | "truncated"
  | "too-deep"
  | "too-many-nodes"
  | "alias-refused"
  | "doctype-refused"
  | "duplicate-key"
  | "forbidden-key"
  | "unsafe-number"
  | "several-roots"
  // its container
  | "wrong-file-name"
  | "unfenced-block"
  | "superseded-block"
  | "commented-handoff"
  | "contradiction"
  | "text-after-block"
  | "misplaced-section"
  | "legacy-summary"
  | "ambiguous-format"
  | "manifest"
  // its fields
  | "missing-field"
  | "wrong-type"
  | "not-allowed"
  | "bad-format"
  | "inconsistent"
  | "unfilled-template"
  | "nonstandard-value"
  | "defaulted"
  | "near-miss"
  // a conversion
  | "loss"
  | "carried"
  | "filled"
  | "unused"
  // a migration
  | "ambiguous-note"
  // a verification
  | "refuted-claim"
  | "failed-gate"
  | "no-claims"
  // a workflow
  | "unknown-key"
  | "unknown-name"
  | "reserved-name"
  | "bad-condition"
  | "no-route"
  | "no-way-back"
  | "no-way-out"
  | "unreachable"
  | "cycle"
  | "waits-for-ever"
  | "unsure-budget"
  // a workflow, on this machine
  | "missing-script"
  | "missing-program";

const position = data.record({ line: data.count(), column: data.count(), offset: data.count() });
export const textRangeShape = data.record({ start: position, end: position });

const fixShape = data.record({
  title: data.text(),
  edits: data.list(data.record({ range: textRangeShape, text: data.text() })),
});
/** A change of text that removes the problem without changing what the author said. */
export type Fix = Infer<typeof fixShape>;
export type TextEdit = Fix["edits"][number];

export const diagnosticShape = data.record({
  code: data.word<DiagnosticCode>(),
  /** The numbered rule of the format, `000-R07`, where one was broken. */
  rule: data.nullable(data.text()),
  severity: data.oneOf(SEVERITIES),
  message: data.text(),
  range: textRangeShape,
  hint: data.nullable(data.text()),
  fix: data.nullable(fixShape),
});
/** Someone's text is wrong: data, collected, never thrown. */
export type Diagnostic = Infer<typeof diagnosticShape>;

const WORST_FIRST: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

/** Reading order: by place, then the worst first, then by rule so that output never wavers. */
export function compareDiagnostics(left: Diagnostic, right: Diagnostic): number {
  return (
    left.range.start.offset - right.range.start.offset ||
    WORST_FIRST[left.severity] - WORST_FIRST[right.severity] ||
    compareText(left.rule ?? "", right.rule ?? "") ||
    compareText(left.code, right.code) ||
    compareText(left.message, right.message)
  );
}

export function compareBySeverity(left: Diagnostic, right: Diagnostic): number {
  return WORST_FIRST[left.severity] - WORST_FIRST[right.severity] || compareDiagnostics(left, right);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
