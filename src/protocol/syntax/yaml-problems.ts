import { EVENT_ID, type Event, SCALAR_STYLE, YAMLException } from "js-yaml";
import type { Limits } from "../limits.ts";
import { type SpanEdit, type SyntaxProblem, applyEdits, beforeEdits } from "./syntax.ts";
import { TOO_DEEP, TOO_MANY_VALUES, yamlDocuments, yamlEvents } from "./yaml.ts";

/**
 * Everything that keeps a text from being YAML. The parser stops at its first complaint, so a slip with
 * one meaning only (an unquoted `@name`) is mended on a copy, with all others like it, and the parser
 * asked once more: the number of readings does not grow with the number of slips.
 */
export function yamlProblems(text: string, limits: Limits, first?: YAMLException): SyntaxProblem[] {
  const failure = first ?? tryParse(text, limits).failure;
  if (failure === null) return [];
  const at = failure.mark?.position ?? text.length;
  const problem = describeFailure(text, failure.reason, at, limits);
  if (problem.fix === undefined) return [problem];
  const problems = slipProblems(text, reservedStarts(text, at), limits);
  return hasSeveralDocuments(text) ? problems.map(left) : problems;
}

/** Of several documents one at most is the handoff: the others belong to somebody else, and no repair changes them. */
function hasSeveralDocuments(text: string): boolean {
  const first = text.search(/^(?!---|%)[ \t]*[^\s#]/m);
  return first !== -1 && /^---(?:\s|$)/m.test(text.slice(first));
}

function left(problem: SyntaxProblem): SyntaxProblem {
  return { ...problem, isLeft: true };
}

function slipProblems(text: string, slips: readonly Slip[], limits: Limits): SyntaxProblem[] {
  const edits = slips.map((slip) => slip.edit);
  const copy = applyEdits(text, edits);
  const { events, failure } = tryParse(copy, limits);
  if (failure === null) return tellSlips(slips, events);
  const stop = failure.mark?.position ?? copy.length;
  // Where the copy still fails, its lines up to there may do.
  const before = tryParse(copy.slice(0, copy.lastIndexOf("\n", stop - 1) + 1), limits).events;
  return [...tellSlips(slips, before), describeFailure(text, failure.reason, beforeEdits(stop, edits), limits)];
}

/** The first slip is one in any case: the parser stopped there. */
function tellSlips(slips: readonly Slip[], events: readonly Event[] | null): SyntaxProblem[] {
  const told = quotedScalars(slips, events ?? []);
  return (told.length === 0 ? slips.slice(0, 1) : told).slice(0, MAX_PROBLEMS).map(describeSlip);
}

const MAX_PROBLEMS = 100;

/** The slips that were values of their own: one inside a block of text is only text, and stays as it is. */
function quotedScalars(slips: readonly Slip[], events: readonly Event[]): readonly Slip[] {
  const starts = new Set<number>();
  for (const event of events)
    if (event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.DOUBLE_QUOTED) starts.add(event.valueStart - 1);
  let shift = 0;
  return slips.filter(({ edit }) => {
    const start = edit.start + shift;
    shift += edit.text.length - (edit.end - edit.start);
    return starts.has(start);
  });
}

interface Attempt {
  readonly events: readonly Event[] | null;
  readonly failure: YAMLException | null;
}

function tryParse(text: string, limits: Limits): Attempt {
  try {
    const events = yamlEvents(text, limits);
    yamlDocuments(text, events, true);
    return { events, failure: null };
  } catch (error) {
    if (error instanceof YAMLException) return { events: null, failure: error };
    throw error;
  }
}

function describeFailure(text: string, reason: string, at: number, limits: Limits): SyntaxProblem {
  const refused = describeRefusal(reason, at, limits);
  if (refused !== null) return refused;
  if (text[at] === "@" || text[at] === "`") {
    const [slip] = reservedStarts(text, at);
    if (slip?.edit.start === at) return describeSlip(slip);
  }
  const line = lineAround(text, at);
  if (LISTS_CHOICES.test(line.text.slice(0, MAX_LINE))) {
    const message = "The template was never filled in: a value still lists its choices.";
    return { code: "unfilled-template", span: trimmed(text, line), message, hint: "Keep the one choice that is true." };
  }
  const ending = describeEnding(text, reason, at);
  if (ending !== null) return ending;
  const opening = reason === "deficient indentation" ? unclosedValue(text, line.start) : null;
  if (opening !== null) return opening;
  const [message, hint] = explainReason(reason, line.text.slice(0, MAX_LINE), at - line.start);
  return { code: "syntax-error", span: { start: at, end: Math.max(at + 1, trimmed(text, line).end) }, message, hint };
}

/** `"Testing" | "QA"`, `[done] | [failed]`: choices divided by bars in a way that YAML cannot read. */
const LISTS_CHOICES = /^[ \t]*(?:- +)?[\w-]+:[ \t]*(?:"[^"]*"|'[^']*'|\[[^\]]*\])[ \t]*\|/;

/** A text that stops in the middle of something, or has prose as its last line. */
function describeEnding(text: string, reason: string, at: number): SyntaxProblem | null {
  const end = text.trimEnd().length;
  const isUnclosed = reason.startsWith("unexpected end of the stream");
  if (!isUnclosed && at < end) return null;
  const last = lineAround(text, end);
  if (!isUnclosed && SENTENCE.test(last.text.slice(0, MAX_LINE))) {
    const hint = "Write `name: value`, or move the prose out of the block.";
    return { code: "syntax-error", span: trimmed(text, last), message: "This line is no field.", hint };
  }
  const message = "The text ends before a bracket or quote that was opened is closed: it was cut off.";
  return {
    code: "truncated",
    span: { start: Math.max(0, end - 1), end },
    message,
    hint: "Ask the agent to write the handoff again, whole.",
  };
}

/** Two words or more, and no name of a field before them. */
const SENTENCE = /^\s*(?:- +)*(?![^\s:]+:(?:\s|$))\S+[ \t]+\S/;

/** The value that runs on into this line, where a new field begins: its quote or bracket is not closed. */
function unclosedValue(text: string, from: number): SyntaxProblem | null {
  for (let end = from - 1, seen = 0; end > 0 && seen < MAX_LINES; seen++) {
    const line = lineAround(text, end - 1);
    const opened = /^[ \t]*(?:- +)*(?:[^\s:]+:[ \t]+)?(?=["'[{])/.exec(line.text.slice(0, MAX_LINE));
    if (opened !== null) {
      const span = { start: line.start + opened[0].length, end: trimmed(text, line).end };
      const sign = text[span.start];
      const hint = sign === "[" || sign === "{" ? "Close the bracket, or put the value in quotes." : "Close the quote.";
      return { code: "syntax-error", span, message: `This value begins with ${sign} and never ends.`, hint };
    }
    end = line.start - 1;
  }
  return null;
}

/** So far back the beginning of a value is looked for. */
const MAX_LINES = 100;

function describeRefusal(reason: string, at: number, limits: Limits): SyntaxProblem | null {
  const span = { start: at, end: at + 1 };
  if (reason === TOO_MANY_VALUES) {
    const message = `The block holds more than ${limits.nodes} values.`;
    const hint = "Hand over what the next agent needs, and name files instead of pasting their content.";
    return { code: "too-many-nodes", span: { start: 0, end: 1 }, message, hint };
  }
  if (reason.startsWith("aliases exceeded")) {
    const message = "YAML aliases are refused: a few bytes of them can stand for gigabytes.";
    const hint = "Write the value out where it is needed; if the * is part of the text, put the value in quotes.";
    return { code: "alias-refused", span, message, hint };
  }
  if (TOO_DEEP.test(reason)) {
    const message = `Values are nested more than ${limits.depth} levels deep.`;
    return { code: "too-deep", span, message, hint: "Hand over what the next agent needs, flat." };
  }
  return null;
}

/** An unquoted value or key that begins with `@` or a backquote, which YAML does not allow. */
interface Slip {
  readonly value: string;
  readonly edit: SpanEdit;
  /** A sentence or a fence: it was not meant to be a value. */
  readonly isProse: boolean;
}

/** What was meant is plain, so it can be quoted. */
function describeSlip({ value, edit, isProse }: Slip): SyntaxProblem {
  const shown = value.length > 60 ? `${value.slice(0, 57)}...` : value;
  return {
    code: "syntax-error",
    span: { start: edit.start, end: edit.end },
    message: `In YAML an unquoted value may not begin with ${value[0]}.`,
    hint: isProse ? "Write `name: value`, or move the line out of the block." : `Put it in quotes: "${shown}".`,
    ...(!isProse && { fix: { title: `Quote ${shown}`, edits: [edit] } }),
  };
}

/** The slip at this place, and every place further on where another may stand. */
function reservedStarts(text: string, from: number): Slip[] {
  const slips: Slip[] = [];
  const pattern = /(?:^[ \t]*|[:?-][ \t]+|[[{,][ \t]*)[@`]/gm;
  pattern.lastIndex = text.lastIndexOf("\n", from - 1) + 1;
  const flow = new FlowCursor(text, pattern.lastIndex);
  while (slips.length < MAX_SLIPS && pattern.exec(text) !== null) {
    const at = pattern.lastIndex - 1;
    if (at < from) continue;
    const slip = readSlip(text, at, flow.isInside(at));
    slips.push(slip);
    pattern.lastIndex = slip.edit.end;
  }
  return slips;
}

const MAX_SLIPS = 1000;

function readSlip(text: string, at: number, inFlow: boolean): Slip {
  const line = lineAround(text, at);
  const rest = text.slice(at, line.end);
  const comment = rest.search(inFlow ? /[,\]}]/ : /\s#/);
  const whole = (comment === -1 ? rest : rest.slice(0, comment)).trimEnd();
  const isFirst = /^[ \t]*(?:- +)?$/.test(text.slice(Math.max(line.start, at - 200), at));
  const key = isFirst ? /^[^\s:]+(?=:(?:\s|$))/.exec(whole)?.[0] : undefined;
  const value = key ?? whole;
  const edit = { start: at, end: at + value.length, text: JSON.stringify(value) };
  return { value, edit, isProse: key === undefined && isProseLine(line.text, isFirst) };
}

/** A line of words, or one that opens or closes code; or its name is made of words, and not one name of a field. */
function isProseLine(line: string, startsLine: boolean): boolean {
  const start = line.slice(0, MAX_LINE);
  return startsLine ? /^\s*(?:```|[@`]\S*\s+\S)/.test(start) : /^[ \t]*(?!- )[^\s:"'[{]+[ \t]+[^:"'[{]*:/.test(start);
}

/** Whether places of a text, asked for in order, stand in brackets that were opened on their line. */
class FlowCursor {
  readonly #text: string;
  #at: number;
  #depth = 0;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#at = from;
  }

  isInside(place: number): boolean {
    for (; this.#at < place; this.#at++) {
      const sign = this.#text[this.#at];
      if (sign === "\n") this.#depth = 0;
      else if (sign === "[" || sign === "{") this.#depth++;
      else if ((sign === "]" || sign === "}") && this.#depth > 0) this.#depth--;
    }
    return this.#depth > 0;
  }
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

/** So much of a line is looked at to guess what its author slipped on. */
const MAX_LINE = 2000;

function explainReason(reason: string, line: string, at: number): readonly [string, string] {
  if (reason.includes("tab characters")) return ["A tab stands where YAML wants spaces.", "Indent with spaces."];
  const value = /^\s*(?:- +)*[\w-]+:[ \t]+(?=\S)/.exec(line)?.[0].length ?? Infinity;
  if (value <= at) {
    const explained = explainValue(line.slice(value));
    if (explained !== null) return explained;
  }
  if (reason.includes("indentation"))
    return ["This line is not indented like its neighbours.", "Fields of one record start in the same column."];
  if (reason.includes("unknown") && reason.includes("tag"))
    return ["This YAML tag is not known here.", "Remove the tag; write plain values."];
  if (reason.includes("complex key"))
    return [
      "A list or a record stands where the name of a field belongs.",
      "Put a value that begins with { or [ in quotes; write `name: value`.",
    ];
  if (reason.includes("duplicate")) return ["A field stands twice in one record.", "Keep one of the two."];
  return ["This line is not YAML.", "Check the quotes, colons and indentation here."];
}

/** Why a value that begins on its line cannot be read; Markdown is written with signs that YAML has a use for. */
function explainValue(value: string): readonly [string, string] | null {
  const sign = value[0] ?? "";
  if (sign === '"' || sign === "'")
    return ["Text follows a quoted value on the same line.", "Put the whole value inside the quotes."];
  if (sign === "[" || sign === "{") {
    return [
      `Text follows the closing bracket: in YAML ${sign} begins a ${sign === "[" ? "list" : "record"}.`,
      "Put the whole value in quotes.",
    ];
  }
  if (sign === "!") return null;
  if (/^(?:[*&%|>,\]}]|[-?](?:\s|$))/.test(value))
    return [`In YAML an unquoted value may not begin with ${sign}.`, "Put the whole value in quotes."];
  if (!/:\s/.test(value)) return null;
  return [
    "An unquoted value holds a colon followed by a space, which begins a new field.",
    "Put the whole value in quotes.",
  ];
}
