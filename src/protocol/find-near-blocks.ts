import { type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";
import { nearestWord } from "../shared/nearest-word.ts";
import { type Block, MAX_MARKS } from "./block.ts";
import type { Dialect, Origin } from "./dialect.ts";
import { type Formats, NO_FORMATS } from "./dialects/registry.ts";
import { isSchema } from "./document-kind.ts";
import type { Found } from "./find-blocks.ts";
import { keysAtRoot } from "./format-file/key-at-root.ts";
import { findElements } from "./find-elements.ts";
import { type OwnOptions, fencedOwn, mayHold, sectionBlock, sectionsOf, wholeBlock } from "./find-own-blocks.ts";
import type { Limits } from "./limits.ts";
import { mayBeOfShape } from "./near-names.ts";
import type { RecordShape } from "./shape.ts";
import { scanMarkdown } from "./syntax/markdown-blocks.ts";
import { parseBlock } from "./syntax/parse-block.ts";

/**
 * In a text without any handoff: what is meant to be a format of the team's own, and lacks the key, element or heading
 * by which it is recognised. It is read as that format, with an error, for else a slip of the pen would make it vanish.
 */
export function withNearBlocks(text: string, found: Found, options: OwnOptions, limits: Limits): Found {
  const { formats, dialect, path, agents } = options;
  if (found.crowded === true || found.blocks.some(({ container }) => container !== "legacy")) return found;
  const origin: Origin = { ...(path !== undefined && { path }), ...(agents !== undefined && { agents }) };
  for (const format of formats) {
    if (dialect !== undefined && dialect !== format.name) continue;
    const blocks =
      format.syntax === "xml" ? nearElements(text, format, origin) : nearDocuments(text, found, format, origin, limits);
    if (blocks.length > 0) return { ...found, blocks };
  }
  return found;
}

/** An element that begins a line, and whose name is nearly that of the format. */
function nearElements(text: string, { name, stands, shape }: Dialect, origin: Origin): Block[] {
  const element = stands?.element ?? null;
  if (element === null) return [];
  const roots = [...text.matchAll(/^\uFEFF?[ \t]*<([A-Za-z_][\w.-]{0,63})(?=[\s/>])/gm)].map(([, root = ""]) => root);
  // The first one is the root; in running text others may stand before it.
  const near = [...new Set(roots.slice(0, MAX_ROOTS))].find((root) => isNear(root, element) && !FIVE.has(root));
  if (near === undefined) return [];
  const lacks = {
    message: `The element <${near}> is not <${element}>, by which ${name} is recognised.`,
    hint: `Call the element <${element}>; upper and lower case count.`,
    fields: ["#root"],
  };
  return findElements(text, origin, { names: [near], dialect: name }).flatMap((block) =>
    hasFieldOf(text.slice(block.start, block.end), shape) ? [{ ...block, lacks }] : [],
  );
}

/** An attribute or element of the format: `<Note>` in a page is something else than a `<note>` that hands over. */
function hasFieldOf(element: string, { fields }: RecordShape): boolean {
  return Object.keys(fields).some((name) => {
    if (name.startsWith("#") || name === "carried") return false;
    const start = name.startsWith("@") ? ` ${name.slice(1)}=` : `<${name}`;
    const at = element.indexOf(start);
    return at > 0 && (name.startsWith("@") || /^[\s/>]/.test(element.slice(at + start.length)));
  });
}

const MAX_ROOTS = 20;
const FIVE: ReadonlySet<string> = new Set(["handoff", "workflow-complete"]);

function isNear(name: string, wanted: string): boolean {
  return name !== wanted && nearestWord(name, [wanted]) !== null;
}

/** The whole text, or what stands in a fence or below the heading of the format. */
function nearDocuments(text: string, { kind }: Found, format: Dialect, origin: Origin, limits: Limits): Block[] {
  const { stands, syntax } = format;
  if (stands === undefined || (stands.keys.length === 0 && stands.heading === null) || !mentions(text, format))
    return [];
  const isWhole = kind === syntax || (kind === "json" && syntax === "yaml");
  const candidates = isWhole ? [wholeBlock(text, format, origin)] : blocksIn(text, format, origin);
  return candidates.flatMap((block): Block[] => {
    const content = text.slice(block.start, block.end);
    const document = isSchema(content) ? null : documentIn(content, format, limits);
    if (!isRecord(document)) return [];
    const lacks = lackOf(document, text, format, isWhole);
    return lacks === null ? [] : [{ ...block, lacks }];
  });
}

/** The document; of a text that cannot be parsed, its keys. */
function documentIn(content: string, format: Dialect, limits: Limits): unknown {
  const parsed = parseBlock(content, format, limits);
  if (parsed !== null) return parsed.document;
  return Object.fromEntries(keysAtRoot(content, format.syntax).map((key) => [key, null]));
}

/** Spares most texts the parsing. */
function mentions(text: string, { shape }: Dialect): boolean {
  return Object.keys(shape.fields).filter((name) => text.includes(name)).length >= 2;
}

function blocksIn(text: string, format: Dialect, origin: Origin): Block[] {
  const outline = scanMarkdown(text, MAX_MARKS);
  const fences = outline.fences.filter((fence) => mayHold(fence, format));
  const sections = format.syntax === "yaml" ? sectionsOf(text, outline, format.stands?.heading ?? null) : [];
  return [
    ...fences.map((fence) => fencedOwn(fence, format, origin)),
    ...sections.map((section) => sectionBlock(section, format, origin)),
  ];
}

/** What a document lacks that is meant to be this format; null when it is something else. */
function lackOf(document: JsonRecord, text: string, format: Dialect, isWhole: boolean): Lack | null {
  const { name, stands } = format;
  const { keys, heading } = stands ?? { keys: [], heading: null };
  const lacking = keys.filter((key) => !Object.hasOwn(document, key));
  const unknown = Object.keys(document).filter((key) => !Object.hasOwn(format.shape.fields, key));
  const near = lacking.map((key) =>
    nearestWord(
      key,
      unknown.filter((other) => isForField(document[other], key, format)),
    ),
  );
  const isMisspelt = lacking.length > 0 && near.every((key) => key !== null);
  if (!isMostly(document, format, isMisspelt ? lacking.length : 0)) return null;
  if (lacking.length > 0) {
    const meant = near.flatMap((key, index) => (key === null ? [] : [`\`${key}\` is near to \`${lacking[index]}\`.`]));
    return {
      message: `Most fields are those of ${name}, but ${quoted(lacking)}, by which it is recognised, is missing.`,
      hint: meant.length > 0 ? meant.join(" ") : `Add ${quoted(lacking)}, or keep the fields of ${name} out of it.`,
      fields: lacking,
      ...onlyNear(near, lacking),
    };
  }
  if (isWhole || heading === null) return null;
  const titles = scanMarkdown(text, MAX_MARKS).headings.map(({ text: title }) => title.trim());
  const title = nearestWord(heading, titles);
  return {
    message: `Most fields are those of ${name}, but the heading \`${heading}\`, by which it is recognised, is not above it.`,
    hint: title === null ? `Put the block below a heading \`${heading}\`.` : `\`${title}\` is near to \`${heading}\`.`,
  };
}

/** What can be renamed: one key that is near to the only one that is lacking. */
function onlyNear(near: readonly (string | null)[], [name, ...others]: readonly string[]): Pick<Lack, "near"> {
  const [key = null] = near;
  return key === null || name === undefined || others.length > 0 ? {} : { near: { key, name } };
}

type Lack = NonNullable<Block["lacks"]>;

/** `agents: [a, b]` is no misspelled `agent`. */
function isForField(value: JsonValue | undefined, key: string, { shape }: Dialect): boolean {
  const field = shape.fields[key];
  return field === undefined || mayBeOfShape(value, field.shape);
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(" and ");
}

/** Most of its keys are fields of the format, and most of what the format demands is there. */
function isMostly(document: JsonRecord, { shape }: Dialect, misspelt: number): boolean {
  const keys = Object.keys(document);
  const known = keys.filter((key) => Object.hasOwn(shape.fields, key));
  const required = Object.keys(shape.fields).filter((name) => shape.fields[name]?.required === true);
  const met = required.filter((name) => Object.hasOwn(document, name));
  if (known.length < (misspelt > 0 ? 2 : 3)) return false;
  return (known.length + misspelt) * 3 >= keys.length * 2 && (met.length + misspelt) * 3 >= required.length * 2;
}

/** Prose where a format of the team's own has its handoff. */
export function ownProse(text: string, formats: Formats = NO_FORMATS): OwnProse | null {
  const headed = formats.filter(({ stands }) => (stands?.heading ?? null) !== null);
  if (headed.length === 0) return null;
  const outline = scanMarkdown(text, MAX_MARKS);
  for (const { name, stands } of headed)
    for (const { start, end } of sectionsOf(text, outline, stands?.heading ?? null))
      if (/[\p{L}\p{N}]/u.test(text.slice(start, end))) return { name, heading: stands?.heading ?? "", start };
  return null;
}

interface OwnProse {
  readonly name: string;
  readonly heading: string;
  readonly start: number;
}
