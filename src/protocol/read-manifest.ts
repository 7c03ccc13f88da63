import type { LineTable } from "../shared/line-table.ts";
import { type JsonRecord, isRecord } from "../shared/json-value.ts";
import { checkShape } from "./check-shape.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { DocumentCheck } from "./document-check.ts";
import type { Limits } from "./limits.ts";
import { type ParsedBlock, parseBlock, syntaxProblems } from "./syntax/parse-block.ts";
import type { Span, SyntaxProblem } from "./syntax/syntax.ts";
import { field, shape } from "./shape.ts";

/** MANIFEST.yaml of a feature directory: an index of outputs, not a handoff. It is known and looked over. */
const fieldNotes = (about: string) => ({ rule: "manifest", about, missing: "warning" as const });

const contribution = shape.record({
  agent: field.required(shape.text(), fieldNotes("The agent.")),
  artifact: field.required(shape.text(), fieldNotes("Its output file.")),
  timestamp: field.required(shape.text(), fieldNotes("When.")),
  status: field.required(shape.text(), fieldNotes("How it ended.")),
});

export const manifestShape = shape.record({
  feature_name: field.required(shape.text(), fieldNotes("Name of the feature.")),
  status: field.required(
    shape.oneOf(["in-progress", "complete", "blocked"]),
    fieldNotes("in-progress, complete or blocked."),
  ),
  agents_contributed: field.optional(shape.list(contribution), fieldNotes("Outputs, one entry each.")),
  artifacts: field.optional(shape.list(shape.anything()), fieldNotes("Files made.")),
});

type Note = Omit<Diagnostic, "range" | "fix" | "rule"> & { readonly span: Span };

const SYNTAX = { syntax: "yaml", shape: manifestShape, mark: "feature_name" } as const;
const BEGINNING: Span = { start: 0, end: 1 };

/** A MANIFEST.yaml is known, and looked over, but holds no handoff of its own. */
export function readManifest(text: string, limits: Limits, table: () => LineTable): readonly Diagnostic[] {
  const parsed = parseBlock(text, SYNTAX, limits);
  const notes =
    parsed !== null && isRecord(parsed.document)
      ? [...judge(parsed, limits), describe(parsed.document)]
      : refuse(text, limits);
  return notes.map(({ span, ...note }) => ({
    ...note,
    rule: null,
    range: table().range(span.start, span.end),
    fix: null,
  }));
}

function judge(parsed: ParsedBlock, limits: Limits): Note[] {
  const check = new DocumentCheck(limits);
  checkShape(parsed.document, manifestShape, check, "manifest");
  const hasDuplicates = parsed.hasDuplicates(check.keys);
  if (check.findings.length === 0 && !hasDuplicates) return [];
  const map = parsed.map();
  const findings = check.findings.map(({ code, message, hint, path, severity, atKey }): Note => {
    const span = map.locate(path, atKey === true);
    return { code, severity: severity === "error" ? "error" : "warning", message, hint, span };
  });
  return [...(hasDuplicates ? map.duplicates.map(asError) : []), ...findings];
}

function refuse(text: string, limits: Limits): Note[] {
  const problems = syntaxProblems(text, SYNTAX, limits);
  if (problems.length > 0) return problems.map(asError);
  const message = "A manifest is one record of named fields.";
  return [{ code: "wrong-type", severity: "error", message, hint: "Start with feature_name.", span: BEGINNING }];
}

function asError({ code, message, hint, span }: SyntaxProblem): Note {
  return { code, severity: "error", message, hint, span };
}

function describe({ agents_contributed: contributed }: JsonRecord): Note {
  const count = Array.isArray(contributed) ? contributed.length : 0;
  const message = `This is the manifest of a feature (${count} output${count === 1 ? "" : "s"}); it holds no handoff of its own.`;
  return { code: "manifest", severity: "info", message, hint: "Validate the output files it names.", span: BEGINNING };
}
