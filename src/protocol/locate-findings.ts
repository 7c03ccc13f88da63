import { type JsonPath, type JsonRecord, isRecord } from "../shared/json-value.ts";
import type { LineTable } from "../shared/line-table.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { FileFinding } from "./file-problems.ts";
import type { SourceMap, Span, SyntaxProblem } from "./syntax/syntax.ts";

/** What was found in a file that configures Baton, with its place in the text. */
export function locateFinding(
  finding: FileFinding,
  text: string,
  file: JsonRecord,
  map: SourceMap,
  table: LineTable,
): Diagnostic {
  const { code, severity, message, hint } = finding;
  const span = map.locate(finding.path, finding.atKey === true);
  const { start, end } = finding.within === undefined ? span : narrow(span, finding, text, file);
  return { code, rule: null, severity, message, range: table.range(start, end), hint, fix: null };
}

/** Narrows a span to a part of the value, if the value appears unchanged in the file, quoted or not. */
function narrow(span: Span, { within, path }: FileFinding, text: string, file: JsonRecord): Span {
  const value = valueAt(file, path);
  if (within === undefined || typeof value !== "string") return span;
  for (const shift of [0, 1]) {
    const start = span.start + shift;
    if (text.startsWith(value, start)) return { start: start + within.start, end: start + within.end };
  }
  return span;
}

function valueAt(file: unknown, path: JsonPath): unknown {
  let value = file;
  for (const step of path)
    value = Array.isArray(value) ? value[Number(step)] : isRecord(value) ? value[String(step)] : undefined;
  return value;
}

/** Why such a file cannot be parsed, with its place. */
export function placeProblem({ code, message, hint, span, fix }: SyntaxProblem, table: LineTable): Diagnostic {
  return {
    code,
    rule: null,
    severity: "error",
    message,
    range: table.range(span.start, span.end),
    hint,
    fix:
      fix === undefined
        ? null
        : {
            title: fix.title,
            edits: fix.edits.map((edit) => ({ range: table.range(edit.start, edit.end), text: edit.text })),
          },
  };
}
