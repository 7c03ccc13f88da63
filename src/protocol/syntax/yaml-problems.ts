import { YAMLException } from "js-yaml";
import type { Limits } from "../limits.ts";
import { type SpanEdit, type SyntaxProblem, applyEdits, beforeEdits } from "./syntax.ts";
import { yamlDocuments, yamlEvents } from "./yaml.ts";

/**
 * Everything that keeps a text from being YAML. The parser stops at its first complaint, so a slip
 * with one meaning only (an unquoted `@name`) is mended on a copy and the parser asked again.
 */
export function yamlProblems(text: string, limits: Limits): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  let edits: SpanEdit[] = [];
  for (let round = 0; round < MOST_PROBLEMS; round++) {
    const copy = applyEdits(text, edits);
    const failure = parseFailure(copy, limits);
    if (failure === null) return problems;
    const at = beforeEdits(failure.mark?.position ?? copy.length, edits);
    const problem = describeFailure(text, failure.reason, at, limits);
    problems.push(problem);
    if (problem.fix === undefined) return problems;
    edits = [...edits, ...problem.fix.edits].sort((left, right) => left.start - right.start);
  }
  return problems;
}

const MOST_PROBLEMS = 50;

export function parseFailure(text: string, limits: Limits): YAMLException | null {
  try {
    yamlDocuments(text, yamlEvents(text, limits), true);
    return null;
  } catch (error) {
    if (error instanceof YAMLException) return error;
    throw error;
  }
}

function describeFailure(text: string, reason: string, at: number, limits: Limits): SyntaxProblem {
  const refused = describeRefusal(reason, at, limits);
  if (refused !== null) return refused;
  const reserved = reservedStart(text, at);
  if (reserved !== null) return reserved;
  const line = lineAround(text, at);
  if (/["'\w]\s*\|\s*["'\w]/.test(line.text)) {
    const message = "The template was never filled in: a value still lists its choices.";
    return { code: "unfilled-template", span: trimmed(text, line), message, hint: "Keep the one choice that is true." };
  }
  if (reason.startsWith("unexpected end of the stream") || at >= text.trimEnd().length) {
    const end = text.trimEnd().length;
    const message = "The text ends before a bracket or quote that was opened is closed: it was cut off.";
    return {
      code: "truncated",
      span: { start: Math.max(0, end - 1), end },
      message,
      hint: "Ask the agent to write the handoff again, whole.",
    };
  }
  const [message, hint] = explainReason(reason, line.text);
  return { code: "syntax-error", span: { start: at, end: Math.max(at + 1, line.end) }, message, hint };
}

function describeRefusal(reason: string, at: number, limits: Limits): SyntaxProblem | null {
  const span = { start: at, end: at + 1 };
  if (reason.startsWith("aliases exceeded")) {
    const message = "YAML aliases are refused: a few bytes of them can stand for gigabytes.";
    return { code: "alias-refused", span, message, hint: "Write the value out where it is needed." };
  }
  if (/depth|nest/i.test(reason)) {
    const message = `Values are nested more than ${limits.depth} levels deep.`;
    return { code: "too-deep", span, message, hint: "Hand over what the next agent needs, flat." };
  }
  return null;
}

/** `@` and a backquote may not begin an unquoted value; what was meant is plain, so quote it. */
function reservedStart(text: string, at: number): SyntaxProblem | null {
  const sign = text[at];
  if (sign !== "@" && sign !== "`") return null;
  const line = lineAround(text, at);
  const before = text.slice(line.start, at);
  const inFlow = /[[{][^\]}]*$/.test(before);
  const rest = text.slice(at, line.end);
  const value = (inFlow ? /^[^,\]}]*/ : /^.*?(?=\s+#|\s*$)/).exec(rest)?.[0].trimEnd() ?? rest;
  const span = { start: at, end: at + value.length };
  return {
    code: "syntax-error",
    span,
    message: `In YAML an unquoted value may not begin with ${sign}.`,
    hint: `Put it in quotes: "${value}".`,
    fix: { title: `Quote ${value}`, edits: [{ ...span, text: JSON.stringify(value) }] },
  };
}

function lineAround(text: string, at: number): { start: number; end: number; text: string } {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const found = text.indexOf("\n", at);
  const end = found === -1 ? text.length : found;
  return { start, end, text: text.slice(start, end) };
}

function trimmed(text: string, line: { start: number; end: number }): { start: number; end: number } {
  const content = text.slice(line.start, line.end);
  return {
    start: line.start + (content.length - content.trimStart().length),
    end: line.start + content.trimEnd().length,
  };
}

function explainReason(reason: string, line: string): readonly [string, string] {
  if (reason.includes("tab characters")) return ["A tab stands where YAML wants spaces.", "Indent with spaces."];
  if (/^\s*(?:- )?[\w-]+:\s*"[^"]*"\s*\S/.test(line)) {
    return ["Text follows a quoted value on the same line.", "Put the whole value inside the quotes."];
  }
  if (/^\s*(?:- )?[\w-]+:\s+[^"'[{|>]*:\s/.test(line)) {
    return [
      "An unquoted value holds a colon followed by a space, which begins a new field.",
      "Put the whole value in quotes.",
    ];
  }
  if (reason.includes("indentation"))
    return ["This line is not indented like its neighbours.", "Fields of one record start in the same column."];
  if (reason.includes("unknown") && reason.includes("tag"))
    return ["This YAML tag is not known here.", "Remove the tag; write plain values."];
  return [`This is not YAML (${reason}).`, "Check the quotes, colons and indentation here."];
}
