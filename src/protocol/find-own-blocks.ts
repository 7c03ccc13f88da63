import { fitsFileName } from "./file-name-pattern.ts";
import { isRecord } from "../shared/json-value.ts";
import { type Block, MAX_BLOCKS, MAX_MARKS } from "./block.ts";
import type { Dialect, Origin } from "./dialect.ts";
import type { Formats } from "./dialects/registry.ts";
import { isSchema } from "./document-kind.ts";
import type { Found } from "./find-blocks.ts";
import { findElements } from "./find-elements.ts";
import type { DialectName } from "./handoff-words.ts";
import type { Limits } from "./limits.ts";
import type { ReadOptions } from "./reading.ts";
import { looksLikeJson } from "./recognise.ts";
import { scanMarkdown } from "./syntax/markdown-blocks.ts";
import type { FencedBlock, MarkdownOutline } from "./syntax/markdown-outline.ts";
import { parseBlock } from "./syntax/parse-block.ts";

export type OwnOptions = ReadOptions & { readonly formats: Formats };

/** Adds the blocks of formats that are not among the five. Where two formats fit one stretch of text, one is chosen. */
export function withOwnBlocks(text: string, found: Found, options: OwnOptions, limits: Limits): Found {
  const wanted = options.formats.filter(({ name }) => options.dialect === undefined || options.dialect === name);
  const own = wanted.flatMap((format) => ownBlocks(text, format, options));
  if (own.length === 0) return found;
  const rivals = new Map<Block, DialectName>();
  let kept: Block[] = [...found.blocks];
  for (const block of own) {
    const others = kept.filter((other) => other.start < block.end && block.start < other.end);
    const choice = others.length === 0 ? "own" : choose(text, block, others, options, limits);
    if (choice === "other") continue;
    kept = [...kept.filter((other) => !others.includes(other)), block];
    const [rival] = others.filter(({ container }) => container !== "legacy");
    if (choice === "told" && rival !== undefined) rivals.set(block, rival.dialect);
  }
  kept.sort((left, right) => left.start - right.start);
  return { ...found, kind: kindWith(kept, found, options.formats), blocks: kept, ...(rivals.size > 0 && { rivals }) };
}

/** A text that is one document of a format is in its syntax. */
function kindWith([first, ...others]: readonly Block[], { kind }: Found, formats: Formats): Found["kind"] {
  const isWhole = first?.container === "file" && others.length === 0;
  return (isWhole ? formats.find(({ name }) => name === first.dialect)?.syntax : undefined) ?? kind;
}

/** Which of two formats a block is in: what the caller prefers, what `when` of the file says, or else it is told. */
function choose(
  text: string,
  block: Block,
  others: readonly Block[],
  { formats, prefer }: OwnOptions,
  limits: Limits,
): "own" | "other" | "told" {
  if (others.every(({ container }) => container === "legacy") || block.dialect === prefer) return "own";
  if (others.some(({ dialect }) => dialect === prefer)) return "other";
  const decided = decide(text, block, formats, limits);
  if (decided !== undefined) return decided ? "own" : "other";
  // Of two formats of the team the first stays, unless the other one is decided for.
  const isOwn = others.some(({ dialect }) => formats.some(({ name }) => name === dialect));
  return isOwn && others.some((other) => decide(text, other, formats, limits) === true) ? "other" : "told";
}

function decide(text: string, block: Block, formats: Formats, limits: Limits): boolean | undefined {
  const format = formats.find(({ name }) => name === block.dialect);
  if (format?.decides === undefined) return undefined;
  const document = parseBlock(text.slice(block.start, block.end), format, limits)?.document;
  return isRecord(document) ? format.decides(document) : undefined;
}

const BYTE_ORDER_MARK = 0xfeff;

function ownBlocks(text: string, format: Dialect, { path, agents, dialect }: OwnOptions): Block[] {
  const origin: Origin = { ...(path !== undefined && { path }), ...(agents !== undefined && { agents }) };
  const isForced = dialect === format.name;
  const isNamed = (format.stands?.files ?? []).some((pattern) => fitsFileName(path, pattern)) && !isSchema(text);
  if (format.syntax === "xml") return xmlBlocks(text, format, origin, isNamed);
  if (isNamed || isWholeFile(text, format, path, isForced)) return [wholeBlock(text, format, origin)];
  const outline = scanMarkdown(text, MAX_MARKS);
  return outline.whole ? blocksInMarkdown(text, outline, format, origin, isForced) : [];
}

function xmlBlocks(text: string, format: Dialect, origin: Origin, isNamed: boolean): Block[] {
  const element = format.stands?.element;
  const names = element === null || element === undefined ? [] : [element];
  const blocks = findElements(text, origin, { names, dialect: format.name });
  return blocks.length === 0 && isNamed ? [wholeBlock(text, format, origin)] : blocks;
}

function isMeant(text: string, format: Dialect): boolean {
  return format.isMeantBy?.(text) === true && !isSchema(text);
}

function isWholeFile(text: string, format: Dialect, path = "", isForced: boolean): boolean {
  const first = firstSign(text);
  const isJson = looksLikeJson(text, first);
  if (isJson !== (format.syntax === "json") && !(isJson && /\.ya?ml$/i.test(path))) return false;
  if (!isJson && !/\.ya?ml$/i.test(path) && !beginsWithField(text.slice(first, first + 2000), format)) return false;
  return isForced || isMeant(text, format);
}

/** The first line that counts is a field of the format. */
function beginsWithField(text: string, { shape }: Dialect): boolean {
  const line = /^(?:---[^\n]*\n)?(?:[ \t\r]*(?:#(?![# ])[^\n]*)?\n)*([^\n]{1,200})/.exec(text)?.[1] ?? "";
  const key = /^\s*(?:"([^"]+)"|'([^']+)'|([^\s"'#:{[][^:]{0,63}?))[ \t]*:(?:\s|$)/.exec(line);
  const name = key?.[1] ?? key?.[2] ?? key?.[3];
  return name !== undefined && Object.hasOwn(shape.fields, name);
}

function firstSign(text: string): number {
  let first = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  while (first < text.length && /\s/.test(text[first] ?? "")) first++;
  return first;
}

/** In YAML from the start of the line: the indentation of the first field must be that of the others. */
export function wholeBlock(text: string, { name, syntax }: Dialect, origin: Origin): Block {
  const first = firstSign(text);
  const start =
    syntax === "yaml"
      ? Math.max(text.lastIndexOf("\n", first) + 1, text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0)
      : first;
  return {
    dialect: name,
    start,
    end: text.length,
    container: "file",
    terminated: true,
    origin,
    containerEnd: text.length,
  };
}

function blocksInMarkdown(
  text: string,
  outline: MarkdownOutline,
  format: Dialect,
  origin: Origin,
  isForced: boolean,
): Block[] {
  const sections = sectionsOf(text, outline, format.stands?.heading ?? null);
  const blocks: Block[] = [];
  for (const fence of outline.fences) {
    if (blocks.length > MAX_BLOCKS) break;
    if (!mayHold(fence, format)) continue;
    const content = text.slice(fence.contentStart, fence.contentEnd);
    const isInSection = sections.some(({ start, end }) => fence.start >= start && fence.start < end);
    if (looksLikeJson(content, firstSign(content)) !== (format.syntax === "json")) continue;
    if (isForced || isInSection || isMeant(content, format)) blocks.push(fencedOwn(fence, format, origin));
  }
  return format.syntax === "yaml" ? [...blocks, ...bareOwn(text, sections, blocks, format, origin)] : blocks;
}

export function mayHold({ info, contentStart, contentEnd }: FencedBlock, { syntax }: Dialect): boolean {
  const languages =
    syntax === "json" ? /^(?:json|jsonc|json5|text|txt)?(?:[\s{]|$)/i : /^(?:yaml|yml|text|txt)?(?:[\s{]|$)/i;
  return contentEnd > contentStart && languages.test(info);
}

export function fencedOwn(fence: FencedBlock, { name }: Dialect, origin: Origin): Block {
  const { contentStart: start, contentEnd: end, terminated, end: containerEnd } = fence;
  return { dialect: name, start, end, container: "fence", terminated, origin, containerEnd };
}

interface Section {
  readonly start: number;
  readonly end: number;
}

/** The stretches below the headings of a format, each to the next heading of its level. */
export function sectionsOf(text: string, { headings }: MarkdownOutline, heading: string | null): Section[] {
  if (heading === null) return [];
  const wanted = heading.trim().toLowerCase();
  return headings.flatMap(({ text: title, level, end }, index) => {
    if (title.trim().replace(/:$/, "").toLowerCase() !== wanted) return [];
    const next = headings.slice(index + 1).find((other) => other.level <= level);
    return [{ start: end, end: next?.start ?? text.length }];
  });
}

/** A section without a fence is YAML when it begins with a field; anything else is prose. */
function bareOwn(
  text: string,
  sections: readonly Section[],
  blocks: readonly Block[],
  format: Dialect,
  origin: Origin,
): Block[] {
  return sections.flatMap(({ start, end }): Block[] => {
    if (blocks.some((block) => block.start >= start && block.start < end)) return [];
    if (!beginsWithField(text.slice(start, end).trimStart(), format)) return [];
    return [sectionBlock({ start, end }, format, origin)];
  });
}

export function sectionBlock({ start, end }: Section, { name }: Dialect, origin: Origin): Block {
  return { dialect: name, start, end, container: "section", terminated: true, origin, containerEnd: end };
}
