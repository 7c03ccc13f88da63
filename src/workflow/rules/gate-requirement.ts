import type { Figures } from "../../evidence/sightings.ts";
import { type Condition, holds } from "../condition.ts";
import type { GateDefinition } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { factsOf } from "./facts.ts";
import type { Turn } from "./turn.ts";

/** What a gate requires and does not find, in a sentence; null when it is known to hold. What is not known does not hold. */
export function unmetRequirement(
  draft: Draft,
  task: string,
  { require }: GateDefinition,
  figures: Figures | null,
): string | null {
  if (require === null) return null;
  const state = draft.task(task);
  const facts = factsOf(draft.state, state, draft.handoff(task), draft.agent(draft.step(task).agent).loop, figures);
  if (holds(require.condition, facts)) return null;
  const seen = namesIn(require.condition).map((name) => `${name} is ${String(facts(name) ?? "not known")}`);
  return `it requires ${require.text}, but ${seen.join(", ")}`;
}

function namesIn(condition: Condition): string[] {
  switch (condition.kind) {
    case "not":
      return namesIn(condition.of);
    case "and":
    case "or":
      return [...new Set([...namesIn(condition.left), ...namesIn(condition.right)])];
    case "in":
      return condition.left.kind === "name" ? [condition.left.name] : [];
    case "value":
      return condition.of.kind === "name" ? [condition.of.name] : [];
    case "compare":
      return [condition.left, condition.right].flatMap((operand) => (operand.kind === "name" ? [operand.name] : []));
  }
}

export interface GateEnd {
  readonly message: string;
  readonly output: string;
  readonly milliseconds: number;
  /** What the author of the work should know besides. */
  readonly details?: readonly string[];
}

export function failGate(draft: Draft, task: string, gate: GateDefinition, end: GateEnd): Turn {
  const { message, output, milliseconds, details = [] } = end;
  draft.record({ kind: "gate-failed", task, gate: gate.name, message, output, milliseconds });
  const occasion = {
    why: `Gate ${gate.name} failed: ${message}`,
    details: output === "" ? details : [...details, output],
    isGate: true,
  };
  return { do: "act", action: gate.failed, occasion };
}
