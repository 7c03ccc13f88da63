import { LineTable } from "../shared/line-table.ts";
import type { Block } from "./block.ts";
import { restoreCarried, takeCarried } from "./carry.ts";
import { blockNotes, containerNotes, legacyNote, supersededBlocks, tooManyBlocks } from "./container-notes.ts";
import { DIALECTS } from "./dialects/registry.ts";
import { type Diagnostic, type DiagnosticCode, type Fix, compareDiagnostics } from "./diagnostic.ts";
import { type Found, findBlocks } from "./find-blocks.ts";
import type { DialectName } from "./handoff.ts";
import { type Judgement, type LocatedFinding, judgeBlock } from "./judge-block.ts";
import { liftLegacySummary } from "./legacy-summary.ts";
import type { Limits } from "./limits.ts";
import type { ReadHandoff, ReadOptions, Reading } from "./reading.ts";
import { readManifest } from "./read-manifest.ts";
import { isManifestName, recogniseFileName } from "./recognise.ts";
import { refuseText } from "./refuse-text.ts";
import type { SpanEdit, SyntaxProblem } from "./syntax/syntax.ts";
import { withoutMistyped } from "./without-mistyped.ts";

/** The way that finds every container and says everything that is wrong. */
export function readFully(text: string, options: ReadOptions, limits: Limits): Reading {
  const table = lazyTable(text);
  const refused = refuseText(text, limits);
  if (refused !== null) return { ...refused, dialect: options.dialect ?? recogniseFileName(options.path ?? "") };
  if (isManifestName(options.path ?? "")) {
    const diagnostics = judged(readManifest(text, limits, table), options);
    return { dialect: "output-json", valid: !diagnostics.some(isError), handoffs: [], diagnostics };
  }
  const found = findBlocks(text, options);
  return tooManyBlocks(found, table) ?? readBlocks(text, found, options, limits, table);
}

function readBlocks(text: string, found: Found, options: ReadOptions, limits: Limits, table: () => LineTable): Reading {
  const superseded = supersededBlocks(text, found.blocks);
  const counting = found.blocks.filter((block) => !superseded.has(block));
  const diagnostics: Diagnostic[] = containerNotes(text, found, superseded, options, table);
  const handoffs = counting.map((block) => readBlock(text, block, limits, diagnostics, table));
  const told = judged(diagnostics, options);
  const valid = handoffs.length > 0 && !told.some(isError);
  const dialect = counting.at(-1)?.dialect ?? options.dialect ?? namedDialect(text, options.path ?? "");
  return { dialect, valid, handoffs, diagnostics: told };
}

/** In order, and as strictly as was asked for. */
function judged(diagnostics: readonly Diagnostic[], { strict }: ReadOptions): Diagnostic[] {
  return (strict === true ? diagnostics.map(strictly) : diagnostics).toSorted(compareDiagnostics);
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** By the name of the file, or by a root element in another case: most XML files are something else. */
function namedDialect(text: string, path: string): DialectName | null {
  const named = recogniseFileName(path);
  return named ?? (/^[^<]{0,200}<(?:handoff|workflow-complete)[\s>/]/i.test(text.slice(0, 400)) ? "issue-xml" : null);
}

/** The table is made on the first question: valid text never asks. */
function lazyTable(text: string): () => LineTable {
  let table: LineTable | null = null;
  return () => (table ??= new LineTable(text));
}

function strictly(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.severity === "warning" ? { ...diagnostic, severity: "error" } : diagnostic;
}

function readBlock(
  text: string,
  block: Block,
  limits: Limits,
  diagnostics: Diagnostic[],
  table: () => LineTable,
): ReadHandoff {
  const read = { dialect: block.dialect, start: block.start, end: block.end };
  if (block.container === "legacy") {
    diagnostics.push(legacyNote(block, table()));
    return { ...read, handoff: { dialect: block.dialect, ...liftLegacySummary(text) } };
  }
  const dialect = DIALECTS[block.dialect];
  const judgement = judgeBlock(text.slice(block.start, block.end), dialect, block, limits);
  const notes = [...describeJudgement(judgement, block, table), ...blockNotes(text, block, judgement, table)];
  for (const note of notes) diagnostics.push(note);
  if (judgement.document === null || notes.some((note) => note.severity === "error")) return { ...read, handoff: null };
  const { document, carried } = takeCarried(withoutMistyped(judgement.document, judgement.findings), dialect);
  const handoff = dialect.lift(document, block.origin);
  if (carried === null) return { ...read, handoff };
  const restored = restoreCarried(handoff, carried, dialect);
  for (const name of restored.refused) diagnostics.push(refusedPart(name, block, table()));
  return { ...read, handoff: restored.handoff };
}

function refusedPart(name: string, block: Block, table: LineTable): Diagnostic {
  return {
    code: "inconsistent",
    rule: null,
    severity: "warning",
    message: `The carried part \`${name.slice(0, 60)}\` was left out: it does not agree with the handoff's own fields.`,
    range: table.range(block.start, block.start + 1),
    hint: "Convert the handoff again, or remove the part.",
    fix: null,
  };
}

function describeJudgement(judgement: Judgement, block: Block, table: () => LineTable): Diagnostic[] {
  if (judgement.problems.length === 0 && judgement.findings.length === 0) return [];
  const problems = judgement.problems.map((problem) => describeProblem(problem, block, table()));
  return [...problems, ...judgement.findings.map((located) => describeFinding(located, block, table()))];
}

/** Codes that say the text is not in its syntax, as against refused by a limit. */
const UNPARSABLE: ReadonlySet<DiagnosticCode> = new Set([
  "syntax-error",
  "truncated",
  "unfilled-template",
  "several-roots",
]);

function describeProblem(problem: SyntaxProblem, block: Block, table: LineTable): Diagnostic {
  const { code, message, hint, span, fix } = problem;
  const rule = UNPARSABLE.has(code) ? DIALECTS[block.dialect].syntaxRule : null;
  const range = table.range(block.start + span.start, block.start + span.end);
  return {
    code,
    rule,
    severity: "error",
    message,
    range,
    hint,
    fix: fix === undefined ? null : textFix(fix.title, fix.edits, block, table),
  };
}

function describeFinding({ finding, start, end, edits }: LocatedFinding, block: Block, table: LineTable): Diagnostic {
  const { code, rule, message, hint, repair } = finding;
  const severity =
    finding.severity ?? DIALECTS[block.dialect].rules.find((candidate) => candidate.id === rule)?.severity ?? "error";
  const range = table.range(block.start + start, block.start + end);
  const leftOut = code === "wrong-type" && severity !== "error" ? " It was left out." : "";
  return {
    code,
    rule,
    severity,
    message: message + leftOut,
    range,
    hint,
    fix: edits === null || repair === undefined ? null : textFix(repair.title, edits, block, table),
  };
}

function textFix(title: string, edits: readonly SpanEdit[], block: Block, table: LineTable): Fix {
  return {
    title,
    edits: edits.map((edit) => ({
      range: table.range(block.start + edit.start, block.start + edit.end),
      text: edit.text,
    })),
  };
}
