import { nearestWord } from "./nearest-word.ts";
import { ParseRefusal, type PlacedProblem, refusedParse } from "./parse-refusal.ts";
import type { Condition, Literal, Operand, Sign } from "./condition.ts";

/** A condition, or why the text is invalid. */
export type ParsedCondition =
  | { readonly condition: Condition; readonly problem: null }
  | { readonly condition: null; readonly problem: PlacedProblem };

export type ValueKind = "text" | "number" | "boolean";

/** What a condition may ask, where it stands. */
export interface ConditionVocabulary {
  /** The type of a name: null when it can have any, undefined when there is no such name. */
  kindOf(name: string): ValueKind | null | undefined;
  readonly names: readonly string[];
  /** The names as a hint lists them. */
  readonly listed: string;
  /** Why a text is never the value of a name; null when it may be. */
  refuseWord(name: string, word: string): { readonly message: string; readonly hint: string } | null;
  readonly example: string;
  /** What to do with a condition that is too long. */
  readonly split: string;
}

/** Maximum length: a condition is a short test, not a program. */
export const MAX_CONDITION = 500;
const DEEPEST_NESTING = 20;

export function parseConditionOf(text: string, vocabulary: ConditionVocabulary): ParsedCondition {
  try {
    if (text.length > MAX_CONDITION)
      throw new ParseRefusal(
        MAX_CONDITION,
        text.length,
        `A condition may have ${MAX_CONDITION} characters.`,
        vocabulary.split,
      );
    return { condition: new Parser(text, vocabulary).whole(), problem: null };
  } catch (error) {
    return { condition: null, problem: refusedParse(error) };
  }
}

interface Token {
  readonly kind: "word" | "number" | "text" | "sign" | "end";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface PlacedOperand {
  readonly operand: Operand;
  readonly token: Token;
}

const WORDS_OF_GRAMMAR = new Set(["and", "or", "not", "in"]);
const CONSTANTS: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const SIGNS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** One method per production: or, and, not, comparison, operand. */
class Parser {
  readonly #tokens: readonly Token[];
  readonly #vocabulary: ConditionVocabulary;
  #index = 0;
  #depth = 0;

  constructor(text: string, vocabulary: ConditionVocabulary) {
    this.#vocabulary = vocabulary;
    this.#tokens = scan(text);
  }

  whole(): Condition {
    if (this.#next().kind === "end")
      throw refuse(this.#next(), "The condition is empty.", "Write one, or leave `when` out.");
    const condition = this.#or();
    const rest = this.#next();
    if (rest.kind !== "end")
      throw refuse(rest, `\`${rest.text}\` is not expected here.`, "Join conditions with `and` or `or`.");
    return condition;
  }

  #or(): Condition {
    let left = this.#and();
    while (this.#takes("or")) left = { kind: "or", left, right: this.#and() };
    return left;
  }

  #and(): Condition {
    let left = this.#not();
    while (this.#takes("and")) left = { kind: "and", left, right: this.#not() };
    return left;
  }

  #not(): Condition {
    const token = this.#next();
    if (this.#takes("not")) return this.#deeper(token, () => ({ kind: "not", of: this.#not() }));
    if (!this.#takes("(")) return this.#comparison();
    return this.#deeper(token, () => {
      const inner = this.#or();
      if (!this.#takes(")")) throw refuse(token, "This bracket is never closed.", "Add `)`.");
      return inner;
    });
  }

  #deeper(token: Token, parse: () => Condition): Condition {
    if (++this.#depth > DEEPEST_NESTING)
      throw refuse(token, `Conditions are nested more than ${DEEPEST_NESTING} levels deep.`, this.#vocabulary.split);
    const condition = parse();
    this.#depth--;
    return condition;
  }

  #comparison(): Condition {
    const left = this.#operand();
    if (this.#takes("in")) return { kind: "in", left: left.operand, list: this.#list(left) };
    const token = this.#next();
    if (!SIGNS.has(token.text) || token.kind !== "sign") return this.#alone(left);
    this.#index++;
    const sign = token.text as Sign;
    const right = this.#operand(left);
    mustCompare(left, sign, right, this.#vocabulary);
    return { kind: "compare", sign, left: left.operand, right: right.operand };
  }

  #alone(left: PlacedOperand): Condition {
    const kind = kindOf(left.operand, this.#vocabulary);
    if (kind !== "boolean" && kind !== null)
      throw refuse(
        left.token,
        `\`${left.token.text}\` alone is neither true nor false.`,
        `Compare it, for example \`${left.token.text} ${kind === "number" ? "> 0" : "== '...'"}\`.`,
      );
    return { kind: "value", of: left.operand };
  }

  #list(left: PlacedOperand): Literal[] {
    const open = this.#next();
    if (!this.#takes("["))
      throw refuse(open, "After `in` comes a list.", "Write it in brackets, for example `in ['bug', 'security']`.");
    const list: Literal[] = [];
    while (!this.#takes("]")) {
      const item = this.#operand(left);
      if (item.operand.kind !== "literal")
        throw refuse(item.token, "A list holds values only.", "Write texts in single quotes.");
      mustCompare(left, "==", item, this.#vocabulary);
      list.push(item.operand.value);
      const after = this.#next();
      if (!this.#takes(",") && after.text !== "]")
        throw refuse(after.kind === "end" ? open : after, "This list is never closed.", "Add `]`.");
    }
    return list;
  }

  /** `beside` is what it is compared with. */
  #operand(beside?: PlacedOperand): PlacedOperand {
    const token = this.#next();
    const operand = readOperand(token, this.#vocabulary, beside);
    this.#index++;
    return { operand, token };
  }

  #next(): Token {
    return this.#tokens[this.#index] ?? { kind: "end", text: "", start: 0, end: 0 };
  }

  #takes(text: string): boolean {
    const token = this.#next();
    const taken = token.text === text && (token.kind === "sign" || token.kind === "word");
    if (taken) this.#index++;
    return taken;
  }
}

function readOperand(token: Token, vocabulary: ConditionVocabulary, beside: PlacedOperand | undefined): Operand {
  const { kind, text } = token;
  if (kind === "number") return { kind: "literal", value: Number(text) };
  if (kind === "text") return { kind: "literal", value: text.slice(1, -1) };
  if (kind === "word" && !WORDS_OF_GRAMMAR.has(text)) {
    const constant = CONSTANTS.get(text);
    if (constant !== undefined) return { kind: "literal", value: constant };
    if (vocabulary.kindOf(text) !== undefined) return { kind: "name", name: text };
    throw unknownName(token, vocabulary, beside);
  }
  const found = kind === "end" ? "The condition ends too early" : `\`${text}\` is not expected here`;
  throw refuse(token, `${found}: a name or a value is missing.`, `For example: ${vocabulary.example}`);
}

function unknownName(token: Token, vocabulary: ConditionVocabulary, beside: PlacedOperand | undefined): ParseRefusal {
  const { names, listed } = vocabulary;
  const meant = nearestWord(token.text, names);
  const kind = beside === undefined ? null : kindOf(beside.operand, vocabulary);
  const quoted = `a text is written '${token.text}'`;
  const hint =
    meant !== null
      ? `Did you mean ${meant}?`
      : kind === "boolean" || kind === "number"
        ? valueHint(kind, beside)
        : `Names are ${listed}; ${quoted}.`;
  return refuse(token, `\`${token.text}\` is not something a condition can ask.`, hint);
}

/** What a name that is no text is compared with. */
function valueHint(kind: "boolean" | "number", asked: PlacedOperand | undefined): string {
  const values = kind === "boolean" ? "`true` or `false`" : "a number";
  return `\`${asked?.token.text ?? ""}\` is compared with ${values}, without quotes.`;
}

/** A comparison that can never be true is an error. */
function mustCompare(left: PlacedOperand, sign: Sign, right: PlacedOperand, vocabulary: ConditionVocabulary): void {
  const [leftKind, rightKind] = [kindOf(left.operand, vocabulary), kindOf(right.operand, vocabulary)];
  if (sign !== "==" && sign !== "!=") {
    for (const [kind, { token }] of [[leftKind, left] as const, [rightKind, right] as const])
      if (kind !== null && kind !== "number")
        throw refuse(token, `\`${sign}\` compares numbers; \`${token.text}\` is none.`, "Use == or !=.");
    return;
  }
  if (leftKind !== null && rightKind !== null && leftKind !== rightKind)
    throw refuse(
      right.token,
      `\`${left.token.text}\` is a ${leftKind} and \`${right.token.text}\` a ${rightKind}: they are never equal.`,
      compareHint([left, leftKind], [right, rightKind]),
    );
  mustBeWord(left, right, vocabulary);
  mustBeWord(right, left, vocabulary);
}

function compareHint(...sides: readonly (readonly [PlacedOperand, ValueKind])[]): string {
  const found = sides.find(([{ operand }, kind]) => operand.kind === "name" && kind !== "text");
  if (found === undefined) return "Compare values of one kind.";
  const [asked, kind] = found;
  return kind === "text" ? "" : valueHint(kind, asked);
}

function mustBeWord(
  { operand: asked }: PlacedOperand,
  { operand, token }: PlacedOperand,
  vocabulary: ConditionVocabulary,
): void {
  if (asked.kind !== "name" || operand.kind !== "literal" || typeof operand.value !== "string") return;
  const refused = vocabulary.refuseWord(asked.name, operand.value);
  if (refused !== null) throw refuse(token, refused.message, refused.hint);
}

/** Null when the type is not fixed. */
function kindOf(operand: Operand, vocabulary: ConditionVocabulary): ValueKind | null {
  if (operand.kind === "name") return vocabulary.kindOf(operand.name) ?? null;
  const { value } = operand;
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : null;
}

const TOKEN =
  /(?<space>\s+)|(?<number>-?\d+(?:\.\d+)?(?![\w.]))|(?<word>@?[\p{L}_][\p{L}\p{N}_-]*(?:\.[@#]?[\p{L}_][\p{L}\p{N}_-]*)*)|(?<text>'[^']*'|"[^"]*")|(?<sign>[=!<>]=|[<>()[\],])/uy;

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const start = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) throw unreadable(text, start);
    const end = TOKEN.lastIndex;
    const kind = (["number", "word", "text", "sign"] as const).find((name) => groups[name] !== undefined);
    if (kind !== undefined) tokens.push({ kind, text: text.slice(start, end), start, end });
  }
  const end = text.trimEnd().length;
  tokens.push({ kind: "end", text: "", start: Math.max(0, end - 1), end: Math.max(1, end) });
  return tokens;
}

function unreadable(text: string, start: number): ParseRefusal {
  const sign = text.charAt(start);
  if (sign === "'" || sign === '"')
    return new ParseRefusal(start, text.length, "This text is never closed.", `Add ${sign} at its end.`);
  const stop = text.slice(start).search(/[\s()[\],]/);
  const end = stop > 0 ? start + stop : stop === 0 ? start + 1 : text.length;
  const word = text.slice(start, end);
  const hint = word.startsWith("=")
    ? "Equality is written ==."
    : /^[&|]/.test(word)
      ? "Write `and` or `or`."
      : "Signs are == != < <= > >= ( ) [ ] and the words and, or, not, in.";
  return new ParseRefusal(start, end, `\`${word.slice(0, 20)}\` is not part of a condition.`, hint);
}

function refuse(token: Token, message: string, hint: string): ParseRefusal {
  return new ParseRefusal(token.start, token.end, message, hint);
}
