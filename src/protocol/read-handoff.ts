import { LineTable } from "../shared/line-table.ts";
import type { Block } from "./block.ts";
import { restoreCarried, takeCarried } from "./carry.ts";
import { blockNotes, containerNotes, legacyNote, supersededBlocks, tooManyBlocks } from "./container-notes.ts";
import { DIALECTS } from "./dialects/registry.ts";
import { type Diagnostic, type DiagnosticCode, type Fix, compareDiagnostics } from "./diagnostic.ts";
import { type Found, findBlocks } from "./find-blocks.ts";
import type { DialectName, Handoff } from "./handoff.ts";
import { type BlockJudgement, type LocatedFinding, judgeBlock, withoutMistyped } from "./judge-block.ts";
import { liftLegacySummary } from "./legacy-summary.ts";
import { DEFAULT_LIMITS, type Limits, limitsFrom } from "./limits.ts";
import type { ReadHandoff, ReadOptions, Reading } from "./reading.ts";
import { readManifest } from "./read-manifest.ts";
import { isManifestName, recogniseFileName } from "./recognise.ts";
import { refuseText } from "./refuse-text.ts";
import type { SpanEdit, SyntaxProblem } from "./syntax/syntax.ts";
import { type NumberSpelling, keptSpelling } from "./syntax/written-number.ts";
import { ensureDialect, ensureText } from "./wrong-argument.ts";

/** Reads every handoff in a text and reports everything that is wrong with it, all at once. */
export function readHandoffs(text: string, options: ReadOptions = {}): Reading {
  ensureText(text);
  if (options.dialect !== undefined) ensureDialect(options.dialect);
  const limits = options.limits === undefined ? DEFAULT_LIMITS : limitsFrom(options.limits);
  const table = lazyTable(text);
  const refused = refuseText(text, limits);
  if (refused !== null) return { ...refused, dialect: options.dialect ?? recogniseFileName(options.path) };
  if (isManifestName(options.path)) {
    const diagnostics = inOrder(readManifest(text, limits, table), options);
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
  const reported = inOrder(diagnostics, options);
  const valid = handoffs.length > 0 && !reported.some(isError);
  const dialect = counting.at(-1)?.dialect ?? options.dialect ?? namedDialect(text, options.path);
  return { dialect, valid, handoffs, diagnostics: reported };
}

/** By position; warnings are errors where `strict` says so. */
function inOrder(diagnostics: readonly Diagnostic[], { strict }: ReadOptions): Diagnostic[] {
  if (diagnostics.length === 0) return [];
  return (strict === true ? diagnostics.map(strictly) : diagnostics).toSorted(compareDiagnostics);
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** By the name of the file, or by a root element in another case: most XML files are something else. */
function namedDialect(text: string, path: string | undefined): DialectName | null {
  const named = recogniseFileName(path);
  return named ?? (/^[^<]{0,200}<(?:handoff|workflow-complete)[\s>/]/i.test(text.slice(0, 400)) ? "issue-xml" : null);
}

/** The table is made when it is first needed: valid text never needs it. */
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
  const { start, end } = block;
  return { dialect: block.dialect, start, end, handoff: readContent(text, block, limits, diagnostics, table) };
}

/** The handoff of a block; null when it is refused. */
function readContent(
  text: string,
  block: Block,
  limits: Limits,
  diagnostics: Diagnostic[],
  table: () => LineTable,
): Handoff | null {
  if (block.container === "legacy") {
    diagnostics.push(legacyNote(block, table()));
    return { dialect: block.dialect, ...liftLegacySummary(text) };
  }
  const dialect = DIALECTS[block.dialect];
  const judgement = judgeBlock(text.slice(block.start, block.end), dialect, block, limits);
  const notes = describeJudgement(judgement, block, table).concat(blockNotes(text, block, judgement, table));
  for (const note of notes) diagnostics.push(note);
  if (judgement.document === null || notes.some(isError)) return null;
  const { document, carried } = takeCarried(withoutMistyped(judgement.document, judgement.findings), dialect);
  const handoff = spelledAs(
    dialect.lift(document, block.origin, judgement.isClosed),
    judgement.spelling && keptSpelling(document, judgement.spelling),
  );
  if (carried === null) return handoff;
  const restored = restoreCarried(handoff, carried, dialect);
  for (const name of restored.refused) diagnostics.push(refusedPart(name, block, table()));
  return restored.handoff;
}

function spelledAs(handoff: Handoff, spelling: NumberSpelling | null): Handoff {
  return spelling === null ? handoff : { ...handoff, spelling: { [handoff.dialect]: { ...spelling } } };
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

function describeJudgement(judgement: BlockJudgement, block: Block, table: () => LineTable): Diagnostic[] {
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
