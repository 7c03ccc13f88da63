import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { LineTable } from "../../shared/line-table.ts";
import { type Diagnostic, compareDiagnostics } from "../diagnostic.ts";
import { type FileFinding, Problems } from "../file-problems.ts";
import { isForbidden } from "../limits.ts";
import { locateFinding, placeProblem } from "../locate-findings.ts";
import { refuseText } from "../refuse-text.ts";
import { type RecordShape, shape } from "../shape.ts";
import { type ParseFailure, type ParsedBlock, parseBlock, syntaxProblems } from "../syntax/parse-block.ts";
import { FORMAT_LIMITS } from "./field-keys.ts";
import type { FormatModel } from "./format-model.ts";
import { describeFormat } from "./describe-format.ts";
import { reportUnanswered } from "./unanswered.ts";

export interface FormatReading {
  /** Null when there is an error. */
  readonly model: FormatModel | null;
  /** In the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface FormatFileOptions {
  /** Gives the text of a JSON Schema that the file points to, by its path as written; null when it cannot be read. */
  readonly readSchema?: (path: string) => string | null;
  /** Checks of a model that has no errors so far. */
  readonly prove?: (model: FormatModel, problems: Problems) => void;
}

/** Any record: the reader of a format file checks its keys itself. */
const ANY: RecordShape = shape.openRecord({});
const SYNTAX = { syntax: "yaml", shape: ANY, mark: "format" } as const;

/** Reads a format file and reports all of its problems at once, with their places. */
export function readFormat(text: string, options: FormatFileOptions = {}): FormatReading {
  const refused = refuseText(text, FORMAT_LIMITS);
  if (refused !== null) return { model: null, diagnostics: refused.diagnostics.map(forFormats) };
  const table = new LineTable(text);
  let failure: ParseFailure | undefined;
  const parsed = parseBlock(text, SYNTAX, FORMAT_LIMITS, (error) => {
    failure = error;
  });
  if (parsed === null || !isRecord(parsed.document))
    return { model: null, diagnostics: explainFailure(text, failure, table) };
  return judge(text, parsed, parsed.document, options, table);
}

function judge(
  text: string,
  parsed: ParsedBlock,
  file: JsonRecord,
  options: FormatFileOptions,
  table: LineTable,
): FormatReading {
  const problems = new Problems();
  const model = readDescription(file, problems, options);
  if (parsed.unread > 0) problems.add(SEVERAL_DOCUMENTS);
  const isDuplicated = parsed.hasDuplicates(0);
  if (problems.findings.length === 0 && !isDuplicated) return { model, diagnostics: [] };
  const map = parsed.map();
  const diagnostics = problems.findings.map((finding) => locateFinding(finding, text, file, map, table));
  if (isDuplicated) for (const problem of map.duplicates) diagnostics.push(placeProblem(problem, table));
  diagnostics.sort(compareDiagnostics);
  const isBroken = diagnostics.some(({ severity }) => severity === "error");
  return { model: isBroken ? null : model, diagnostics };
}

/** The same for a description that is already a record: one that a run is pinned to, or one from code. */
export function readDescription(
  file: JsonRecord,
  problems: Problems,
  options: FormatFileOptions = {},
): FormatModel | null {
  if (!isSafe(file, [], problems, { nodes: 0 })) return null;
  // What follows from an open question would only be reported twice.
  if (reportUnanswered(file, problems)) return null;
  const model = describeFormat(file, problems, options.readSchema);
  if (model !== null && !hasErrors(problems)) options.prove?.(model, problems);
  return hasErrors(problems) ? null : model;
}

function hasErrors({ findings, overflowed }: Problems): boolean {
  return overflowed || findings.some(({ severity }) => severity === "error");
}

/** Within the limits, and without keys that could change the nature of a record. */
function isSafe(value: JsonValue | undefined, path: JsonPath, problems: Problems, count: { nodes: number }): boolean {
  if (++count.nodes > FORMAT_LIMITS.nodes) {
    const message = `The file holds more than ${FORMAT_LIMITS.nodes} values.`;
    problems.add({ code: "too-many-nodes", path: [], message, hint: SPLIT });
    return false;
  }
  if (path.length > FORMAT_LIMITS.depth) {
    const message = `Values are nested more than ${FORMAT_LIMITS.depth} levels deep.`;
    problems.add({ code: "too-deep", path: path.slice(0, 4), message, hint: SPLIT });
    return false;
  }
  if (Array.isArray(value)) return value.every((item, index) => isSafe(item, [...path, index], problems, count));
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([key, inner]) => {
    const place = [...path, key];
    if (!isForbidden(key)) return isSafe(inner, place, problems, count);
    const message = `The key \`${key}\` is refused: it can change how programs treat the whole record.`;
    problems.add({ code: "forbidden-key", path: place, atKey: true, message, hint: "Rename it." });
    return false;
  });
}

const SPLIT = "Describe inner parts as `type: anything`, and one format in each file.";

const SEVERAL_DOCUMENTS: Omit<FileFinding, "severity"> = {
  code: "several-roots",
  path: [],
  message: "The file holds several YAML documents.",
  hint: "Describe one format in each file: see docs/spec/format-file.md.",
};

function explainFailure(text: string, failure: ParseFailure | undefined, table: LineTable): Diagnostic[] {
  const found = syntaxProblems(text, SYNTAX, FORMAT_LIMITS, failure);
  if (found.length > 0) return found.map((problem) => forFormats(placeProblem(problem, table)));
  const message = "A format file is one record of named fields.";
  const range = table.range(0, 1);
  return [{ code: "wrong-type", rule: null, severity: "error", message, range, hint: START, fix: null }];
}

const START = "Start with `format: 1`.";

/** Replaces hints of the parser, which address the author of a handoff. */
function forFormats(diagnostic: Diagnostic): Diagnostic {
  const hint = FORMAT_HINTS[diagnostic.code];
  return hint === undefined ? diagnostic : { ...diagnostic, hint };
}

const FORMAT_HINTS: Readonly<Partial<Record<Diagnostic["code"], string>>> = {
  empty: START,
  binary: "Name the file that describes the format.",
  truncated: "Close it, or fetch the whole file.",
  "too-large": SPLIT,
  "too-deep": SPLIT,
  "too-many-nodes": SPLIT,
};
