import { type Condition, type Facts, type Operand, type Sign, operandValue } from "../shared/condition.ts";

/**
 * How far the figures of a condition that holds are from making it false; null when it has no such figure. It falls
 * from round to round while the work moves towards what the condition waits for.
 */
export function distanceToFalse(condition: Condition, facts: Facts): number | null {
  return distanceTo(false, condition, facts);
}

/** Counters of the run itself move in every round, so they tell nothing about the work. */
const COUNTERS: readonly string[] = ["iteration", "run.iteration", "retries"];

function distanceTo(wanted: boolean, condition: Condition, facts: Facts): number | null {
  switch (condition.kind) {
    case "not":
      return distanceTo(!wanted, condition.of, facts);
    case "and":
    case "or": {
      const left = distanceTo(wanted, condition.left, facts);
      const right = distanceTo(wanted, condition.right, facts);
      // The sum falls when any of the figures moves.
      return left === null || right === null ? (left ?? right) : left + right;
    }
    case "compare":
      return distanceOf(wanted, condition.sign, condition.left, condition.right, facts);
    case "in":
    case "value":
      return null;
  }
}

function distanceOf(wanted: boolean, sign: Sign, left: Operand, right: Operand, facts: Facts): number | null {
  if ([left, right].some((operand) => operand.kind === "name" && COUNTERS.includes(operand.name))) return null;
  const [one, other] = [operandValue(left, facts), operandValue(right, facts)];
  if (typeof one !== "number" || typeof other !== "number") return null;
  // How far `left` is above the border; below 0 it is under it.
  const above = one - other;
  switch (sign) {
    case "<":
    case "<=":
      return Math.max(0, wanted ? above : -above);
    case ">":
    case ">=":
      return Math.max(0, wanted ? -above : above);
    case "==":
    case "!=":
      return null;
  }
}
