import { printable } from "../../shared/printable.ts";
import type { Condition, Literal, Operand } from "../condition.ts";
import type { Action, Route } from "../definition.ts";

/** An action in a line. Loops are marked: they are the only way back. */
export function describeAction(action: Action): string {
  switch (action.kind) {
    case "go":
      return `-> ${printable(action.to)}`;
    case "loop":
      return `<= loop to ${printable(action.to)}`;
    case "retry":
      return `retry ${action.most}, then ${bare(action.then)}`;
    case "choose":
      return `-> one of ${action.from.map(printable).join(", ")}; otherwise ${bare(action.otherwise)}`;
    case "return":
      return "-> return to who delegated";
    default:
      return `-> ${action.kind}`;
  }
}

function bare(action: Action): string {
  return describeAction(action).replace(/^-> /, "");
}

export function describeRoute({ when, action }: Route): string {
  const described = describeAction(action);
  return when === null ? described : `${described}  if ${printCondition(when)}`;
}

/** As it would be written in a file, with no more brackets than needed. */
export function printCondition(condition: Condition): string {
  switch (condition.kind) {
    case "or":
      return `${printCondition(condition.left)} or ${bracketed(condition.right, ["or"])}`;
    case "and":
      return `${bracketed(condition.left, ["or"])} and ${bracketed(condition.right, ["or", "and"])}`;
    case "not":
      return `not ${bracketed(condition.of, ["or", "and"])}`;
    case "compare":
      return `${printOperand(condition.left)} ${condition.sign} ${printOperand(condition.right)}`;
    case "in":
      return `${printOperand(condition.left)} in [${condition.list.map(printLiteral).join(", ")}]`;
    case "value":
      return printOperand(condition.of);
  }
}

function bracketed(condition: Condition, kinds: readonly Condition["kind"][]): string {
  const printed = printCondition(condition);
  return kinds.includes(condition.kind) ? `(${printed})` : printed;
}

function printOperand(operand: Operand): string {
  return operand.kind === "name" ? printable(operand.name) : printLiteral(operand.value);
}

/** The grammar has no escapes: a text holds one kind of quote at most. */
function printLiteral(value: Literal): string {
  if (typeof value !== "string") return String(value);
  return value.includes("'") ? `"${printable(value)}"` : `'${printable(value)}'`;
}
