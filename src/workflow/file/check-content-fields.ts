import { fieldsFor } from "../../protocol/field-places.ts";
import { handoffShape } from "../../protocol/handoff.ts";
import { DIALECT_NAMES, OUTCOMES } from "../../protocol/handoff-words.ts";
import type { Formats } from "../../protocol/dialects/registry.ts";
import type { Shape } from "../../protocol/shape.ts";
import { type JsonPath, printPath } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { type ContentDemand, canonicalShapeOf, contentDemands, forwardTargets } from "../content-demands.ts";
import type { AgentDefinition, ContentRule, Workflow } from "../definition.ts";
import { formatsOf } from "../workflow-formats.ts";
import { type Problems, clipText } from "../../protocol/file-problems.ts";

/** `gives` and `needs` name fields that a handoff has, and that the format of its author can express. */
export function checkContentFields(workflow: Workflow, problems: Problems): void {
  const authors = authorsFor(workflow);
  const formats = formatsOf(workflow);
  for (const agent of Object.values(workflow.agents)) {
    const path: JsonPath = ["agents", agent.name];
    for (const outcome of OUTCOMES)
      checkRule(agent.gives[outcome] ?? null, [...path, "gives", outcome], [agent], formats, problems);
    checkRule(agent.needs, [...path, "needs"], authors.get(agent.name) ?? [], formats, problems);
  }
}

/** The agents whose handoffs go forward to an agent. */
function authorsFor({ agents }: Workflow): ReadonlyMap<string, readonly AgentDefinition[]> {
  const authors = new Map<string, AgentDefinition[]>();
  for (const agent of Object.values(agents))
    for (const to of forwardTargets(agent)) authors.set(to, [...(authors.get(to) ?? []), agent]);
  return authors;
}

function checkRule(
  rule: ContentRule | null,
  path: JsonPath,
  authors: readonly AgentDefinition[],
  formats: Formats,
  problems: Problems,
): void {
  if (rule === null || problems.hasErrorAbove(path)) return;
  const told = new Set<string>();
  for (const demand of contentDemands(rule)) {
    const place = [...path, ...demand.place];
    // What is wrong with a field is also wrong with everything in it.
    if (demand.part.some((_, at) => told.has(printPath(demand.part.slice(0, at + 1))))) continue;
    if (!checkDemand(demand, place, authors, formats, problems)) told.add(printPath(demand.part));
  }
}

function checkDemand(
  demand: ContentDemand,
  path: JsonPath,
  authors: readonly AgentDefinition[],
  formats: Formats,
  problems: Problems,
): boolean {
  const { part, type } = demand;
  const shape = canonicalShapeOf(part);
  if (
    shape === null &&
    [...DIALECT_NAMES, ...formats.map(({ name }) => name)].every((name) => fieldsFor(part, name, formats) === null)
  ) {
    unknownField(part, path, problems);
    return false;
  }
  if (type !== undefined && shape !== null && !mayBe(shape, type)) {
    problems.add({
      code: "inconsistent",
      path,
      message: `\`${printPath(part)}\` of a handoff is ${describe(shape)}, never of the type ${clipText(type)}.`,
      hint: "Ask for the type that it has, or for a field in it.",
    });
    return false;
  }
  return expressible(part, path, authors, formats, problems);
}

function unknownField(part: JsonPath, path: JsonPath, problems: Problems): void {
  const outer = part.length === 1 ? handoffShape : canonicalShapeOf(part.slice(0, -1));
  const names = outer?.kind === "record" ? Object.keys(outer.fields) : [];
  const meant = nearestWord(String(part.at(-1)), names);
  problems.add({
    code: "unknown-name",
    path,
    message: `A handoff has no field \`${clipText(printPath(part))}\`.`,
    hint: meant === null ? `There are ${names.slice(0, 30).join(", ")}.` : `Did you mean ${meant}?`,
  });
}

/** Parts that every format expresses by several fields together, or in its free space. */
const ALWAYS: ReadonlySet<string | number | undefined> = new Set([
  "final",
  "extensions",
  "spelling",
  "dialect",
  "from",
]);

function expressible(
  part: JsonPath,
  path: JsonPath,
  authors: readonly AgentDefinition[],
  formats: Formats,
  problems: Problems,
): boolean {
  const unable = authors.filter(({ dialect }) => !ALWAYS.has(part[0]) && fieldsFor(part, dialect, formats) === null);
  const [first] = unable;
  if (first === undefined) return true;
  const others = unable.length === 1 ? "" : ` (and ${unable.length - 1} more)`;
  problems.add({
    code: "inconsistent",
    severity: "warning",
    path,
    message: `\`${first.name}\`${others} writes ${first.dialect}, which has no field for \`${clipText(printPath(part))}\`.`,
    hint: "Ask for a field that the format has, or let the agent write another format.",
  });
  return false;
}

function mayBe(shape: Shape, type: string): boolean {
  if (shape.kind === "nullable") return type === "null" || mayBe(shape.of, type);
  return KIND_WORDS[shape.kind]?.types.includes(type) ?? true;
}

const A_RECORD = { words: "a record", types: ["object"] };
const KIND_WORDS: Readonly<Partial<Record<Shape["kind"], { readonly words: string; readonly types: string[] }>>> = {
  text: { words: "text", types: ["string"] },
  number: { words: "a number", types: ["number", "integer"] },
  boolean: { words: "true or false", types: ["boolean"] },
  list: { words: "a list", types: ["array"] },
  record: A_RECORD,
  map: A_RECORD,
};

function describe(shape: Shape): string {
  return shape.kind === "nullable" ? `${describe(shape.of)} or null` : (KIND_WORDS[shape.kind]?.words ?? "any value");
}
