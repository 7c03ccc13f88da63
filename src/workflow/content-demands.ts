import { fieldsFor } from "../protocol/field-places.ts";
import { type DialectName, handoffShape } from "../protocol/handoff.ts";
import { OUTCOMES } from "../protocol/handoff-words.ts";
import type { Shape } from "../protocol/shape.ts";
import { DIALECTS, type Formats, isBuiltin } from "../protocol/dialects/registry.ts";
import { formatsOf } from "./workflow-formats.ts";
import { visibleLine } from "../shared/envelope.ts";
import { type JsonPath, type JsonRecord, isRecord, ownValue, printPath, shown } from "../shared/json-value.ts";
import type { AgentDefinition, ContentRule, Workflow } from "./definition.ts";
import { leavesOf } from "./file/graph.ts";

/** One thing that `gives` or `needs` asks of a handoff. */
export interface ContentDemand {
  /** The part of the canonical handoff; the item of a list is its first one. */
  readonly part: JsonPath;
  /** Where the rule says so, from the rule on. */
  readonly place: JsonPath;
  /** `is there`, `at least 3`. */
  readonly says: string;
  /** The type that the rule asks for, if it does. */
  readonly type?: string;
}

/** Everything that a rule asks for, in the order of the rule. */
export function contentDemands(rule: ContentRule): ContentDemand[] {
  return [...demandsIn(rule, [], [], 0)];
}

const DEEPEST = 32;

function* demandsIn(rule: JsonRecord, part: JsonPath, place: JsonPath, depth: number): Iterable<ContentDemand> {
  if (depth > DEEPEST) return;
  if (part.length > 0) yield* ownDemands(rule, part, place);
  const { required, properties, items } = rule;
  if (Array.isArray(required))
    for (const [at, key] of required.entries())
      if (typeof key === "string")
        yield { part: [...part, key], place: [...place, "required", at], says: "must be there" };
  if (isRecord(properties))
    for (const [key, inner] of Object.entries(properties))
      if (isRecord(inner)) yield* demandsIn(inner, [...part, key], [...place, "properties", key], depth + 1);
  if (isRecord(items)) yield* demandsIn(items, [...part, 0], [...place, "items"], depth + 1);
}

function* ownDemands(rule: JsonRecord, part: JsonPath, place: JsonPath): Iterable<ContentDemand> {
  const { type } = rule;
  if (typeof type === "string")
    yield { part, place: [...place, "type"], says: `must be ${TYPE_WORDS[type] ?? type}`, type };
  for (const [key, says] of Object.entries(BOUNDS)) {
    const bound = rule[key];
    if (bound !== undefined) yield { part, place: [...place, key], says: says(shown(bound)) };
  }
  const choices = rule["enum"];
  if (Array.isArray(choices))
    yield { part, place: [...place, "enum"], says: `must be one of ${choices.map(shown).join(", ")}` };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  object: "a record",
  array: "a list",
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

const BOUNDS: Readonly<Record<string, (bound: string) => string>> = {
  const: (bound) => `must be ${bound}`,
  minimum: (bound) => `must be at least ${bound}`,
  maximum: (bound) => `must be at most ${bound}`,
  minLength: (bound) => `must have at least ${bound} characters`,
  minItems: (bound) => `must have at least ${bound} entries`,
};

/** The shape of a part of the canonical handoff; null where it has none, `anything` where any key may stand. */
export function canonicalShapeOf(part: JsonPath): Shape | null {
  let shape: Shape = handoffShape;
  let isOpen = false;
  for (const step of part) {
    const inner: Shape | null = innerOf(shape, step);
    if (inner === null) return isOpen ? { kind: "anything" } : null;
    // Items of lists keep keys that nothing names.
    isOpen = shape.kind === "list" || inner.kind === "anything";
    shape = inner;
  }
  return shape;
}

function innerOf(outer: Shape, step: string | number): Shape | null {
  const shape = outer.kind === "nullable" ? outer.of : outer;
  if (shape.kind === "record") return ownValue(shape.fields, String(step))?.shape ?? null;
  if (shape.kind === "list") return typeof step === "number" ? shape.item : null;
  if (shape.kind === "map") return shape.values;
  return shape.kind === "anything" ? shape : null;
}

/** What the workflow asks of the handoffs of an agent, in the words of its format: for its prompt. */
export function demandLines(workflow: Workflow, agent: AgentDefinition): string[] {
  const { dialect } = agent;
  const formats = formatsOf(workflow);
  const given = OUTCOMES.flatMap((outcome) => {
    // Words of a file of the repository stand in its envelope only.
    const word = isBuiltin(dialect) ? DIALECTS[dialect].words[outcome] : outcome;
    return linesFor(`In a handoff with the outcome ${word}:`, agent.gives[outcome] ?? null, dialect, formats);
  });
  const needed = forwardTargets(agent).flatMap((name) => {
    const needs = ownValue(workflow.agents, name)?.needs ?? null;
    return linesFor(`In a handoff that goes to ${name}:`, needs, dialect, formats);
  });
  return [...given, ...needed];
}

/** Agents that its handoffs go forward to: what `needs` says is not asked of a loop or a return. */
export function forwardTargets({ routes }: AgentDefinition): string[] {
  const leaves = Object.values(routes).flatMap((list) => list.flatMap(({ action }) => leavesOf(action, [])));
  return [...new Set(leaves.flatMap(({ kind, to }) => (to !== null && kind !== "loop" ? [to] : [])))];
}

function linesFor(heading: string, rule: ContentRule | null, dialect: DialectName, formats: Formats): string[] {
  const demands = rule === null ? [] : contentDemands(rule);
  if (demands.length === 0) return [];
  return [heading, ...demands.map(({ part, says }) => `- ${partWords(part, dialect, formats)} ${visibleLine(says)}`)];
}

/** A part as the format calls it: `data.pr_url`. */
function partWords(part: JsonPath, dialect: DialectName, formats: Formats): string {
  const canonical = `\`${visibleLine(printPath(part))}\``;
  const fields = fieldsFor(part, dialect, formats);
  if (fields === null) return `${canonical} (your format has no field for it)`;
  if (fields.length === 0) return canonical;
  const listed = fields.map((field) => `\`${visibleLine(field)}\``);
  return listed.length === 1 ? (listed[0] ?? canonical) : `one of ${listed.join(", ")}`;
}
