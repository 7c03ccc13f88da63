import { type JsonRecord, isRecord } from "../shared/json-value.ts";
import type { Block } from "./block.ts";
import { checkField, checkShape } from "./check-shape.ts";
import type { Dialect, ReportDetails } from "./dialect.ts";
import { DocumentCheck, MOST_FINDINGS, type NearMiss } from "./document-check.ts";
import type { Finding } from "./finding.ts";
import type { Limits } from "./limits.ts";
import { withNearMisses } from "./near-misses.ts";
import { type ParseFailure, type ParsedBlock, parseBlock, syntaxProblems } from "./syntax/parse-block.ts";
import { type SourceMap, type SpanEdit, type SyntaxProblem, applyEdits, beforeEdits } from "./syntax/syntax.ts";

/** What became of one block. Offsets are into the block's own text. */
export interface Judgement {
  /** The document, when it could be read (perhaps after a repair). */
  readonly document: JsonRecord | null;
  readonly problems: readonly SyntaxProblem[];
  readonly findings: readonly LocatedFinding[];
  /** True when the text had to be mended before it could be read. */
  readonly repaired: boolean;
}

export interface LocatedFinding {
  readonly finding: Finding;
  readonly start: number;
  readonly end: number;
  readonly edits: readonly SpanEdit[] | null;
}

/**
 * Two phases. The first parses and checks without looking at places; nearly every text ends there.
 * Only when something is wrong does the second look up where.
 */
export function judgeBlock(text: string, dialect: Dialect, block: Block, limits: Limits): Judgement {
  const syntax = { name: dialect.syntax, shape: dialect.shape, mark: dialect.mark ?? "" };
  let failure: ParseFailure | undefined;
  const parsed = parseBlock(text, syntax, limits, (error) => {
    failure = error;
  });
  if (parsed !== null) return judgeDocument(parsed, dialect, block, limits, []);
  const problems = syntaxProblems(text, syntax, limits, failure);
  if (problems.length === 0)
    return { document: null, problems: [tooManyNodes(text, limits)], findings: [], repaired: false };
  const edits = problems.flatMap((problem) => problem.fix?.edits ?? []).sort((left, right) => left.start - right.start);
  const mended = problems.every((problem) => problem.fix !== undefined)
    ? parseBlock(applyEdits(text, edits), syntax, limits)
    : null;
  if (mended === null) return { document: null, problems, findings: [], repaired: false };
  const judged = judgeDocument(mended, dialect, block, limits, edits);
  return { ...judged, problems: [...problems, ...judged.problems], repaired: true };
}

function tooManyNodes(text: string, limits: Limits): SyntaxProblem {
  const message = `The document holds more than ${limits.nodes} values.`;
  return {
    code: "too-many-nodes",
    span: { start: 0, end: Math.min(1, text.length) },
    message,
    hint: "Hand over what the next agent needs, and name files instead of pasting their content.",
  };
}

function judgeDocument(
  parsed: ParsedBlock,
  dialect: Dialect,
  block: Block,
  limits: Limits,
  edits: readonly SpanEdit[],
): Judgement {
  const { document } = parsed;
  const check = new DocumentCheck(limits);
  checkShape(document, dialect.shape, check, dialect.rootRule);
  if (parsed.unread !== undefined && parsed.unread > 0) check.report(unreadDocuments(parsed.unread));
  const refusal = check.findings.find(({ code }) => code === "too-deep" || code === "too-many-nodes");
  if (refusal !== undefined) return refuseDocument(refusal, parsed, limits, edits);
  if (isRecord(document) && !check.overflowed) applyRules(document, dialect, block, check);
  const duplicates = !check.overflowed && parsed.hasDuplicates(check.keys);
  const all = withNearMisses(check, (nearMiss) => fitsItsField(nearMiss, parsed, limits));
  if (all.length === 0 && !duplicates) {
    return { document: document as JsonRecord, problems: [], findings: [], repaired: false };
  }
  const map = parsed.map();
  const findings = all.map((finding) => locate(weighed(finding, document, dialect), map, edits));
  const problems = duplicates ? map.duplicates.map((problem) => shiftProblem(problem, edits)) : [];
  if (check.overflowed) problems.unshift(tooManyProblems());
  return { document: isRecord(document) ? document : null, problems, findings, repaired: false };
}

/** Whether a misspelled key, called by the name of its field, has a value that the field can take. */
function fitsItsField({ value, field }: NearMiss, parsed: ParsedBlock, limits: Limits): boolean {
  const check = new DocumentCheck(limits);
  checkField(parsed.renamed(value, field.shape), field, check);
  return check.findings.every(({ severity }) => severity === "warning");
}

function weighed(finding: Finding, document: unknown, dialect: Dialect): Finding {
  if (finding.severity !== undefined || !isRecord(document)) return finding;
  const severity = dialect.severityIn?.(finding.rule, document);
  return severity === undefined ? finding : { ...finding, severity };
}

/** A document over its limits is not walked to the end, so nothing else can be said of it; nor is it mapped. */
function refuseDocument(refusal: Finding, parsed: ParsedBlock, limits: Limits, edits: readonly SpanEdit[]): Judgement {
  const { code, message, hint } = refusal;
  const at = beforeEdits(code === "too-deep" ? parsed.tooDeepAt(limits) : 0, edits);
  const problem = { code, message, hint, span: { start: at, end: at + 1 } };
  return { document: null, problems: [problem], findings: [], repaired: false };
}

/** Front matter, or what follows it: nothing in it is checked or handed on. */
function unreadDocuments(count: number): Finding {
  return {
    code: "several-roots",
    rule: null,
    severity: "warning",
    path: [],
    message: `The block holds ${count + 1} YAML documents: only this one was read.`,
    hint: "Put everything that belongs to the handoff into one document, without `---` lines.",
  };
}

function tooManyProblems(): SyntaxProblem {
  return {
    code: "too-many-nodes",
    span: { start: 0, end: 1 },
    message: `The document has more than ${MOST_FINDINGS} problems: the rest are not listed.`,
    hint: "Repair these first, then look again.",
  };
}

function applyRules(document: JsonRecord, dialect: Dialect, block: Block, check: DocumentCheck): void {
  for (const rule of dialect.rules) {
    rule.check?.(
      document,
      (path, message, more: ReportDetails = {}) => {
        const { code = "inconsistent", hint = rule.hint ?? rule.says, ...rest } = more;
        check.report({ code, rule: rule.id, path, message, hint, ...rest });
      },
      block.origin,
    );
  }
}

function locate(finding: Finding, map: SourceMap, edits: readonly SpanEdit[]): LocatedFinding {
  const span = map.locate(finding.path, finding.atKey === true);
  const written = finding.repair === undefined ? null : map.edit(finding.path, finding.repair);
  const moved =
    written?.map((edit) => ({ ...edit, start: beforeEdits(edit.start, edits), end: beforeEdits(edit.end, edits) })) ??
    null;
  return { finding, start: beforeEdits(span.start, edits), end: beforeEdits(span.end, edits), edits: moved };
}

function shiftProblem(problem: SyntaxProblem, edits: readonly SpanEdit[]): SyntaxProblem {
  return {
    ...problem,
    span: { start: beforeEdits(problem.span.start, edits), end: beforeEdits(problem.span.end, edits) },
  };
}
