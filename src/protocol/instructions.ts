import type { JsonRecord } from "../shared/json-value.ts";
import type { Dialect } from "./dialect.ts";
import { EDGES, type Edge } from "./dialects/issue-xml/edges.ts";
import { FORMS } from "./dialects/issue-xml/example.ts";
import { DIALECTS } from "./dialects/registry.ts";
import type { DialectName, Handoff } from "./handoff.ts";
import type { Field, RecordShape, Shape } from "./shape.ts";
import { printHandoff } from "./write-handoff.ts";

export interface InstructionOptions {
  /** The agent that writes. */
  readonly from?: string;
  /** The agent it writes to. */
  readonly to?: string;
}

/** What an agent is told so that its handoff is accepted; made from the shape it will be judged by. */
export function instructionsFor(name: DialectName, options: InstructionOptions = {}): string {
  const dialect = DIALECTS[name];
  const edges = name === "issue-xml" ? edgesFor(options) : [];
  return [
    `# How to hand over: ${dialect.title}`,
    "",
    `When your work ends, whatever its outcome, write a handoff. ${dialect.container}`,
    "Say only what is true: what you claim is checked. Leave no placeholder, and list nothing as a choice.",
    "",
    "## Fields",
    "",
    ...describeFields(dialect.shape, "", dialect),
    "",
    "## Rules",
    "",
    ...ruleLines(dialect, edges),
    "",
    "## Example",
    "",
    exampleOf(dialect, edges[0], options),
  ].join("\n");
}

function edgesFor(options: InstructionOptions): Edge[] {
  if (options.from === undefined && options.to === undefined) return [];
  return EDGES.filter(
    (edge) =>
      (options.from === undefined || edge.from === options.from) &&
      (options.to === undefined || edge.to === options.to),
  );
}

function ruleLines(dialect: Dialect, edges: readonly Edge[]): string[] {
  const described = new Set(EDGES.map((edge) => edge.rule));
  const wanted = new Set(edges.map((edge) => edge.rule));
  const shown = dialect.rules.filter(
    (rule) =>
      rule.severity !== "info" &&
      rule.kind !== "B" &&
      (wanted.size === 0 || !described.has(rule.id) || wanted.has(rule.id)),
  );
  return shown.map((rule) => `- ${rule.says} (${rule.id})`);
}

function describeFields(shape: RecordShape, indent: string, dialect: Dialect): string[] {
  return Object.entries(shape.fields)
    .filter(([key]) => !key.startsWith("#root") && key !== "carried")
    .filter(
      ([key]) =>
        dialect.name !== "issue-xml" ||
        indent !== "" ||
        !(key in (innerShape(dialect.shape.fields["data"]) ?? { fields: {} }).fields),
    )
    .flatMap(([key, field]) => [
      `${indent}- \`${key}\`${field.required ? "" : " (optional)"}: ${field.about}`,
      ...describeInner(field, indent, dialect),
    ]);
}

function describeInner(field: Field, indent: string, dialect: Dialect): string[] {
  const inner = innerShape(field);
  return inner === null ? [] : describeFields(inner, `${indent}  `, dialect);
}

function innerShape(field: Field | undefined): RecordShape | null {
  let shape: Shape | undefined = field?.shape;
  while (shape?.kind === "list" || shape?.kind === "nullable") shape = shape.kind === "list" ? shape.item : shape.of;
  return shape?.kind === "record" ? shape : null;
}

function exampleOf(dialect: Dialect, edge: Edge | undefined, options: InstructionOptions): string {
  const document =
    edge === undefined || edge.rule === "001-R14"
      ? dialect.example
      : removeAbsent({ ...dialect.example, ...FORMS[edge.rule] });
  const named = edge === undefined ? withNames(document, dialect, options) : document;
  const handoff: Handoff = { dialect: dialect.name, outcome: "done" };
  return printHandoff(named, dialect, handoff);
}

function removeAbsent(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter((entry) => entry[1] !== undefined));
}

/** The example with the asked agents in it, written as the dialect writes names. */
function withNames(document: JsonRecord, dialect: Dialect, { from, to }: InstructionOptions): JsonRecord {
  if (from === undefined && to === undefined) return document;
  const handoff: Handoff = { dialect: dialect.name, ...dialect.lift(document, {}) };
  return dialect.lower(
    { ...handoff, ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
    { told: () => undefined },
  );
}
