import { checkShape } from "../../protocol/check-shape.ts";
import { type Diagnostic, compareDiagnostics } from "../../protocol/diagnostic.ts";
import { DocumentCheck, MAX_FINDINGS } from "../../protocol/document-check.ts";
import type { Finding } from "../../protocol/finding.ts";
import { DEFAULT_LIMITS } from "../../protocol/limits.ts";
import { inexactNumber } from "../../protocol/judge-block.ts";
import { refuseText } from "../../protocol/refuse-text.ts";
import { type ParsedBlock, type ParseFailure, parseBlock, syntaxProblems } from "../../protocol/syntax/parse-block.ts";
import type { SourceMap } from "../../protocol/syntax/syntax.ts";
import { type JsonPath, type JsonRecord, isRecord } from "../../shared/json-value.ts";
import { LineTable } from "../../shared/line-table.ts";
import type { PinnedFormat, Workflow } from "../definition.ts";
import type { Schedule } from "../schedule.ts";
import { checkInto } from "./check-workflow.ts";
import { MAX_OF, workflowShape } from "./file-shape.ts";
import { liftWorkflow } from "./lift-workflow.ts";
import { type ReadSessions, readSessions } from "./check-sessions.ts";
import { readSchedules } from "./read-schedules.ts";
import { isSessionsFile, sessionsFileShape } from "./sessions-section.ts";
import { Problems, type FileFinding, checkKeys } from "../../protocol/file-problems.ts";
import { locateFinding, placeProblem } from "../../protocol/locate-findings.ts";

interface WorkflowReading {
  /** Null when there is an error. */
  readonly workflow: Workflow | null;
  /** Its section `sessions`; null when there is none, or an error. */
  readonly sessions: ReadSessions | null;
  /** When runs of it are started; empty when there is an error. */
  readonly schedules: readonly Schedule[];
  /** In the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Where the text comes from. The caller computes the hash, to which a run is pinned. */
interface WorkflowSource {
  readonly path: string;
  readonly hash: string;
  /** The team's own formats, by name; asked only when an agent names a dialect that is not among the five. */
  readonly formats?: () => Readonly<Record<string, PinnedFormat>>;
}

const SYNTAX = { syntax: "yaml", shape: workflowShape, mark: "baton" } as const;
const LIMITS = DEFAULT_LIMITS;

/** Parses a workflow file and reports all of its problems at once. */
export function readWorkflow(text: string, source: WorkflowSource): WorkflowReading {
  const refused = refuseText(text, LIMITS);
  if (refused !== null) return { ...NOTHING_READ, diagnostics: refused.diagnostics.map(forWorkflows) };
  const table = new LineTable(text);
  let failure: ParseFailure | undefined;
  const parsed = parseBlock(text, SYNTAX, LIMITS, (error) => {
    failure = error;
  });
  if (parsed === null || !isRecord(parsed.document))
    return { ...NOTHING_READ, diagnostics: explainFailure(text, failure, table) };
  return judge(text, parsed, parsed.document, source, table);
}

function judge(
  text: string,
  parsed: ParsedBlock,
  file: JsonRecord,
  source: WorkflowSource,
  table: LineTable,
): WorkflowReading {
  const problems = new Problems();
  const read = judgeFile(file, source, problems);
  if (parsed.unread > 0) problems.add(SEVERAL_DOCUMENTS);
  for (const path of parsed.inexact) problems.add(inWorkflowWords(inexactNumber(path)));
  const duplicates = parsed.hasDuplicates(0);
  if (problems.findings.length === 0 && !duplicates) return { ...read, diagnostics: [] };
  const map = parsed.map();
  const diagnostics = problems.findings.map((finding) => locate(finding, text, file, map, table));
  if (problems.overflowed) diagnostics.push(tooManyProblems(table));
  if (duplicates) for (const problem of map.duplicates) diagnostics.push(placeProblem(problem, table));
  diagnostics.sort(compareDiagnostics);
  const broken = diagnostics.some(({ severity }) => severity === "error");
  return { ...(broken ? NOTHING_READ : read), diagnostics };
}

const NOTHING_READ = { workflow: null, sessions: null, schedules: [] } as const;

/** Adds the place in the text to problems that were found outside of the parser. */
export function placeFindings(text: string, findings: readonly FileFinding[]): Diagnostic[] {
  const parsed = parseBlock(text, SYNTAX, LIMITS, () => undefined);
  if (parsed === null || !isRecord(parsed.document)) return [];
  const { document: file } = parsed;
  const [map, table] = [parsed.map(), new LineTable(text)];
  return findings.map((finding) => locate(finding, text, file, map, table));
}

function tooManyProblems(table: LineTable): Diagnostic {
  return {
    code: "too-many-nodes",
    rule: null,
    severity: "error",
    message: `The file has more than ${MAX_FINDINGS} problems: the rest are not listed.`,
    range: table.range(0, 1),
    hint: "Repair these first, then look again.",
    fix: null,
  };
}

/** A file that exceeds a limit is rejected without further checks. */
function judgeFile(file: JsonRecord, source: WorkflowSource, problems: Problems): Omit<WorkflowReading, "diagnostics"> {
  if (isOverLimits(file, problems)) return NOTHING_READ;
  const check = new DocumentCheck(LIMITS);
  const isAboutSessions = isSessionsFile(file);
  const fileShape = isAboutSessions ? sessionsFileShape : workflowShape;
  checkShape(file, fileShape, check, "workflow");
  for (const finding of check.findings) problems.add(inWorkflowWords(finding));
  problems.overflowed ||= check.overflowed;
  const isRefused = problems.findings.some(({ code }) => code === "too-many-nodes" || code === "too-deep");
  if (isRefused || problems.overflowed) return NOTHING_READ;
  checkKeys(file, fileShape, [], problems);
  const sessions = readSessions(file, source.formats, problems);
  if (isAboutSessions) return { workflow: null, sessions, schedules: [] };
  const workflow = liftWorkflow(file, source, problems);
  checkInto(workflow, problems);
  return { workflow, sessions, schedules: readSchedules(file, problems) };
}

const DURATIONS = new Set<unknown>(["wall", "agent", "timeout", "delay"]);

function inWorkflowWords({ code, severity = "error", path, atKey, message, hint }: Finding): FileFinding {
  const isBareNumber = code === "wrong-type" && DURATIONS.has(path.at(-1)) && message.includes("found number");
  const better = isBareNumber ? "Write the unit too, for example 30s, 10m or 2h." : hint;
  return { code, severity, path, message, hint: better, ...(atKey !== undefined && { atKey }) };
}

function isOverLimits(file: JsonRecord, problems: Problems): boolean {
  for (const [key, most] of Object.entries(MAX_OF)) {
    const count = Object.keys(file[key] ?? {}).length;
    if (count <= most || typeof file[key] === "string") continue;
    problems.add({
      code: "too-many-nodes",
      path: [key],
      atKey: true,
      message: `A workflow may have ${most} entries under ${key}; here are ${count}.`,
      hint: "Split it into several workflows.",
    });
  }
  return problems.findings.length > 0;
}

const SEVERAL_DOCUMENTS: Omit<FileFinding, "severity"> = {
  code: "several-roots",
  path: [],
  message: "The file holds several YAML documents.",
  hint: "A workflow is one document: remove the `---` lines between them.",
};

function locate(finding: FileFinding, text: string, file: JsonRecord, map: SourceMap, table: LineTable): Diagnostic {
  return locateFinding({ ...finding, path: pathInFile(finding.path, file) }, text, file, map, table);
}

/**
 * Paths of routes contain a list index. If the file has a single route without a list, or a bare word instead of `{ to:
 * word }`, that part of the path does not exist in the file and is dropped.
 */
function pathInFile(path: JsonPath, file: JsonRecord): JsonPath {
  const steps: (string | number)[] = [];
  let value: unknown = file;
  for (const step of path) {
    if (typeof step === "number" && !Array.isArray(value)) continue;
    steps.push(step);
    value = Array.isArray(value) ? value[Number(step)] : isRecord(value) ? value[step] : undefined;
  }
  return steps;
}

function explainFailure(text: string, failure: ParseFailure | undefined, table: LineTable): Diagnostic[] {
  const problems = syntaxProblems(text, SYNTAX, LIMITS, failure);
  if (problems.length > 0) return problems.map((problem) => forWorkflows(placeProblem(problem, table)));
  const range = table.range(0, 1);
  const isEmpty = text.split("\n").every((line) => /^\s*(?:#|---\s*$|$)/.test(line));
  const found = isEmpty
    ? ({ code: "empty", message: "The file is empty but for comments." } as const)
    : ({ code: "wrong-type", message: "A workflow is one record of named fields." } as const);
  return [forWorkflows({ ...found, rule: null, severity: "error", range, hint: "Start with `baton: 1`.", fix: null })];
}

/** Replaces hints of the parser, which address the author of a handoff. */
function forWorkflows(diagnostic: Diagnostic): Diagnostic {
  const hint = WORKFLOW_HINTS[diagnostic.code];
  return hint === undefined ? diagnostic : { ...diagnostic, hint };
}

const SPLIT_HINT = "Split it into several workflows; keep long prompts in files.";
const WORKFLOW_HINTS: Readonly<Partial<Record<Diagnostic["code"], string>>> = {
  empty: "`baton init` writes a workflow to start from.",
  binary: "Name the file that holds the workflow.",
  truncated: "Close it, or fetch the whole file.",
  "too-large": SPLIT_HINT,
  "too-deep": SPLIT_HINT,
  "too-many-nodes": SPLIT_HINT,
};
