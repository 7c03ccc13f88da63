import { LineTable } from "../shared/line-table.ts";
import type { Block } from "./block.ts";
import { takeCarried } from "./carried-place.ts";
import { restoreCarried } from "./carry.ts";
import {
  blockNotes,
  containerNotes,
  contradictionNotes,
  legacyNote,
  supersededBlocks,
  tooManyBlocks,
  withoutOtherJson,
} from "./container-notes.ts";
import type { Dialect } from "./dialect.ts";
import { dialectNamed } from "./dialects/registry.ts";
import { type Diagnostic, type DiagnosticCode, type Fix, compareDiagnostics } from "./diagnostic.ts";
import type { Found } from "./find-blocks.ts";
import { findAllBlocks, hasOwn } from "./find-all-blocks.ts";
import { withNearBlocks } from "./find-near-blocks.ts";
import { withOtherForm } from "./find-other-form.ts";
import { withoutSamples } from "./find-samples.ts";
import type { DialectName, Handoff } from "./handoff.ts";
import { type GroupedFinding, groupFindings } from "./group-findings.ts";
import {
  type BlockJudgement,
  type LocatedFinding,
  judgeBlock,
  findingSeverity,
  withoutMistyped,
} from "./judge-block.ts";
import { liftLegacySummary } from "./legacy-summary.ts";
import { DEFAULT_LIMITS, type Limits, limitsFrom } from "./limits.ts";
import type { ReadHandoff, ReadOptions, Reading } from "./reading.ts";
import { readManifest } from "./read-manifest.ts";
import { isManifestName, recogniseFileName } from "./recognise.ts";
import { refuseText } from "./refuse-text.ts";
import type { SpanEdit, SyntaxProblem } from "./syntax/syntax.ts";
import { type NumberSpelling, keptSpelling } from "./syntax/written-number.ts";
import { ensureText } from "./wrong-argument.ts";

/** Reads every handoff in a text and reports everything that is wrong with it, all at once. */
export function readHandoffs(text: string, options: ReadOptions = {}): Reading {
  ensureText(text);
  if (options.dialect !== undefined) dialectNamed(options.dialect, options.formats);
  const limits = options.limits === undefined ? DEFAULT_LIMITS : limitsFrom(options.limits);
  const table = lazyTable(text);
  const refused = refuseText(text, limits);
  if (refused !== null) return { ...refused, dialect: options.dialect ?? recogniseFileName(options.path) };
  if (isManifestName(options.path)) {
    const diagnostics = inOrder(readManifest(text, limits, table), options);
    return { dialect: "output-json", valid: !diagnostics.some(isError), handoffs: [], diagnostics };
  }
  const reading = readFound(text, options, limits, table);
  const unquoted = reading.handoffs.length > 0 ? null : withoutQuotes(text);
  const quoted = unquoted === null ? null : readFound(unquoted, options, limits, table);
  return quoted === null || quoted.handoffs.length === 0 ? reading : withoutFixes(quoted);
}

function readFound(text: string, options: ReadOptions, limits: Limits, table: () => LineTable): Reading {
  const recognised = withoutOtherJson(text, findAllBlocks(text, options, limits));
  const candidates = hasOwn(options)
    ? withOtherForm(text, withNearBlocks(text, recognised, options, limits), options, limits)
    : recognised;
  const found = options.scan === true ? withoutSamples(text, candidates, options, limits) : candidates;
  return tooManyBlocks(found, table) ?? readBlocks(text, found, options, limits, table);
}

/** The text with blanks in the place of the marks of block quotes; null when it has none. */
function withoutQuotes(text: string): string | null {
  if (!text.startsWith(">") && !/\n {0,3}>/.test(text)) return null;
  return text.replaceAll(/^(?: {0,3}> ?)+/gm, (marks) => " ".repeat(marks.length));
}

/** A line that a repair adds would stand outside of the quote. */
function withoutFixes(reading: Reading): Reading {
  return { ...reading, diagnostics: reading.diagnostics.map((diagnostic) => ({ ...diagnostic, fix: null })) };
}

function readBlocks(text: string, found: Found, options: ReadOptions, limits: Limits, table: () => LineTable): Reading {
  const superseded = supersededBlocks(text, found.blocks, options.formats);
  const counting = found.blocks.filter((block) => !superseded.has(block));
  const diagnostics: Diagnostic[] = containerNotes(text, found, superseded, options, table);
  const handoffs = counting.map((block) => readBlock(text, block, options, limits, diagnostics, table));
  if (handoffs.length > 1) diagnostics.push(...contradictionNotes(handoffs, table));
  const reported = inOrder(diagnostics, options);
  const valid = handoffs.length > 0 && !reported.some(isError);
  if (found.document !== undefined)
    return { dialect: null, valid, handoffs, document: found.document, diagnostics: reported };
  const dialect = counting.at(-1)?.dialect ?? options.dialect ?? namedDialect(text, options.path);
  return { dialect, valid, handoffs, diagnostics: reported };
}

/** By position; warnings are errors where `strict` says so. */
function inOrder(diagnostics: readonly Told[], { strict }: ReadOptions): Diagnostic[] {
  if (diagnostics.length === 0) return [];
  return diagnostics.map(strict === true ? strictly : plainly).sort(compareDiagnostics);
}

/** A diagnostic, and whether `strict` lets it pass. */
interface Told extends Diagnostic {
  readonly lenient?: true;
}

function plainly({ lenient: _lenient, ...diagnostic }: Told): Diagnostic {
  return diagnostic;
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

function strictly({ lenient, ...diagnostic }: Told): Diagnostic {
  return diagnostic.severity === "warning" && lenient !== true ? { ...diagnostic, severity: "error" } : diagnostic;
}

function readBlock(
  text: string,
  block: Block,
  { formats }: ReadOptions,
  limits: Limits,
  diagnostics: Diagnostic[],
  table: () => LineTable,
): ReadHandoff {
  const { start, end } = block;
  const dialect = dialectNamed(block.dialect, formats);
  return { dialect: block.dialect, start, end, handoff: readContent(text, block, dialect, limits, diagnostics, table) };
}

/** The handoff of a block; null when it is refused. */
function readContent(
  text: string,
  block: Block,
  dialect: Dialect,
  limits: Limits,
  diagnostics: Diagnostic[],
  table: () => LineTable,
): Handoff | null {
  if (block.container === "legacy") {
    diagnostics.push(legacyNote(block, table()));
    return { dialect: block.dialect, ...liftLegacySummary(text) };
  }
  const judgement =
    block.lacks?.isUnread === true ? UNREAD : judgeBlock(text.slice(block.start, block.end), dialect, block, limits);
  const notes = describeJudgement(judgement, block, dialect, table).concat(
    blockNotes(text, block, dialect, judgement, limits, table),
  );
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

const UNREAD: BlockJudgement = {
  document: null,
  problems: [],
  findings: [],
  repaired: false,
  isClosed: false,
  spelling: null,
};

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

function describeJudgement(
  judgement: BlockJudgement,
  block: Block,
  dialect: Dialect,
  table: () => LineTable,
): Diagnostic[] {
  if (judgement.problems.length === 0 && judgement.findings.length === 0) return [];
  const problems = judgement.problems.map((problem) => describeProblem(problem, block, dialect, table()));
  const told = new Set(block.lacks?.fields);
  const groups = groupFindings(judgement.findings.filter(({ finding }) => !isToldOf(finding, told)));
  return [...problems, ...groups.map((group) => describeGroup(group, block, dialect, table()))];
}

/** Of a field at the root, by which the format is recognised. */
function isToldOf({ path, lacks = [] }: LocatedFinding["finding"], told: ReadonlySet<unknown>): boolean {
  return told.size > 0 && [path, ...lacks].some((each) => each.length === 1 && told.has(each[0]));
}

/** Codes that say the text is not in its syntax, as against refused by a limit. */
const UNPARSABLE: ReadonlySet<DiagnosticCode> = new Set([
  "syntax-error",
  "truncated",
  "unfilled-template",
  "several-roots",
]);

function describeProblem(problem: SyntaxProblem, block: Block, dialect: Dialect, table: LineTable): Diagnostic {
  const { code, message, hint, span, fix, isLeft } = problem;
  const rule = UNPARSABLE.has(code) ? dialect.syntaxRule : null;
  const range = table.range(block.start + span.start, block.start + span.end);
  return {
    code,
    rule,
    severity: "error",
    message,
    range,
    hint,
    fix: fix === undefined || isLeft === true ? null : textFix(fix.title, fix.edits, block, table),
  };
}

/** Ruling 39: with the places of the others, and a fix that makes the repairs of all. */
function describeGroup({ first, more }: GroupedFinding, block: Block, dialect: Dialect, table: LineTable): Told {
  const told = describeFinding(first, block, dialect, table);
  if (more.length === 0) return told;
  const lines = more.map(({ start }) => table.position(block.start + start).line);
  const edits = [first, ...more].flatMap((located) => located.edits ?? []);
  const title =
    first.finding.repair === undefined ? null : `${first.finding.repair.title}, and so in ${more.length} more`;
  return {
    ...told,
    message: `${told.message} The same in ${more.length} more entries: ${describeLines(lines)}.`,
    fix: told.fix === null || title === null ? null : textFix(title, edits, block, table),
  };
}

function describeLines(lines: readonly number[]): string {
  const unique = [...new Set(lines)];
  const named = unique.slice(0, MAX_LINES_NAMED).join(", ");
  const rest = unique.length > MAX_LINES_NAMED ? ` and ${unique.length - MAX_LINES_NAMED} more` : "";
  return `${unique.length === 1 ? "line" : "lines"} ${named}${rest}`;
}

const MAX_LINES_NAMED = 20;

function describeFinding(
  { finding, start, end, edits }: LocatedFinding,
  block: Block,
  dialect: Dialect,
  table: LineTable,
): Told {
  const { code, rule, message, hint, repair, lenient } = finding;
  const severity = findingSeverity(finding, dialect);
  const range = table.range(block.start + start, block.start + end);
  const leftOut = code === "wrong-type" && severity !== "error" ? " It was left out." : "";
  return {
    code,
    rule,
    severity,
    message: message + leftOut,
    range,
    hint,
    ...(lenient === true && { lenient }),
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
