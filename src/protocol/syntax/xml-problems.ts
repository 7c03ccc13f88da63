import type { Limits } from "../limits.ts";
import { type Span, type SyntaxProblem, applyEdits, beforeEdits } from "./syntax.ts";
import { XmlRefusal, parseXml, markupEnd, nameAt } from "./xml.ts";

/** Everything that keeps a text from being XML: each bare `&`, then the first complaint of the parser. */
export function xmlProblems(text: string, limits: Limits, first?: XmlRefusal): SyntaxProblem[] {
  const bare = bareAmpersands(text);
  if (bare.length === 0 && first !== undefined) return [describeRefusal(text, first, first.offset)];
  const edits = bare.flatMap((problem) => problem.fix?.edits ?? []);
  try {
    parseXml(applyEdits(text, edits), limits);
    return bare;
  } catch (error) {
    if (!(error instanceof XmlRefusal)) throw error;
    return [...bare, describeRefusal(text, error, beforeEdits(error.offset, edits))];
  }
}

const MAX_PROBLEMS = 50;

/**
 * A `&` that begins no reference. Comments and CDATA may hold it, so they are passed over whole. `&name;`
 * is left to the parser: what an unknown entity stood for cannot be known.
 */
const AMPERSAND_OR_OPAQUE =
  /<!--[^]*?(?:-->|$)|<!\[CDATA\[[^]*?(?:\]\]>|$)|&(?!(?:[A-Za-z][A-Za-z0-9]*|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/g;

function bareAmpersands(text: string): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  for (const found of text.matchAll(AMPERSAND_OR_OPAQUE)) {
    if (found[0] !== "&") continue;
    if (problems.length === MAX_PROBLEMS) break;
    const span = { start: found.index, end: found.index + 1 };
    const entity = unclosedEntity(text, found.index);
    if (entity !== null) {
      problems.push(entity);
      continue;
    }
    const fix = { title: "Write &amp;", edits: [{ ...span, text: "&amp;" }] };
    problems.push({
      code: "syntax-error",
      span,
      message: "In XML a bare & begins an entity.",
      hint: "Write &amp;.",
      fix,
    });
  }
  return problems;
}

/** `&amp` without its semicolon; before a `=` it is rather a parameter of an address. */
function unclosedEntity(text: string, at: number): SyntaxProblem | null {
  const written = /^&(?:amp|lt|gt|quot|apos)(?![\w;=])/.exec(text.slice(at, at + 8))?.[0];
  if (written === undefined) return null;
  const span = { start: at, end: at + written.length };
  const title = `Write ${written};`;
  const fix = { title, edits: [{ start: span.end, end: span.end, text: ";" }] };
  return { code: "syntax-error", span, message: `The entity ${written} lacks its semicolon.`, hint: `${title}.`, fix };
}

function describeRefusal(text: string, refusal: XmlRefusal, at: number): SyntaxProblem {
  const end = text.trimEnd().length;
  const span = { start: Math.min(Math.max(0, at - 1), Math.max(0, end - 1)), end: Math.max(1, Math.min(at, end)) };
  if (refusal.code !== "syntax-error")
    return { code: refusal.code, span, message: refusal.message, hint: REFUSAL_HINTS[refusal.code] };
  if (/^unclosed tag|unexpected end/.test(refusal.message)) {
    const name = /^unclosed tag: (\S{1,60})$/.exec(refusal.message)?.[1];
    const message = `The text ends before ${name === undefined ? "an element" : `<${name}>`} is closed: it was cut off.`;
    return {
      code: "truncated",
      span: { start: Math.max(0, end - 1), end },
      message,
      hint: "Ask the agent to write the handoff again, whole.",
    };
  }
  if (refusal.message.includes("only one root")) {
    return {
      code: "several-roots",
      span,
      message: "A second root element follows the first.",
      hint: "Write one handoff per element.",
    };
  }
  const known =
    refusal.message === "unexpected close tag." ? unclosedElement(text, at) : describeSign(text, refusal, at);
  if (known !== null) return known;
  const [message, hint] = explainRefusal(refusal.message);
  return { code: "syntax-error", span, message, hint };
}

/** A `<` that begins no tag, and an entity that only HTML has. */
function describeSign(text: string, { message }: XmlRefusal, at: number): SyntaxProblem | null {
  const code = "syntax-error";
  if (message.startsWith("disallowed character in tag name")) {
    const start = text.lastIndexOf("<", at - 1);
    const hint = "Write &lt; where the text means the sign.";
    return start === -1
      ? null
      : { code, span: { start, end: start + 1 }, message: "In XML a bare < begins a tag.", hint };
  }
  if (!message.includes("undefined entity")) return null;
  const start = text.lastIndexOf("&", at - 1);
  const entity = text.slice(start, at);
  if (start === -1 || entity.length > MAX_ENTITY) return null;
  const hint = "Write the character itself. XML knows only &amp; &lt; &gt; &quot; &apos; and numbers such as &#8212;.";
  return { code, span: { start, end: at }, message: `\`${entity}\` is no entity that XML knows.`, hint };
}

const MAX_ENTITY = 40;

interface OpenTag extends Span {
  readonly name: string;
}

/**
 * A closing tag that does not close the innermost element. The mistake is at the element that should have been
 * closed before, if there is one of the closing tag's name around it; else at the closing tag, which closes nothing.
 */
function unclosedElement(text: string, end: number): SyntaxProblem | null {
  const { open, closing } = tagsBefore(text, end);
  const innermost = open.at(-1);
  if (innermost === undefined || closing === null) return null;
  const [opened, closed] = [`<${short(innermost.name)}>`, `</${short(closing.name)}>`];
  if (open.some(({ name }) => name === closing.name)) {
    const message = `\`${opened}\` is opened here and never closed: \`${closed}\`, ${linesBelow(text, innermost, closing)}, closes an element around it.`;
    const hint = `Add \`</${short(innermost.name)}>\` where the element ends.`;
    return { code: "syntax-error", span: spanOf(innermost), message, hint };
  }
  const message = `\`${closed}\` closes nothing: the element that is open here is \`${opened}\`.`;
  const hint = `Write \`</${short(innermost.name)}>\`, or remove the tag.`;
  return { code: "syntax-error", span: { start: closing.start, end }, message, hint };
}

/** The elements that are open at the last tag before a place, which closes something. All tags before it fit. */
function tagsBefore(text: string, end: number): { open: readonly OpenTag[]; closing: OpenTag | null } {
  const open: OpenTag[] = [];
  for (let at = text.indexOf("<"); at !== -1 && at < end;) {
    const next = markupEnd(text, at);
    const sign = text[at + 1];
    if (sign === "/" && next >= end) return { open, closing: { name: nameAt(text, at + 2), start: at, end: next } };
    if (sign === "/") open.pop();
    else if (sign !== "!" && sign !== "?" && text[next - 2] !== "/")
      open.push({ name: nameAt(text, at + 1), start: at, end: next });
    at = text.indexOf("<", next);
  }
  return { open, closing: null };
}

/** Without the attributes. */
function spanOf({ start, name }: OpenTag): Span {
  return { start, end: start + 1 + name.length };
}

/** Counted from the first place, for a block does not know in which line of the file it begins. */
function linesBelow(text: string, first: Span, second: Span): string {
  const lines = text.slice(first.start, second.start).split("\n").length - 1;
  if (lines === 0) return "in the same line";
  return lines === 1 ? "in the next line" : `${lines} lines below`;
}

function short(name: string): string {
  return name.length > 60 ? `${name.slice(0, 57)}...` : name;
}

const REFUSAL_HINTS = {
  "doctype-refused": "Remove the DOCTYPE; a handoff needs none.",
  "too-deep": "Hand over what the next agent needs, flat.",
  "too-many-nodes": "Hand over what the next agent needs, and name files instead of pasting their content.",
} as const;

/** The words of the parser are for programmers of parsers: what they mean to an author is said instead. */
function explainRefusal(reason: string): readonly [message: string, hint: string] {
  return EXPLAINED.find(([pattern]) => pattern.test(reason))?.[1] ?? NOT_XML;
}

const NOT_XML = [
  "This is not well-formed XML.",
  "Check the angle brackets and quotes here; write < as &lt; in text.",
] as const;

const EXPLAINED: readonly (readonly [RegExp, readonly [message: string, hint: string]])[] = [
  [
    /entity/,
    [
      "What begins with & here is no entity of XML.",
      "Only &amp; &lt; &gt; &quot; &apos; and numeric references are known; write the character itself.",
    ],
  ],
  [/duplicate attribute/, ["An attribute of this element stands twice.", "Remove one of the two."]],
  [/attribute/, ['An attribute is not written as name="value".', 'Write attributes as name="value".']],
  [
    /declaration|doctype|processing instruction|instruction|version|encoding|standalone/i,
    [
      "An XML declaration or instruction stands where none may stand, or is not whole.",
      "Remove it; a handoff needs none.",
    ],
  ],
  [/comment/, ["A comment is not written as XML has it.", "Write <!-- text -->, without -- in the text."]],
  [
    /outside of root/,
    ["Text stands outside of the element.", "Put everything that belongs to the handoff into the element."],
  ],
  [
    /close tag|closing tag|unmatched|tag/,
    ["A tag is not written as XML has it.", "Close each element with the name that opened it, innermost first."],
  ],
  [
    /disallowed character/,
    ["A character stands here that XML does not allow.", "Remove it, or write it as a reference."],
  ],
];
