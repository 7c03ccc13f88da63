import {
  type JsonRecord,
  isRecord,
  type JsonPath,
  printPath,
  type JsonValue,
  sameJson,
  shown,
} from "../shared/json-value.ts";
import { withAgentNames } from "./agent-names.ts";
import type { Block } from "./block.ts";
import { checkField, checkShape } from "./check-shape.ts";
import type { Severity } from "./diagnostic.ts";
import type { Dialect, Origin, ReportFinding, Rule } from "./dialect.ts";
import { DocumentCheck, MAX_FINDINGS, type NearMiss } from "./document-check.ts";
import { withFieldElsewhere } from "./field-elsewhere.ts";
import type { Finding, Repair } from "./finding.ts";
import type { Field } from "./shape.ts";
import type { Limits } from "./limits.ts";
import { isOtherForm } from "./near-names.ts";
import { type ParseFailure, type ParsedBlock, parseBlock, syntaxProblems } from "./syntax/parse-block.ts";
import { type SourceMap, type SpanEdit, type SyntaxProblem, applyEdits, beforeEdits } from "./syntax/syntax.ts";
import type { NumberSpelling } from "./syntax/written-number.ts";
import { groupBy } from "../shared/group-by.ts";

/** What became of one block. Offsets are into the block's own text. */
export interface BlockJudgement {
  /** The document, when it could be read (perhaps after a repair). */
  readonly document: JsonRecord | null;
  readonly problems: readonly SyntaxProblem[];
  readonly findings: readonly LocatedFinding[];
  /** True when the text had to be mended before it could be read. */
  readonly repaired: boolean;
  /** True when the document has no key beside those of the shape. */
  readonly isClosed: boolean;
  /** The numbers that do not print as they are written; null when there is none. */
  readonly spelling: NumberSpelling | null;
}

export interface LocatedFinding {
  readonly finding: Finding;
  readonly start: number;
  readonly end: number;
  readonly edits: readonly SpanEdit[] | null;
}

/**
 * Two phases. The first parses the block and walks the plain value; nearly every text ends there. Only when
 * something is wrong does the second build a source map and look up where.
 */
export function judgeBlock(text: string, dialect: Dialect, block: Block, limits: Limits): BlockJudgement {
  let failure: ParseFailure | undefined;
  const parsed = parseBlock(text, dialect, limits, (error) => {
    failure = error;
  });
  if (parsed !== null) return judgeDocument(parsed, dialect, block, limits, []);
  const problems = syntaxProblems(text, dialect, limits, failure);
  if (problems.length === 0) return refused([tooManyNodes(text, limits)]);
  const edits = problems.flatMap((problem) => problem.fix?.edits ?? []).sort((left, right) => left.start - right.start);
  const mended = problems.every((problem) => problem.fix !== undefined)
    ? parseBlock(applyEdits(text, edits), dialect, limits)
    : null;
  // A repair that does not make the block readable may be one of prose.
  if (mended === null) return refused(problems.map(({ fix: _fix, ...problem }) => problem));
  const judged = judgeDocument(mended, dialect, block, limits, edits);
  return { ...judged, problems: [...problems, ...judged.problems], repaired: true };
}

function refused(problems: readonly SyntaxProblem[]): BlockJudgement {
  return { document: null, problems, findings: [], repaired: false, isClosed: false, spelling: null };
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
): BlockJudgement {
  const { document, spelling } = parsed;
  const check = new DocumentCheck(limits);
  checkShape(document, dialect.shape, check, dialect.rootRule);
  if (parsed.unread > 0) check.report(unreadDocuments(parsed));
  for (const path of parsed.inexact) check.report(inexactNumber(path));
  const refusal = check.refusal;
  if (refusal !== null) return refuseDocument(refusal, parsed, limits, edits);
  if (isRecord(document) && !check.overflowed) runRules(document, dialect, block.origin, check);
  const duplicates = !check.overflowed && parsed.hasDuplicates(check.keys);
  const all = inRun(
    withNearMisses(toldOnce(check.findings, document, dialect), check, (nearMiss) => {
      const taken = takenBy(nearMiss.field, nearMiss.value, parsed, limits);
      return taken && { ...taken, ...contradicted(nearMiss, taken, parsed, dialect, block.origin, limits, check) };
    }),
    document,
    dialect,
    block.origin,
  );
  const isClosed = check.unknown === 0;
  if (all.length === 0 && !duplicates)
    return { document: document as JsonRecord, problems: NONE, findings: NONE, repaired: false, isClosed, spelling };
  const map = parsed.map();
  const take = (field: Field, value: JsonValue): boolean => sameJson(takenBy(field, value, parsed, limits), {});
  const findings = all.map((finding) =>
    locate(weighed(withFieldElsewhere(finding, document, dialect.shape, take), document, dialect), map, edits),
  );
  const problems = duplicates ? map.duplicates.map((problem) => shiftProblem(problem, edits)) : [];
  if (check.overflowed) problems.unshift(tooManyProblems());
  return { document: isRecord(document) ? document : null, problems, findings, repaired: false, isClosed, spelling };
}

const NONE: readonly never[] = [];

function inRun(
  findings: readonly Finding[],
  document: unknown,
  { shape }: Dialect,
  { agents }: Origin,
): readonly Finding[] {
  return agents === undefined || !isRecord(document) ? findings : withAgentNames(findings, document, shape, agents);
}

/**
 * The value that a field takes from a misspelled key, or from another place: as it is, or another spelling of one of
 * the field's words. Undefined when the field cannot take it.
 */
function takenBy(field: Field, value: JsonValue | undefined, parsed: ParsedBlock, limits: Limits): Taken | undefined {
  const check = new DocumentCheck(limits);
  checkField(parsed.renamed(value, field.shape), field, check);
  const errors = check.findings.filter(({ severity }) => severity !== "warning");
  const [first] = errors;
  if (first === undefined) return {};
  return errors.length === 1 && first.path.length === 0 && first.repair?.kind === "replace"
    ? { value: first.repair.value }
    : undefined;
}

/** `value` is what replaces the value as it is written. */
interface Taken {
  readonly value?: JsonValue;
  /** What the rules of the format say to it: the misspelled name hides a contradiction. */
  readonly breaks?: string;
}

/** Of an own format: the first rule that the document would break if the key had the name that it looks like. */
function contradicted(
  { path, key, name, field, value }: NearMiss,
  taken: Taken,
  parsed: ParsedBlock,
  dialect: Dialect,
  origin: Origin,
  limits: Limits,
  { findings }: DocumentCheck,
): Pick<Taken, "breaks"> {
  const { document } = parsed;
  if (dialect.ownRules === undefined || !isRecord(document)) return {};
  const meant = taken.value ?? parsed.renamed(value, field.shape);
  const renamed = path.reduceRight<unknown>(
    (inner, step, index) => withChild(valueIn(document, path.slice(0, index)), step, inner),
    withChild(valueIn(document, path), name, meant, key),
  );
  const after = new DocumentCheck(limits);
  if (isRecord(renamed)) runRules(renamed, dialect, origin, after);
  const before = new Set(findings.map(({ message }) => message));
  const broken = after.findings.find(
    (finding) => findingSeverity(finding, dialect) === "error" && !before.has(finding.message),
  );
  return broken === undefined ? {} : { breaks: broken.message };
}

function valueIn(document: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined),
    document,
  );
}

/** The list or record with another value at one place, and without one key. */
function withChild(around: unknown, step: string | number, value: unknown, leftOut?: string): unknown {
  if (Array.isArray(around)) return around.map((item: unknown, index) => (index === step ? value : item));
  if (!isRecord(around)) return around;
  const rest = Object.entries(around).filter(([key]) => key !== leftOut);
  return Object.fromEntries([...rest, [step, value]]);
}

/** What its rule says, unless the finding says otherwise. */
export function findingSeverity({ severity, rule }: Finding, { rules }: Dialect): Severity {
  return severity ?? rules.find(({ id }) => id === rule)?.severity ?? "error";
}

function weighed(finding: Finding, document: unknown, dialect: Dialect): Finding {
  if (finding.severity !== undefined || !isRecord(document)) return finding;
  const severity = dialect.severityIn?.(finding.rule, document);
  return severity === undefined ? finding : { ...finding, severity };
}

/** A document over its limits is not walked to the end, so nothing else can be said of it; nor is it mapped. */
function refuseDocument(
  refusal: Finding,
  parsed: ParsedBlock,
  limits: Limits,
  edits: readonly SpanEdit[],
): BlockJudgement {
  const { code, message, hint } = refusal;
  const at = beforeEdits(code === "too-deep" ? parsed.tooDeepAt(limits) : 0, edits);
  return refused([{ code, message, hint, span: { start: at, end: at + 1 } }]);
}

/** Front matter, or what follows it: nothing in it is checked or handed on. Fields of the format must not be lost so. */
function unreadDocuments({ unread, unreadFields }: ParsedBlock): Finding {
  const lost = unreadFields.map((name) => `\`${name}\``).join(", ");
  const others = lost === "" ? "" : ` The rest has fields of the format: ${lost}.`;
  return {
    code: "several-roots",
    rule: null,
    severity: lost === "" ? "warning" : "error",
    path: [],
    message: `The block holds ${unread + 1} YAML documents: only this one was read.${others}`,
    hint: "Put everything that belongs to the handoff into one document, without `---` lines.",
  };
}

/** Of YAML, where the text can be kept as it is; of JSON such a number is an error. */
export function inexactNumber(path: JsonPath): Finding {
  return {
    code: "unsafe-number",
    rule: null,
    severity: "warning",
    path,
    message: `\`${printPath(path)}\` has more digits than a number keeps exactly, so it is read as text.`,
    hint: "Put it in quotes if it names something; write fewer digits if it is a figure that conditions compare.",
    repair: { kind: "quote", title: "Quote the number" },
  };
}

function tooManyProblems(): SyntaxProblem {
  return {
    code: "too-many-nodes",
    span: { start: 0, end: 1 },
    message: `The document has more than ${MAX_FINDINGS} problems: the rest are not listed.`,
    hint: "Repair these first, then look again.",
  };
}

/** Asks every rule of the dialect that has a condition of its own. */
function runRules(document: JsonRecord, { rules }: Dialect, origin: Origin, check: DocumentCheck): void {
  let asked: Rule | undefined;
  const report: ReportFinding = (path, message, more = {}) => {
    const rule = asked as Rule;
    const { code = "inconsistent", hint = rule.hint ?? rule.says, ...rest } = more;
    check.report({ code, rule: rule.id, path, message, hint, ...rest });
  };
  for (asked of rules) asked.check?.(document, report, origin);
}

function locate(finding: Finding, map: SourceMap, edits: readonly SpanEdit[]): LocatedFinding {
  const span = map.locate(finding.path, finding.atKey === true);
  const written = finding.repair === undefined ? null : editsOf(finding.path, finding.repair, map);
  const moved =
    written?.map((edit) => ({ ...edit, start: beforeEdits(edit.start, edits), end: beforeEdits(edit.end, edits) })) ??
    null;
  return { finding, start: beforeEdits(span.start, edits), end: beforeEdits(span.end, edits), edits: moved };
}

function editsOf(path: JsonPath, repair: Repair, map: SourceMap): readonly SpanEdit[] | null {
  const edits = map.edit(path, repair);
  if (repair.kind !== "rename" || repair.value === undefined) return edits;
  const replaced = map.edit(path, { kind: "replace", title: repair.title, value: repair.value });
  return edits === null || replaced === null ? null : [...edits, ...replaced];
}

function shiftProblem(problem: SyntaxProblem, edits: readonly SpanEdit[]): SyntaxProblem {
  return {
    ...problem,
    span: { start: beforeEdits(problem.span.start, edits), end: beforeEdits(problem.span.end, edits) },
  };
}

/**
 * The findings of a document together with its near misses. A missing field is reported once, at
 * the key that looks like it; any other near miss is a warning, for the handoff can be read without the field; but where the
 * field would contradict the others, it is an error.
 */
function withNearMisses(
  findings: readonly Finding[],
  { nearMisses }: DocumentCheck,
  take: (nearMiss: NearMiss) => Taken | undefined,
): readonly Finding[] {
  if (nearMisses.length === 0) return findings;
  const byField = groupBy(nearMisses, ({ path, name }) => placeOf([...path, name]));
  const takenOf = (nearMiss: NearMiss): Taken | undefined =>
    byField.get(placeOf([...nearMiss.path, nearMiss.name]))?.length === 1 ? take(nearMiss) : undefined;
  const reported = new Set<NearMiss>();
  const explained = findings.map((finding) => {
    const [nearMiss] = (finding.lacks ?? []).flatMap((path) => byField.get(placeOf(path)) ?? []);
    if (nearMiss === undefined) return finding;
    reported.add(nearMiss);
    return missing(finding, nearMiss, takenOf(nearMiss));
  });
  const others = nearMisses.filter((nearMiss) => !reported.has(nearMiss));
  return [...explained, ...others.map((nearMiss) => misspelled(nearMiss, takenOf(nearMiss)))];
}

/**
 * A field that is there and empty is an error of the shape: that a rule demands it is no other fault. Where the shape
 * only warns, the rule is heard.
 */
function toldOnce(findings: readonly Finding[], document: unknown, dialect: Dialect): readonly Finding[] {
  const isEmptyField = (finding: Finding): boolean =>
    finding.code === "missing-field" &&
    finding.lacks === undefined &&
    findingSeverity(weighed(finding, document, dialect), dialect) === "error";
  const empty = new Set(findings.filter(isEmptyField).map(({ path }) => placeOf(path)));
  if (empty.size === 0) return findings;
  return findings.filter(
    ({ code, lacks = [] }) => code !== "missing-field" || !lacks.some((path) => empty.has(placeOf(path))),
  );
}

function placeOf(path: JsonPath): string {
  return JSON.stringify(path);
}

const OTHER_FORM = "has the same letters in another Unicode form";

function missing({ repair: _repair, ...finding }: Finding, nearMiss: NearMiss, taken: Taken | undefined): Finding {
  const message = `${finding.message} \`${printPath([nearMiss.key])}\` ${isOtherForm(nearMiss.key, nearMiss.name) ? OTHER_FORM : "looks like it"}.`;
  return { ...finding, message, ...renaming(nearMiss, taken) };
}

function misspelled(nearMiss: NearMiss, taken: Taken | undefined): Finding {
  const { path, key, name, field } = nearMiss;
  const message = `\`${printPath([...path, key])}\` is no field of the format: it ${isOtherForm(key, name) ? OTHER_FORM : `looks like \`${name}\`, which is missing`}.`;
  const { rule } = field;
  if (taken?.breaks === undefined)
    return { code: "near-miss", rule, severity: "warning", message, ...renaming(nearMiss, taken) };
  return {
    code: "near-miss",
    rule,
    severity: "error",
    message: `${message} Under that name the handoff contradicts itself: ${taken.breaks}`,
    path: [...path, key],
    atKey: true,
    hint: `Rename it to \`${name}\` and mend what contradicts it, or give it a name that is not nearly a field.`,
  };
}

/** Only a value that the field can take is renamed without a question. */
function renaming(
  { path, key, name, field }: NearMiss,
  taken: Taken | undefined,
): Pick<Finding, "path" | "hint" | "repair"> {
  const at = { path: [...path, key], atKey: true };
  const title = `Rename \`${printPath([key])}\` to \`${name}\``;
  if (taken !== undefined && taken.breaks === undefined) {
    const and = taken.value === undefined ? "" : `, and write ${shown(taken.value)}`;
    return { ...at, hint: `${title}${and}.`, repair: { kind: "rename", title: `${title}${and}`, key: name, ...taken } };
  }
  return { ...at, hint: `${title} if that is what it is. ${field.about}` };
}

/**
 * The document without the values whose type is wrong. Where a rule only warns, such a value does not stop
 * the handoff, but readers of a handoff rely on its types, so it is left out.
 */
export function withoutMistyped(document: JsonRecord, findings: readonly LocatedFinding[]): JsonRecord {
  if (findings.length === 0) return document;
  const paths = findings.flatMap(({ finding }) => (finding.code === "wrong-type" ? [finding.path] : []));
  // Later items first: taking one out of a list moves those behind it.
  return paths.toReversed().reduce((rest, path) => without(rest, path) as JsonRecord, document);
}

function without(value: JsonValue | undefined, path: JsonPath): JsonValue | undefined {
  const [step, ...rest] = path;
  if (Array.isArray(value) && typeof step === "number") {
    const inner = rest.length === 0 ? undefined : without(value[step], rest);
    return value.flatMap((item, index) => (index !== step ? [item] : inner === undefined ? [] : [inner]));
  }
  if (!isRecord(value) || step === undefined) return value;
  const { [step]: found, ...others } = value;
  if (found === undefined) return value;
  const inner = rest.length === 0 ? undefined : without(found, rest);
  return inner === undefined ? others : { ...value, [step]: inner };
}
