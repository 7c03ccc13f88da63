import { type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";
import type { Dialect, HandoffPlace } from "./dialect.ts";
import { EDGES, type RoleEdge, edgesBetween } from "./dialects/issue-xml/edges.ts";
import { FORMS, GENERAL_FORM } from "./dialects/issue-xml/example.ts";
import { DIALECTS, type Formats, dialectNamed, isBuiltin } from "./dialects/registry.ts";
import { changeExample } from "./dialects/render-sample.ts";
import type { DialectName, Handoff } from "./handoff.ts";
import { type TaughtOutcome, asksForFixes, exampleFor, formOf, lessonsOf } from "./outcome-examples.ts";
import type { Field, RecordShape, Shape } from "./shape.ts";
import { printFence } from "./syntax/markdown-outline.ts";
import { valueForm } from "./value-form.ts";

export interface InstructionOptions {
  /** The agent that writes. */
  readonly from?: string;
  /** The agent it writes to. */
  readonly to?: string;
  /** Formats beside the five. */
  readonly formats?: Formats;
  /** How its work ended: the example shows that case, and the others are not told. */
  readonly outcome?: TaughtOutcome;
  /** They are agents of a workflow, and the instructions are for a run of it: their names are written as they are. */
  readonly inRun?: boolean;
  /** Where the workflow has the handoff read: a file, or null for the last message. Formats beside the five follow it. */
  readonly file?: string | null;
}

/** Instructions by which an agent writes a handoff that is accepted; made from the shape that it is checked by. */
export function instructionsFor(name: DialectName, options: InstructionOptions = {}): string {
  // A name says nothing about which format of several repositories it is.
  if (!isBuiltin(name)) return makeInstructions(name, options);
  const key = JSON.stringify([name, options.from, options.to, options.inRun, options.outcome]);
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
  const dialect = dialectNamed(name, options.formats);
  const place = placeFor(dialect, options);
  const edges = name === "issue-xml" ? edgesFor(options) : [];
  const wanted = { dialect, payload: new Set(edges.flatMap((edge) => edge.required)) };
  const rules = ruleLines(dialect, edges);
  return [
    "# How to hand over",
    "",
    `When your work ends, whatever its outcome, write a handoff. ${place?.says ?? dialect.container}`,
    "Say only what is true: it is checked. No placeholders.",
    "",
    "## Fields (with ?: may be left out)",
    "",
    ...describeFields(rootShape(dialect), wanted),
    ...(dialect.shape.isClosed === true ? ["- No other keys."] : []),
    "",
    ...(rules.length === 0 ? [] : ["## Rules", "", ...rules, ""]),
    ...(options.outcome === undefined ? outcomeLines(dialect, edges, options) : []),
    "## Example",
    "",
    exampleOf(dialect, edges, options),
  ].join("\n");
}

function placeFor(dialect: Dialect, { file }: InstructionOptions): HandoffPlace | undefined {
  return file === undefined ? undefined : dialect.placeIn?.(file);
}

/** What stands in the document, without a key that only holds the rest. */
function rootShape({ shape, mark }: Dialect): RecordShape {
  const only = Object.keys(shape.fields).length === 1 ? innerShape(shape.fields[mark ?? ""]) : null;
  return only ?? shape;
}

function edgesFor({ from, to }: InstructionOptions): readonly RoleEdge[] {
  return from === undefined && to === undefined ? [] : edgesBetween(from, to);
}

/** What neither the fields nor the outcomes say. The form of a handover that was asked for stands in its fields. */
function ruleLines(dialect: Dialect, edges: readonly RoleEdge[]): string[] {
  // Of a format of the team's own, the fields say what they ask for; its rules are between them.
  if (dialect.ownRules !== undefined) return dialect.ownRules.map((rule) => `- ${rule.says} (${rule.id})`);
  const described = new Set(EDGES.map((edge) => edge.rule));
  const shown = dialect.rules.filter(
    (rule) =>
      rule.wrong !== undefined &&
      rule.severity !== "info" &&
      "CIE".includes(rule.kind) &&
      rule.check !== undefined &&
      !TOLD_OTHERWISE.has(rule.id) &&
      !described.has(rule.id),
  );
  const forms = dialect.name === "issue-xml" && edges.length === 0 ? EDGES.map(formLine) : [];
  return [...forms, ...shown.map((rule) => `- ${rule.says}`)];
}

/** Who hands over what to whom; the envelope is always there. */
function formLine({ from, to, required, fixed = {} }: RoleEdge): string {
  const payload = required.filter((key) => !["issue_number", "pr_number", "summary", "status"].includes(key));
  const fields = payload.map((key) => `\`${key}\`${fixed[key] === undefined ? "" : ` ${fixed[key]}`}`);
  const status = fixed["status"] === undefined ? [] : [`\`status\` ${fixed["status"]}`];
  const ends = from === undefined ? "`<workflow-complete>`" : `${from} to ${to ?? ""}`;
  return `- ${ends}: ${[...fields, ...status].join(", ")}.`;
}

/** Rules that the fields or the outcomes tell in other words. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set([
  "000-R10",
  "000-R11",
  "000-R12",
  "000-R13",
  "001-R07",
  "001-R19",
  "001-R20",
  "001-R21",
  "001-R24",
  "002-R21",
  "003-R04",
  "003-R13",
  "003-R14",
  "003-R15",
  "003-R16",
  "004-R10",
  "004-R11",
  "004-R22",
  "004-R23",
  "004-R27",
]);

function outcomeLines(dialect: Dialect, edges: readonly RoleEdge[], { from }: InstructionOptions): string[] {
  const lessons = Object.entries(lessonsOf(dialect.name)).filter(
    ([outcome]) => dialect.name !== "issue-xml" || from === undefined || mayEndSo(outcome, edges, from),
  );
  if (lessons.length === 0) return [];
  return ["## Outcomes", "", ...lessons.map(([, { says }]) => `- ${says}`), ""];
}

/** An agent of issue-xml is told only what it can come to, beyond what the example shows. */
function mayEndSo(outcome: string, edges: readonly RoleEdge[], from: string): boolean {
  if (outcome === "final") return from === "closer-agent";
  if (outcome === "skipped") return edges.length === 0 || from === "fixer-agent";
  return outcome !== "needs-fixes" || edges.length === 0 || (edges.length > 1 && edges.some(asksForFixes));
}

interface Wanted {
  readonly dialect: Dialect;
  /** Payload fields of the asked edges; empty when all are wanted. */
  readonly payload: ReadonlySet<string>;
}

function describeFields(shape: RecordShape, wanted: Wanted, depth = 0): string[] {
  return Object.entries(shape.fields)
    .filter(([key]) => isShown(key, depth, wanted))
    .flatMap(([key, field]) => {
      const line = `${"  ".repeat(depth)}- ${describeField(key, field, wanted)}`;
      const inner = innerShape(field);
      if (inner === null) return [line];
      const isDeep = Object.values(inner.fields).some((one) => innerShape(one) !== null);
      if (isDeep) return [line, ...describeFields(inner, wanted, depth + 1)];
      const items = Object.entries(inner.fields)
        .filter(([name, one]) => name !== "id" || one.required || wanted.dialect.ownRules !== undefined)
        .map(([name, one]) => withoutStop(describeField(name, one, wanted)));
      return [`${withoutStop(line)}: ${items.join("; ")}.`];
    });
}

function describeField(key: string, field: Field, { dialect, payload }: Wanted): string {
  const demanded = field.required || (dialect.demanded ?? []).includes(key) || payload.has(key);
  // The sentences of the five formats say it themselves.
  const form = dialect.ownRules === undefined ? null : valueForm(field.shape, field.about);
  const label = `${fieldLabel(key)}${demanded ? "" : "?"}${form === null ? "" : ` (${form})`}`;
  return `${label}: ${field.about}${itemElement(field)}`;
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

/** The payload of issue-xml may stand below the root too; it is described once, inside `data`. */
function isShown(key: string, depth: number, { dialect, payload }: Wanted): boolean {
  if (key === "#root" || key === "carried") return false;
  if (dialect.name !== "issue-xml" || depth > 1) return true;
  const isPayload = key in (innerShape(dialect.shape.fields["data"])?.fields ?? {});
  if (depth === 0) return !isPayload;
  return payload.size === 0 ? key !== "error" && !isPlain(dialect.shape.fields[key]) : payload.has(key);
}

/** A field of which the name says all: the forms of the handovers have it. What an error holds stands with its outcome. */
function isPlain(described: Field | undefined): boolean {
  const { shape } = described ?? {};
  return shape?.kind === "text" && shape.oneOf === undefined && shape.format?.name !== "percent";
}

function fieldLabel(key: string): string {
  if (key === "#text") return "text of the element";
  return key.startsWith("@") ? `attribute \`${key.slice(1)}\`` : `\`${key}\``;
}

/** In XML each item of a list is an element, which only the format names. */
function itemElement({ shape }: Field): string {
  return shape.kind === "list" && shape.element !== undefined ? ` Each in \`<${shape.element}>\`.` : "";
}

function innerShape(field: Field | undefined): RecordShape | null {
  let shape: Shape | undefined = field?.shape;
  while (shape?.kind === "list" || shape?.kind === "nullable") shape = shape.kind === "list" ? shape.item : shape.of;
  return shape?.kind === "record" ? shape : null;
}

function exampleOf(dialect: Dialect, edges: readonly RoleEdge[], options: InstructionOptions): string {
  const form = dialect.name === "issue-xml" ? issueExample(edges, options) : undefined;
  const document = form ?? exampleFor(dialect, options.outcome) ?? dialect.example;
  const named = form !== undefined && isOnDescribedEdge(form, edges) ? document : withNames(document, dialect, options);
  const block = dialect.syntax === "json" ? `${shortJson(named, "")}\n` : dialect.print(named);
  const isWholeFile = placeFor(dialect, options)?.isWholeFile === true;
  const wrapped = isWholeFile ? undefined : dialect.wrap?.(block, { dialect: dialect.name, outcome: "done" });
  return wrapped ?? printFence(dialect.syntax, block);
}

/** The form of the asked agents and outcome. */
function issueExample(edges: readonly RoleEdge[], { from, to, outcome }: InstructionOptions): JsonRecord | undefined {
  const isAsked = from !== undefined || to !== undefined;
  if (outcome !== undefined) return isAsked ? formBetween(from, to, outcome) : formWith(outcome, FORMS["001-R13"]);
  const [edge] = edges;
  return isAsked ? issueForm(edge === undefined ? GENERAL_FORM : (FORMS[edge.rule] ?? {})) : undefined;
}

function issueForm(form: JsonRecord): JsonRecord {
  return changeExample(DIALECTS["issue-xml"].example, form);
}

const ON_EDGES: ReadonlySet<TaughtOutcome> = new Set(["done", "done-with-warnings", "needs-fixes"]);

/** On a way that cannot ask for fixes, an error does. */
function formBetween(from: string | undefined, to: string | undefined, outcome: TaughtOutcome): JsonRecord {
  const form = ON_EDGES.has(outcome) ? formOf(from, to, outcome) : undefined;
  return form ?? formWith(outcome === "needs-fixes" ? "failed" : outcome);
}

function formWith(outcome: TaughtOutcome, done = GENERAL_FORM): JsonRecord {
  return exampleFor(DIALECTS["issue-xml"], outcome) ?? issueForm(done);
}

function isOnDescribedEdge(form: JsonRecord, edges: readonly RoleEdge[]): boolean {
  return (
    form["#root"] === "workflow-complete" || edges.some((edge) => edge.from === form["from"] && edge.to === form["to"])
  );
}

const MAX_LINE = 160;

/** JSON in which lists and records that fit stand in one line. */
function shortJson(value: JsonValue | undefined, indent: string): string {
  const plain = JSON.stringify(value ?? null, null, 1)
    .replaceAll(/(?<=[[{])\n\s*|\n\s*(?=[\]}])/g, "")
    .replaceAll(/\n\s*/g, " ");
  if (indent !== "" && plain.length + indent.length <= MAX_LINE) return plain;
  const deeper = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => deeper + shortJson(item, deeper)).join(",\n")}\n${indent}]`;
  if (!isRecord(value)) return plain;
  const lines = Object.entries(value).map(
    ([key, inner]) => `${deeper}${JSON.stringify(key)}: ${shortJson(inner, deeper)}`,
  );
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

/** The example with the asked agents in it, written as the dialect writes names. */
function withNames(document: JsonRecord, dialect: Dialect, { from, to, inRun }: InstructionOptions): JsonRecord {
  if (from === undefined && to === undefined) return document;
  const handoff = dialect.lift(document, {});
  const named = { ...handoff, ...(from !== undefined && { from }) };
  const filling = { filledIn: () => undefined, ...(inRun === true && { agents: [from ?? "", to ?? ""] }) };
  return dialect.lower(to === undefined || handoff.final === true ? named : addressedTo(to, named), filling);
}

function addressedTo(to: string, handoff: Handoff): Handoff {
  const { loop, ...routing } = handoff.routing ?? {};
  return loop?.required === true
    ? { ...handoff, to, routing: { ...routing, loop: { ...loop, target: to } } }
    : { ...handoff, to };
}
