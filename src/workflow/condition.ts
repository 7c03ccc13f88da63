/** A parsed condition of a route, in a small closed grammar. It contains no code. */
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
  return judge(condition, facts) === true;
}

/** Three-valued logic: undefined means unknown, and `not` keeps it unknown. */
function judge(condition: Condition, facts: Facts): boolean | undefined {
  switch (condition.kind) {
    case "not": {
      const inner = judge(condition.of, facts);
      return inner === undefined ? undefined : !inner;
    }
    case "and":
      return both(judge(condition.left, facts), judge(condition.right, facts));
    case "or": {
      const neither = both(negate(judge(condition.left, facts)), negate(judge(condition.right, facts)));
      return negate(neither);
    }
    case "in": {
      const value = valueOf(condition.left, facts);
      return value === undefined ? undefined : condition.list.includes(value);
    }
    case "value": {
      const value = valueOf(condition.of, facts);
      return typeof value === "boolean" ? value : undefined;
    }
    case "compare":
      return compare(condition.sign, valueOf(condition.left, facts), valueOf(condition.right, facts));
  }
}

function both(left: boolean | undefined, right: boolean | undefined): boolean | undefined {
  if (left === false || right === false) return false;
  return left === undefined || right === undefined ? undefined : true;
}

function negate(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function valueOf(operand: Operand, facts: Facts): Literal | undefined {
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
