import type { JsonRecord } from "../shared/json-value.ts";
import type { Dialect } from "./dialect.ts";
import { EDGES, type RoleEdge, edgesBetween } from "./dialects/issue-xml/edges.ts";
import { FORMS, GENERAL_FORM } from "./dialects/issue-xml/example.ts";
import { DIALECTS } from "./dialects/registry.ts";
import type { DialectName, Handoff } from "./handoff.ts";
import type { Field, RecordShape, Shape } from "./shape.ts";
import { printFence } from "./syntax/markdown-outline.ts";
import { printHandoff } from "./write-handoff.ts";
import { ensureDialect } from "./wrong-argument.ts";

export interface InstructionOptions {
  /** The agent that writes. */
  readonly from?: string;
  /** The agent it writes to. */
  readonly to?: string;
  /** They are agents of a workflow, and the instructions are for a run of it: their names are written as they are. */
  readonly inRun?: boolean;
}

/** Instructions by which an agent writes a handoff that is accepted; made from the shape that it is checked by. */
export function instructionsFor(name: DialectName, options: InstructionOptions = {}): string {
  const key = JSON.stringify([name, options.from, options.to, options.inRun]);
  const known = MADE.get(key);
  if (known !== undefined) return known;
  const made = makeInstructions(name, options);
  if (MADE.size >= MAX_KEPT) MADE.clear();
  MADE.set(key, made);
  return made;
}

/** Every prompt of an agent holds the same instructions, and they take 26 to 106 us to make. */
const MADE = new Map<string, string>();
const MAX_KEPT = 100;

function makeInstructions(name: DialectName, options: InstructionOptions): string {
  ensureDialect(name);
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
    ...describeFields(dialect.shape, "", { dialect, payload: new Set(edges.flatMap((edge) => edge.required)) }),
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

function edgesFor({ from, to }: InstructionOptions): readonly RoleEdge[] {
  return from === undefined && to === undefined ? [] : edgesBetween(from, to);
}

function ruleLines(dialect: Dialect, edges: readonly RoleEdge[]): string[] {
  const described = new Set(EDGES.map((edge) => edge.rule));
  const wanted = new Set(edges.map((edge) => edge.rule));
  const shown = dialect.rules.filter(
    (rule) =>
      rule.wrong !== undefined &&
      rule.severity !== "info" &&
      rule.kind !== "B" &&
      (wanted.size === 0 || !described.has(rule.id) || wanted.has(rule.id)),
  );
  return shown.map((rule) => `- ${rule.says} (${rule.id})`);
}

interface Wanted {
  readonly dialect: Dialect;
  /** Payload fields of the asked edges; empty when all are wanted. */
  readonly payload: ReadonlySet<string>;
}

function describeFields(shape: RecordShape, indent: string, wanted: Wanted): string[] {
  return Object.entries(shape.fields)
    .filter(([key]) => isShown(key, indent, wanted))
    .flatMap(([key, field]) => {
      const demanded = field.required || (wanted.dialect.demanded ?? []).includes(key) || wanted.payload.has(key);
      const line = `${indent}- ${fieldLabel(key)}${demanded ? "" : " (optional)"}: ${field.about}${itemElement(field)}`;
      const inner = innerShape(field);
      return inner === null ? [line] : [line, ...describeFields(inner, `${indent}  `, wanted)];
    });
}

/** The payload of issue-xml may stand below the root too; it is described once, inside `data`. */
function isShown(key: string, indent: string, { dialect, payload }: Wanted): boolean {
  if (key === "#root" || key === "carried") return false;
  if (dialect.name !== "issue-xml" || indent.length > 2) return true;
  const isPayload = key in (innerShape(dialect.shape.fields["data"])?.fields ?? {});
  if (indent === "") return !isPayload;
  return payload.size === 0 || payload.has(key) || !isPayload;
}

function fieldLabel(key: string): string {
  if (key === "#text") return "text of the element";
  return key.startsWith("@") ? `attribute \`${key.slice(1)}\`` : `\`${key}\``;
}

/** In XML each item of a list is an element, which only the format names. */
function itemElement({ shape }: Field): string {
  return shape.kind === "list" && shape.element !== undefined ? ` Each in an element \`<${shape.element}>\`.` : "";
}

function innerShape(field: Field | undefined): RecordShape | null {
  let shape: Shape | undefined = field?.shape;
  while (shape?.kind === "list" || shape?.kind === "nullable") shape = shape.kind === "list" ? shape.item : shape.of;
  return shape?.kind === "record" ? shape : null;
}

function exampleOf(dialect: Dialect, edge: RoleEdge | undefined, options: InstructionOptions): string {
  const form = edge === undefined ? undescribedForm(dialect, options) : FORMS[edge.rule];
  const document = form === undefined ? dialect.example : removeAbsent({ ...dialect.example, ...form });
  const named = edge === undefined ? withNames(document, dialect, options) : document;
  const handoff: Handoff = { dialect: dialect.name, outcome: "done" };
  const text = printHandoff(named, dialect, handoff);
  return dialect.wrap === undefined ? printFence(dialect.syntax, text) : text;
}

function undescribedForm(dialect: Dialect, { from, to }: InstructionOptions): JsonRecord | undefined {
  return dialect.name === "issue-xml" && (from !== undefined || to !== undefined) ? GENERAL_FORM : undefined;
}

function removeAbsent(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter((entry) => entry[1] !== undefined));
}

/** The example with the asked agents in it, written as the dialect writes names. */
function withNames(document: JsonRecord, dialect: Dialect, { from, to, inRun }: InstructionOptions): JsonRecord {
  if (from === undefined && to === undefined) return document;
  const handoff = dialect.lift(document, {});
  return dialect.lower(
    { ...handoff, ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
    { filledIn: () => undefined, ...(inRun === true && { agents: [from ?? "", to ?? ""] }) },
  );
}
