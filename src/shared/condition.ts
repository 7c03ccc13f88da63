/** A parsed condition, in a small closed grammar. It contains no code. */
export type Condition =
  | { readonly kind: "or" | "and"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "compare"; readonly sign: Sign; readonly left: Operand; readonly right: Operand }
  | { readonly kind: "in"; readonly left: Operand; readonly list: readonly Literal[] }
  | { readonly kind: "value"; readonly of: Operand };

export type Sign = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type Literal = string | number | boolean | null;
export type Operand =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "literal"; readonly value: Literal };

/** Looks up the value that a condition refers to; undefined means unknown. */
export type Facts = (name: string) => Literal | undefined;

/** True only when the condition is known to be true. An unknown value never makes it true. */
export function holds(condition: Condition, facts: Facts): boolean {
  return judgeCondition(condition, facts) === true;
}

/** Three-valued logic: undefined means unknown, and `not` keeps it unknown. */
export function judgeCondition(condition: Condition, facts: Facts): boolean | undefined {
  switch (condition.kind) {
    case "not": {
      const inner = judgeCondition(condition.of, facts);
      return inner === undefined ? undefined : !inner;
    }
    case "and":
      return both(judgeCondition(condition.left, facts), judgeCondition(condition.right, facts));
    case "or": {
      const neither = both(
        negate(judgeCondition(condition.left, facts)),
        negate(judgeCondition(condition.right, facts)),
      );
      return negate(neither);
    }
    case "in": {
      const value = operandValue(condition.left, facts);
      return value === undefined ? undefined : condition.list.includes(value);
    }
    case "value": {
      const value = operandValue(condition.of, facts);
      return typeof value === "boolean" ? value : undefined;
    }
    case "compare":
      return compare(condition.sign, operandValue(condition.left, facts), operandValue(condition.right, facts));
  }
}

function both(left: boolean | undefined, right: boolean | undefined): boolean | undefined {
  if (left === false || right === false) return false;
  return left === undefined || right === undefined ? undefined : true;
}

function negate(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

export function operandValue(operand: Operand, facts: Facts): Literal | undefined {
  return operand.kind === "literal" ? operand.value : facts(operand.name);
}

function compare(sign: Sign, left: Literal | undefined, right: Literal | undefined): boolean | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (sign === "==") return left === right;
  if (sign === "!=") return left !== right;
  if (typeof left !== "number" || typeof right !== "number") return undefined;
  switch (sign) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}

/** The names in a condition, each once. */
export function conditionNames(condition: Condition): string[] {
  switch (condition.kind) {
    case "not":
      return conditionNames(condition.of);
    case "and":
    case "or":
      return [...new Set([...conditionNames(condition.left), ...conditionNames(condition.right)])];
    case "in":
      return condition.left.kind === "name" ? [condition.left.name] : [];
    case "value":
      return condition.of.kind === "name" ? [condition.of.name] : [];
    case "compare":
      return [condition.left, condition.right].flatMap((operand) => (operand.kind === "name" ? [operand.name] : []));
  }
}
