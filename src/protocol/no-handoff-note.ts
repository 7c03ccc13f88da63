import type { LineTable } from "../shared/line-table.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { NO_FORMATS } from "./dialects/registry.ts";
import { isSchema } from "./document-kind.ts";
import type { DialectName } from "./handoff-words.ts";
import { type Found, proseSection } from "./find-blocks.ts";
import { ownProse } from "./find-near-blocks.ts";
import type { ReadOptions } from "./reading.ts";

type Note = Omit<Diagnostic, "range">;

/** Why a text holds no handoff, and how it would. */
export function noHandoffNote(text: string, found: Found, options: ReadOptions, table: LineTable): Diagnostic {
  const isOpen = found.kind === "markdown" && options.dialect === undefined;
  const own = isOpen ? ownProse(text, options.formats) : null;
  const prose = own ?? (isOpen ? proseSection(text) : null);
  if (prose === null) return { ...noHandoff(text, found, options), range: table.range(0, 1) };
  const start = prose.start + text.slice(prose.start).search(/\S/);
  return { ...(own === null ? FREEFORM : freeformOwn(own.name, own.heading)), range: table.range(start, start + 1) };
}

function freeformOwn(name: string, heading: string): Note {
  return {
    code: "no-handoff",
    rule: `${name}/syntax`,
    severity: "error",
    message: `The section below this \`${heading}\` heading is prose, so there is no ${name} handoff to check.`,
    hint: howToWrite(name),
    fix: null,
  };
}

/** What `baton migrate` writes is task-yaml: it helps who looks for that, or for any format. */
function howToWrite(dialect: DialectName | undefined): string {
  const instructions = `\`baton instructions ${dialect ?? "DIALECT"}\` prints how an agent writes one`;
  if (dialect !== undefined && dialect !== "task-yaml") return `${instructions}.`;
  return `${instructions}; \`baton migrate\` structures freeform notes.`;
}

/** Ruling 16. */
const FREEFORM: Note = {
  code: "no-handoff",
  rule: "003-R01",
  severity: "error",
  message: "The section below this `Handoff` heading is prose, so there is no handoff to check.",
  hint: "`baton migrate FILE` structures it. To write one by hand, see `baton instructions task-yaml`.",
  fix: null,
};

function noHandoff(text: string, found: Found, { dialect, formats = NO_FORMATS }: ReadOptions): Note {
  const own = formats.filter(({ name }) => dialect === undefined || dialect === name);
  const elements = own.flatMap(({ stands }) => (stands?.element ? [`<${stands.element}>`] : []));
  // An element is missed only by who looks for one.
  const kind =
    found.kind === "xml" && dialect !== undefined && dialect !== "issue-xml" && elements.length === 0
      ? "markdown"
      : found.kind;
  const isOwn = own.some(({ name }) => name === dialect);
  const wanted = [...(isOwn ? [] : ["<handoff>", "<workflow-complete>"]), ...elements].join(" or ");
  const rule = isOwn
    ? null
    : kind === "xml"
      ? "001-R01"
      : dialect === undefined && kind === "markdown"
        ? "002-R18"
        : null;
  const looked = dialect === undefined ? "" : ` in the dialect ${dialect}`;
  const what = {
    json: describeRecord(text, "JSON"),
    yaml: describeRecord(text, "YAML"),
    xml: `There is no ${wanted} element${rootElement(text)}`,
    markdown: "There is no handoff in this text",
  }[kind];
  const known = own
    .slice(0, MAX_NAMED)
    .map((format) => ` ${format.name}: ${format.container}`)
    .join("");
  return {
    code: "no-handoff",
    rule,
    severity: "error",
    message: `${what}${looked}.`,
    hint: `${howToWrite(dialect)}${known}`,
    fix: null,
  };
}

function describeRecord(text: string, syntax: "JSON" | "YAML"): string {
  if (isSchema(text)) return "This is a schema, which describes handoffs and is none";
  return `This ${syntax} has no field that only a handoff has, so its format is not known`;
}

/** In an XML text the element that was found instead. */
function rootElement(text: string): string {
  const name = /<([A-Za-z_][\w.:-]{0,60})[\s/>]/.exec(text.slice(0, MAX_HEAD))?.[1];
  return name === undefined ? "" : `: the root is <${name}>`;
}

const MAX_NAMED = 5;
const MAX_HEAD = 4000;
