import { OUTCOMES } from "../protocol/handoff-words.ts";
import { nearestWord } from "../shared/nearest-word.ts";
import type { Condition, Literal, Operand, Sign } from "./condition.ts";

/** A condition, or why the text is invalid. Positions count UTF-16 code units from the start of the text. */
type ParsedCondition =
  | { readonly condition: Condition; readonly problem: null }
  | { readonly condition: null; readonly problem: ConditionProblem };

interface ConditionProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string;
}

type FactKind = "text" | "number" | "boolean";

/** All names that a condition may use, with their types. `metrics.NAME` can have any type. */
export const FACTS: Readonly<Record<string, FactKind>> = {
  outcome: "text",
  status: "text",
  phase: "text",
  iteration: "number",
  "run.iteration": "number",
  retries: "number",
  failure: "text",
  blocked_reason: "text",
  "loop.required": "boolean",
  "loop.target": "text",
  "loop.reason": "text",
  "open.blocking": "number",
  "open.critical": "number",
  "open.high": "number",
  "open.medium": "number",
  "open.low": "number",
  "open.total": "number",
  coverage: "number",
  score: "number",
  "measured.coverage": "number",
  "measured.branches": "number",
  "measured.functions": "number",
  "measured.statements": "number",
  "measured.passed": "number",
  "measured.failed": "number",
  "claims.confirmed": "number",
  "claims.refuted": "number",
  "claims.unverifiable": "number",
  "review.status": "text",
  "checks.status": "text",
};

const FACT_NAMES = Object.keys(FACTS);
const OUTCOME_WORDS: readonly string[] = OUTCOMES;
const METRIC = /^metrics\.[A-Za-z_][\w-]*$/;

/** Maximum length: a condition is a short test, not a program. */
export const MAX_CONDITION = 500;
const DEEPEST_NESTING = 20;

export function parseCondition(text: string): ParsedCondition {
  try {
    if (text.length > MAX_CONDITION)
      throw new Refusal(
        MAX_CONDITION,
        text.length,
        `A condition may have ${MAX_CONDITION} characters.`,
        "Split it into several routes.",
      );
    return { condition: new Parser(text).whole(), problem: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { start, end, message, hint } = error;
    return { condition: null, problem: { start, end, message, hint } };
  }
}

/** Aborts the parse. It is always caught within this file. */
class Refusal extends Error {
  readonly start: number;
  readonly end: number;
  readonly hint: string;

  constructor(start: number, end: number, message: string, hint: string) {
    super(message);
    this.start = start;
    this.end = end;
    this.hint = hint;
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
  #index = 0;
  #depth = 0;

  constructor(text: string) {
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
      throw refuse(
        token,
        `Conditions are nested more than ${DEEPEST_NESTING} levels deep.`,
        "Split it into several routes.",
      );
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
    const right = this.#operand();
    mustCompare(left, sign, right);
    return { kind: "compare", sign, left: left.operand, right: right.operand };
  }

  #alone(left: PlacedOperand): Condition {
    const kind = kindOf(left.operand);
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
      const item = this.#operand();
      if (item.operand.kind !== "literal")
        throw refuse(item.token, "A list holds values only.", "Write texts in single quotes.");
      mustCompare(left, "==", item);
      list.push(item.operand.value);
      const after = this.#next();
      if (!this.#takes(",") && after.text !== "]")
        throw refuse(after.kind === "end" ? open : after, "This list is never closed.", "Add `]`.");
    }
    return list;
  }

  #operand(): PlacedOperand {
    const token = this.#next();
    const operand = readOperand(token);
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

function readOperand(token: Token): Operand {
  const { kind, text } = token;
  if (kind === "number") return { kind: "literal", value: Number(text) };
  if (kind === "text") return { kind: "literal", value: text.slice(1, -1) };
  if (kind === "word" && !WORDS_OF_GRAMMAR.has(text)) {
    const constant = CONSTANTS.get(text);
    if (constant !== undefined) return { kind: "literal", value: constant };
    if (Object.hasOwn(FACTS, text) || METRIC.test(text)) return { kind: "name", name: text };
    throw unknownName(token);
  }
  const found = kind === "end" ? "The condition ends too early" : `\`${text}\` is not expected here`;
  throw refuse(token, `${found}: a name or a value is missing.`, "For example: open.blocking > 0");
}

function unknownName(token: Token): Refusal {
  const meant = nearestWord(token.text, FACT_NAMES);
  const quoted = `a text is written '${token.text}'`;
  const hint =
    meant === null ? `Names are ${FACT_NAMES.join(", ")}, metrics.NAME; ${quoted}.` : `Did you mean ${meant}?`;
  return refuse(token, `\`${token.text}\` is not something a condition can ask.`, hint);
}

/** A comparison that can never be true is an error. */
function mustCompare(left: PlacedOperand, sign: Sign, right: PlacedOperand): void {
  const [leftKind, rightKind] = [kindOf(left.operand), kindOf(right.operand)];
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
      "Compare values of one kind.",
    );
  mustBeOutcome(left, right);
  mustBeOutcome(right, left);
}

function mustBeOutcome({ operand: asked }: PlacedOperand, { operand, token }: PlacedOperand): void {
  if (asked.kind !== "name" || asked.name !== "outcome") return;
  if (operand.kind !== "literal" || typeof operand.value !== "string" || OUTCOME_WORDS.includes(operand.value)) return;
  const meant = nearestWord(operand.value, OUTCOME_WORDS);
  throw refuse(
    token,
    `\`${operand.value}\` is not an outcome.`,
    meant === null ? `Outcomes are ${OUTCOME_WORDS.join(", ")}.` : `Did you mean '${meant}'?`,
  );
}

/** Null when the type is not fixed. */
function kindOf(operand: Operand): FactKind | null {
  if (operand.kind === "name") return Object.hasOwn(FACTS, operand.name) ? (FACTS[operand.name] ?? null) : null;
  const { value } = operand;
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : null;
}

const TOKEN =
  /(?<space>\s+)|(?<number>-?\d+(?:\.\d+)?(?![\w.]))|(?<word>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)|(?<text>'[^']*'|"[^"]*")|(?<sign>[=!<>]=|[<>()[\],])/y;

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

function unreadable(text: string, start: number): Refusal {
  const sign = text.charAt(start);
  if (sign === "'" || sign === '"')
    return new Refusal(start, text.length, "This text is never closed.", `Add ${sign} at its end.`);
  const stop = text.slice(start).search(/[\s()[\],]/);
  const end = stop > 0 ? start + stop : stop === 0 ? start + 1 : text.length;
  const word = text.slice(start, end);
  const hint = word.startsWith("=")
    ? "Equality is written ==."
    : /^[&|]/.test(word)
      ? "Write `and` or `or`."
      : "Signs are == != < <= > >= ( ) [ ] and the words and, or, not, in.";
  return new Refusal(start, end, `\`${word.slice(0, 20)}\` is not part of a condition.`, hint);
}

function refuse(token: Token, message: string, hint: string): Refusal {
  return new Refusal(token.start, token.end, message, hint);
}
