import { type Interval, IntervalSet, lastStartingAt } from "../shared/line-table.ts";
import { type Block, MAX_BLOCKS, MAX_MARKS } from "./block.ts";
import { type DocumentKind, isSchema } from "./document-kind.ts";
import { findBareBlocks } from "./find-bare-blocks.ts";
import { findElements } from "./find-elements.ts";
import type { Origin, SyntaxName } from "./dialect.ts";
import { DIALECTS, isBuiltin } from "./dialects/registry.ts";
import type { DialectName } from "./handoff.ts";
import { isLegacySummary } from "./legacy-summary.ts";
import { isJsonName, isYamlFile, looksLikeJson, recognise, recogniseFileName } from "./recognise.ts";
import { parseJson } from "./syntax/json.ts";
import { recoverNestedFences, scanMarkdown } from "./syntax/markdown-blocks.ts";
import type { FencedBlock, Heading, MarkdownOutline } from "./syntax/markdown-outline.ts";

interface FindOptions {
  readonly path?: string;
  /** Read every candidate as this dialect. */
  readonly dialect?: DialectName;
  readonly agents?: readonly string[];
  /** The text was come upon in a folder. */
  readonly scan?: boolean;
}

/** What a text is as a whole, and the blocks of it that hold handoffs, in order. */
export interface Found {
  readonly kind: "json" | "yaml" | "xml" | "markdown";
  readonly blocks: readonly Block[];
  /** Of a Markdown text. */
  readonly headings?: readonly Heading[];
  /** Where a comment begins that holds a handoff, which does not count. */
  readonly commented?: number;
  /** In a scan: what the text is instead of a handoff. */
  readonly document?: DocumentKind;
  /** Another format that fits a block as well, when nothing decides between the two. */
  readonly rivals?: ReadonlyMap<Block, DialectName>;
  /** The text has so many headings, fences and separators that no block was looked for. */
  readonly crowded?: boolean;
}

export function findBlocks(text: string, options: FindOptions): Found {
  const first = firstCharacter(text);
  const origin = originFrom(options);
  if (looksLikeJson(text, first) || isLoneValue(text, first, options)) {
    const dialect = jsonDialect(text, options);
    // Braces are YAML too: in a file that is called so they may hold one of its dialects.
    if (dialect !== null || !isYamlFile(text, first, options))
      return { kind: "json", blocks: wholeFile(text, first, origin, dialect) };
  }
  const elements = elementsOfFile(text, first, options, origin);
  if (elements !== null)
    return {
      kind: "xml",
      blocks: keepDialect(elements, options.dialect),
      ...commentedHandoff(text, elements, options),
    };
  if (isYamlFile(text, first, options)) {
    // From the start of the line: in YAML the indentation of the first field must be that of the others.
    const start = Math.max(text.lastIndexOf("\n", first) + 1, text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0);
    return { kind: "yaml", blocks: wholeFile(text, start, origin, yamlDialect(text.slice(start), options)) };
  }
  const outline = scanMarkdown(text, MAX_MARKS);
  if (!outline.whole) return { kind: "markdown", blocks: [], crowded: true };
  const blocks = keepDialect(findInMarkdown(text, outline, origin, options), options.dialect);
  const { headings } = outline;
  return { kind: "markdown", blocks, headings, ...commentedHandoff(text, [...outline.fences, ...blocks], options) };
}

/** The first comment, outside of code and of handoffs, in which a handoff stands (ruling 33). */
function commentedHandoff(text: string, taken: readonly Interval[], options: FindOptions): Pick<Found, "commented"> {
  let start = text.indexOf("<!--");
  if (start === -1) return {};
  const inTaken = new IntervalSet(taken);
  for (let looked = 0; start !== -1 && looked < MAX_COMMENTS; looked++) {
    const found = text.indexOf("-->", start);
    const end = found === -1 ? text.length : found;
    const content = text.slice(start + "<!--".length, end);
    if (!inTaken.has(start) && /handoff|workflow-complete|outcome|_agent|skills_invoked|output_type/i.test(content)) {
      const { scan: _scan, path: _path, ...inner } = options;
      if (findBlocks(content.replaceAll("<!--", "    "), inner).blocks.length > 0) return { commented: start };
    }
    start = text.indexOf("<!--", end);
  }
  return {};
}

const MAX_COMMENTS = 50;

function originFrom({ path, agents }: FindOptions): Origin {
  if (path === undefined && agents === undefined) return NO_ORIGIN;
  return { ...(path !== undefined && { path }), ...(agents !== undefined && { agents }) };
}

/** A file that promises JSON and holds `null` or a text keeps its word: what it lacks is the record. */
function isLoneValue(text: string, first: number, { path = "" }: FindOptions): boolean {
  return isJsonName(path) && parseJson(text.slice(first)) !== null;
}

/**
 * The elements of an XML file, which is one by its name, by how it begins, or when it holds nothing but elements: other
 * blocks may stand beside them. Null when it is none.
 */
function elementsOfFile(text: string, first: number, { path = "" }: FindOptions, origin: Origin): Block[] | null {
  if (text[first] !== "<") return null;
  const beginning = text.slice(first, first + 20);
  const isXml = /\.xml$/i.test(path) || /^<(?:\?xml|!DOCTYPE)/i.test(beginning);
  if (!isXml && !/^<(?:handoff|workflow-complete)/i.test(beginning)) return null;
  const elements = findElements(text, origin);
  return isXml || areAll(text, elements) ? elements : null;
}

function areAll(text: string, elements: readonly Block[]): boolean {
  let end = 0;
  for (const element of elements) {
    if (end > 0 && text.slice(end, element.start).trim() !== "") return false;
    end = element.end;
  }
  return end === 0 || text.slice(end).trim() === "";
}

const NO_ORIGIN: Origin = {};
const BYTE_ORDER_MARK = 0xfeff;

function firstCharacter(text: string): number {
  let first = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  while (first < text.length && /\s/.test(text[first] ?? "")) first++;
  return first;
}

function jsonDialect(text: string, options: FindOptions): DialectName | null {
  if (options.dialect !== undefined) return forced(options.dialect, "json");
  const dialect = recogniseFileName(options.path) ?? recognise(text, "json");
  return dialect !== null && isSchema(text) ? null : dialect;
}

function yamlDialect(text: string, options: FindOptions): DialectName | null {
  return options.dialect === undefined ? recognise(text, "yaml") : forced(options.dialect, "yaml");
}

function wholeFile(text: string, start: number, origin: Origin, dialect: DialectName | null): Block[] {
  if (dialect === null) return [];
  return [{ dialect, start, end: text.length, container: "file", terminated: true, origin, containerEnd: text.length }];
}

function keepDialect(blocks: readonly Block[], dialect: DialectName | undefined): readonly Block[] {
  return dialect === undefined ? blocks : blocks.filter((block) => block.dialect === dialect);
}

function findInMarkdown(text: string, outline: MarkdownOutline, origin: Origin, options: FindOptions): Block[] {
  const placed = withTask(origin, outline);
  const sections = handoffSections(text, outline);
  const inSection = new IntervalSet(sections);
  const inComment = new IntervalSet(outline.comments);
  const fenced: Block[] = [];
  for (const outer of outline.fences) {
    if (fenced.length > MAX_BLOCKS) break;
    if (!MAY_HOLD_DATA.test(outer.info) || outer.contentEnd === outer.contentStart) continue;
    for (const fence of [outer, ...nestedIn(text, outer)])
      fenced.push(...fencedBlock(text, fence, outline, inSection, placed, options));
  }
  const inMarkdown = outermost(
    [...fenced, ...bareSections(text, sections, outline, placed)],
    findElements(text, placed).filter(({ start }) => !inComment.has(start)),
  );
  const unfenced = unfencedBlocks(text, outline, new IntervalSet([...outline.fences, ...inMarkdown]), placed);
  const blocks = withoutProse(text, [...inMarkdown, ...unfenced]);
  blocks.sort((left, right) => left.start - right.start);
  if (blocks.length === 0) blocks.push(...findBareBlocks(text, outline, placed));
  if (blocks.length === 0 && isLegacySummary(text, outline, options.scan === true)) {
    blocks.push({
      dialect: "phase-yaml",
      start: 0,
      end: text.length,
      container: "legacy",
      terminated: true,
      origin: placed,
      containerEnd: text.length,
    });
  }
  return blocks;
}

/** A tag in the text of a block, or a fence inside an element, belongs to what that handoff says. */
function outermost(blocks: readonly Block[], elements: readonly Block[]): Block[] {
  const inBlock = new IntervalSet(blocks);
  const inElement = new IntervalSet(elements.filter((element) => element.terminated));
  return [
    ...blocks.filter((block) => !inElement.has(block.start)),
    ...elements.filter((element) => !inBlock.has(element.start)),
  ];
}

/** A `## Handoff` section in plain words, in a text that has a real block, is part of the prose around it. */
function withoutProse(text: string, blocks: Block[]): Block[] {
  const isProse = (block: Block): boolean =>
    (block.container === "section" || isUnlabelledTask(text, block)) &&
    !FIELD_OF_A_SECTION.test(text.slice(block.start, block.end));
  return blocks.every(isProse) ? blocks : blocks.filter((block) => !isProse(block));
}

/** A fence that only its heading makes a handoff, such as the output of a command: it says no language. */
function isUnlabelledTask(text: string, { dialect, container, start }: Block): boolean {
  const opening = text.slice(text.lastIndexOf("\n", start - 2) + 1, start);
  return dialect === "task-yaml" && container === "fence" && !/ya?ml/i.test(opening);
}

/** At the start of a line, where there may be a brace before it. */
const FIELD_OF_A_SECTION =
  /^[ \t]*(?:\{[ \t]*)?["']?(?:handoff|outcome|files_created|files_modified|patterns_discovered|gotchas|blockers|suggested_next_steps)["']?[ \t]*:/im;

/** The stretches below `## Handoff` headings: to the next heading of that level, or the next separator. */
function handoffSections(text: string, outline: MarkdownOutline): Interval[] {
  const sections: Interval[] = [];
  for (const [index, heading] of outline.headings.entries()) {
    if (heading.text.length > "handoff:".length || !/^handoff:?$/i.test(heading.text)) continue;
    let next = index + 1;
    while ((outline.headings[next]?.level ?? 0) > heading.level) next++;
    const end = Math.min(outline.headings[next]?.start ?? text.length, separatorAfter(text, heading.end, outline));
    sections.push({ start: heading.end, end });
  }
  return sections;
}

function separatorAfter(text: string, from: number, outline: MarkdownOutline): number {
  let index = lastStartingAt(outline.breaks, from) + 1;
  while (index < outline.breaks.length && text.slice(from, outline.breaks[index]?.start).trim() === "") index++;
  return outline.breaks[index]?.start ?? text.length;
}

function nestedIn(text: string, fence: FencedBlock): readonly FencedBlock[] {
  return /^(?:markdown|md|text)?(?:\s|$)/i.test(fence.info) ? recoverNestedFences(text, fence) : [];
}

const MAX_TITLE = 300;

/** The title of a task file, `# Task 7: Name`, names the task. */
function withTask(origin: Origin, outline: MarkdownOutline): Origin {
  const title = outline.headings.find((heading) => heading.level === 1)?.text ?? "";
  if (title.length > MAX_TITLE) return origin;
  const found = /^Task\s+([^\s:[\]]+)\s*[:\u2013\u2014-]\s*([^[\]]+)$/i.exec(title);
  return found === null ? origin : { ...origin, task: { id: found[1] ?? "", name: (found[2] ?? "").trim() } };
}

function fencedBlock(
  text: string,
  fence: FencedBlock,
  outline: MarkdownOutline,
  inSection: IntervalSet,
  origin: Origin,
  options: FindOptions,
): Block[] {
  const dialect =
    fenceDialect(text, fence, inSection, options) ?? (endsOutput(text, fence, outline) ? "output-json" : null);
  if (dialect === null) return [];
  return [
    {
      dialect,
      start: fence.contentStart,
      end: fence.contentEnd,
      container: "fence",
      terminated: fence.terminated,
      origin,
      containerEnd: fence.end,
    },
  ];
}

/** A record in a json fence under `## Metadata`, as the last thing of the text; its fields may have any names. */
function endsOutput(text: string, fence: FencedBlock, outline: MarkdownOutline): boolean {
  const heading = outline.headings[lastStartingAt(outline.headings, fence.start)];
  return (
    /^json/i.test(fence.info) &&
    /^metadata:?$/i.test(heading?.text ?? "") &&
    text
      .slice(fence.contentStart, fence.contentStart + 200)
      .trimStart()
      .startsWith("{") &&
    text.slice(fence.end).trim() === ""
  );
}

/** A fence in another language holds code: most fences do. */
const MAY_HOLD_DATA = /^(?:json|(?:yaml|yml|text|txt|markdown|md)?(?:[\s{]|$))/i;
const DATA_LANGUAGE = /^(?:json|jsonc|json5|yaml|yml|text|txt)?(?:[\s{]|$)/i;

function fenceDialect(
  text: string,
  fence: FencedBlock,
  inSection: IntervalSet,
  options: FindOptions,
): DialectName | null {
  if (!DATA_LANGUAGE.test(fence.info)) return null;
  const content = text.slice(fence.contentStart, fence.contentEnd);
  const json = looksLikeJson(content, firstCharacter(content))
    ? (forced(options.dialect, "json") ?? recognise(content, "json"))
    : null;
  if (json !== null && isSchema(content)) return null;
  if (json !== null || /^json/i.test(fence.info)) return json;
  return forced(options.dialect, "yaml") ?? yamlFenceDialect(content, inSection.has(fence.start));
}

/** `outcome:` alone is a common word: without the heading, a second field of the format is asked for. */
function yamlFenceDialect(content: string, inSection: boolean): DialectName | null {
  const recognised = recognise(content, "yaml");
  if (recognised !== null && recognised !== "task-yaml") return recognised;
  if (inSection || /^[ \t]*##[ \t]+Handoff[ \t]*$/m.test(content)) return "task-yaml";
  return SECOND_FIELD.test(content) ? recognised : null;
}

const SECOND_FIELD =
  /^[ \t]*(?:\{[ \t]*)?["']?(?:files_created|files_modified|patterns_discovered|gotchas|blockers|suggested_next_steps)["']?[ \t]*:/m;

function forced(dialect: DialectName | undefined, syntax: SyntaxName): DialectName | null {
  return dialect !== undefined && isBuiltin(dialect) && DIALECTS[dialect].syntax === syntax ? dialect : null;
}

/** Ruling 16: a `## Handoff` section without a fence is YAML when it begins with a field; anything else is prose. */
function bareSections(text: string, sections: readonly Interval[], outline: MarkdownOutline, origin: Origin): Block[] {
  const blocks: Block[] = [];
  for (const { start, end } of sections) {
    if (blocks.length > MAX_BLOCKS) break;
    const nextFence = outline.fences[lastStartingAt(outline.fences, start) + 1];
    if (nextFence !== undefined && nextFence.start < end) continue;
    const content = text.slice(start, end);
    if (!beginsWithField(content)) continue;
    const dialect = recognise(content, "yaml") ?? "task-yaml";
    blocks.push({ dialect, start, end, container: "section", terminated: true, origin, containerEnd: end });
  }
  return blocks;
}

function beginsWithField(section: string): boolean {
  const key = /^(?:\s*---[ \t]*\r?\n)?\s*(?:\{\s*)?["']?(\w+)["']?[ \t]*:(?:\s|$)/.exec(section)?.[1];
  return key !== undefined && (key === "handoff" || key in DIALECTS["task-yaml"].shape.fields);
}

/** Where the words below a `## Handoff` heading are prose; null when there is no such section. */
export function proseSection(text: string): Interval | null {
  const outline = scanMarkdown(text, MAX_MARKS);
  const sections = handoffSections(text, outline);
  return sections.find(({ start, end }) => /\w/.test(text.slice(start, end))) ?? null;
}

/**
 * `handoff:` at the start of a line outside every fence; it goes on while lines are indented further. A
 * client may have indented the whole report, and an author may indent code instead of fencing it: then it
 * must stand alone, as after a separator, and so far inside it must also have a field of the format.
 */
function unfencedBlocks(text: string, outline: MarkdownOutline, taken: IntervalSet, origin: Origin): Block[] {
  let end = 0;
  return outline.handoffs.flatMap((at): Block[] => {
    let start = at;
    while (text[start - 1] === " " && at - start < DEEPEST_BLOCK) start--;
    const indent = at - start;
    const afterKey = /[ \t]*:[ \t]*\r?$/my;
    afterKey.lastIndex = at + "handoff".length;
    if (start < end || !standsAlone(text, start, indent) || taken.has(start) || !afterKey.test(text)) return [];
    const content = afterKey.lastIndex;
    const blockEnd = indentedEnd(text, content, indent);
    if (indent >= CODE_INDENT && !FIELD_OF_A_PHASE.test(text.slice(content, blockEnd))) return [];
    end = blockEnd;
    return [{ dialect: "phase-yaml", start, end, container: "unfenced", terminated: true, origin, containerEnd: end }];
  });
}

const FIELD_OF_A_PHASE = /^ +(?:phase|from|to|status)[ \t]*:/m;
/** From this column on, Markdown takes a line for code. */
const CODE_INDENT = 4;
const DEEPEST_BLOCK = 8;

function standsAlone(text: string, lineStart: number, indent: number): boolean {
  if (lineStart === 0 || (lineStart === 1 && text.charCodeAt(0) === BYTE_ORDER_MARK)) return true;
  if (text[lineStart - 1] !== "\n") return false;
  const before = text.slice(text.lastIndexOf("\n", lineStart - 2) + 1, lineStart).trim();
  return indent === 0 || before === "" || before === "---";
}

function indentedEnd(text: string, from: number, indent: number): number {
  let end = from;
  for (let lineStart = text.indexOf("\n", from) + 1; lineStart > 0 && lineStart < text.length;) {
    const found = text.indexOf("\n", lineStart);
    const lineEnd = found === -1 ? text.length : found;
    const line = text.slice(lineStart, lineEnd);
    const isBlank = line.trim() === "";
    if (!isBlank && line.search(/[^ \t]/) <= indent) break;
    if (!isBlank) end = lineEnd;
    lineStart = found === -1 ? 0 : found + 1;
  }
  return end;
}
