import { isRecord } from "../shared/json-value.ts";
import type { LineTable } from "../shared/line-table.ts";
import { type Block, MAX_BLOCKS, MAX_MARKS } from "./block.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Dialect } from "./dialect.ts";
import { isMetadataBlock } from "./dialects/output-json/layers.ts";
import { DIALECTS, type Formats, NO_FORMATS } from "./dialects/registry.ts";
import type { Found } from "./find-blocks.ts";
import type { BlockJudgement } from "./judge-block.ts";
import type { Outcome } from "./handoff.ts";
import type { Limits } from "./limits.ts";
import { noHandoffNote } from "./no-handoff-note.ts";
import { outsideRoot } from "./outside-root.ts";
import type { ReadHandoff, ReadOptions, Reading } from "./reading.ts";
import { isJsonName } from "./recognise.ts";
import { LOST } from "./refuse-text.ts";
import { parseJson } from "./syntax/json.ts";
import type { Heading } from "./syntax/markdown-outline.ts";

/** What is wrong with how a handoff stands in its text, rather than with the handoff. */

/** Of several blocks of one dialect in one text the last counts (rulings 13, 24); files and elements stand alone. */
export function supersededBlocks(
  text: string,
  blocks: readonly Block[],
  formats: Formats = NO_FORMATS,
): ReadonlySet<Block> {
  if (blocks.length < 2) return NO_BLOCKS;
  const superseded = new Set<Block>();
  for (const { name, syntax, lastCounts } of [...Object.values(DIALECTS), ...formats]) {
    const own = lastCounts ? blocks.filter((block) => block.dialect === name) : [];
    const counting = syntax === "json" ? (own.findLast((block) => parses(text, block)) ?? own.at(-1)) : own.at(-1);
    for (const block of own) if (block !== counting) superseded.add(block);
  }
  return superseded;
}

/** Ruling 41: JSON that is no metadata block does not stand in the place of one. */
export function withoutOtherJson(text: string, found: Found): Found {
  const own = found.blocks.filter(({ dialect }) => dialect === "output-json");
  if (own.length < 2) return found;
  const isOther = (block: Block): boolean => {
    const parsed = parseJson(text.slice(block.start, block.end));
    return parsed !== null && isRecord(parsed.value) && !isMetadataBlock(parsed.value);
  };
  const others = new Set(own.filter(isOther));
  if (others.size === 0 || others.size === own.length) return found;
  return { ...found, blocks: found.blocks.filter((block) => !others.has(block)) };
}

const NO_BLOCKS: ReadonlySet<Block> = new Set();

function parses(text: string, block: Block): boolean {
  return parseJson(text.slice(block.start, block.end)) !== null;
}

export function containerNotes(
  text: string,
  found: Found,
  superseded: ReadonlySet<Block>,
  options: ReadOptions,
  table: () => LineTable,
): Diagnostic[] {
  const notes: Diagnostic[] = [];
  for (const block of superseded) notes.push(supersededNote(block, found, superseded, table()));
  const place = found.blocks.some(isTaskSection) ? misplacedSection(found.headings ?? []) : null;
  if (place !== null) notes.push({ ...misplacedNote(place.text), range: table().range(place.start, place.end) });
  const { commented } = found;
  if (commented !== undefined) notes.push({ ...COMMENTED, range: table().range(commented, commented + "<!--".length) });
  for (const [block, other] of found.rivals ?? []) notes.push(rivalNote(block, other, table()));
  const misplaced = misplacedText(text, found, options);
  if (misplaced !== null) notes.push({ ...misplaced, range: table().range(0, 1) });
  else if (found.blocks.length === 0) notes.push(noHandoffNote(text, found, options, table()));
  return notes;
}

type Note = Omit<Diagnostic, "range">;

/** Ruling 33. */
const COMMENTED: Note = {
  code: "commented-handoff",
  rule: null,
  severity: "warning",
  message: "A handoff stands in this HTML comment: it does not count.",
  hint: "Move it out of the comment if it is meant; remove it if it is not.",
  fix: null,
};

/** A text with this many handoffs, or headings, is an attack or a mistake: none of them is looked at. */
export function tooManyBlocks({ blocks, crowded }: Found, table: () => LineTable): Reading | null {
  if (crowded !== true && blocks.length <= MAX_BLOCKS) return null;
  const diagnostic: Diagnostic = {
    code: "too-many-nodes",
    rule: null,
    severity: "error",
    message:
      crowded === true
        ? `The text has more than ${MAX_MARKS} headings, fences and separators.`
        : `The text holds more than ${MAX_BLOCKS} handoffs.`,
    range: table().range(0, 1),
    hint: "Split the text.",
    fix: null,
  };
  return { dialect: blocks.at(-1)?.dialect ?? null, valid: false, handoffs: [], diagnostics: [diagnostic] };
}

/** A file whose name promises one syntax and whose content is another. */
function misplacedText(text: string, found: Found, options: ReadOptions): Note | null {
  if (found.kind !== "json" && isJsonName(options.path ?? "")) {
    const what = /^\s*(?:#|[-*] |\w[^{]*\n)/.test(text) ? "Markdown" : "text";
    return {
      code: "wrong-container",
      rule: null,
      severity: "error",
      message: `This .json file holds ${what}, not JSON.`,
      hint: "Write the JSON object alone into the file, without prose and fences.",
      fix: null,
    };
  }
  if (found.kind === "xml" && text.includes("<!") && /<!DOCTYPE|<!ENTITY/i.test(text)) {
    return {
      code: "doctype-refused",
      rule: null,
      severity: "error",
      message: "A DOCTYPE is refused: it can define entities that expand without end.",
      hint: "Remove the DOCTYPE; a handoff needs none.",
      fix: null,
    };
  }
  return null;
}

/** Ruling 42. */
function rivalNote(block: Block, other: string, table: LineTable): Diagnostic {
  return {
    code: "ambiguous-format",
    rule: null,
    severity: "warning",
    message: `This text fits both ${block.dialect} and ${other}; it was read as ${block.dialect}.`,
    range: table.range(block.start, block.start + 1),
    hint: "Give the format file a `when` that decides, or name the dialect with --dialect.",
    fix: null,
  };
}

function supersededNote(block: Block, found: Found, superseded: ReadonlySet<Block>, table: LineTable): Diagnostic {
  const counting = found.blocks.find((other) => other.dialect === block.dialect && !superseded.has(other));
  const isLater = counting !== undefined && counting.start < block.start;
  const message = isLater
    ? "This block is not JSON: the last one before it that is counts."
    : "A later block of the same format follows: only the last one counts.";
  return {
    code: "superseded-block",
    rule: null,
    severity: "warning",
    message,
    range: table.range(block.start, block.start + 1),
    hint: isLater ? "Remove this block, or write it again, whole." : "Remove the earlier block.",
    fix: null,
  };
}

export function legacyNote(block: Block, table: LineTable): Diagnostic {
  const message =
    "This is a Markdown summary without a handoff block: only its verdict, counts and next agent can be read.";
  return {
    code: "legacy-summary",
    rule: "002-R18",
    severity: "info",
    message,
    range: table.range(block.start, block.start + 1),
    hint: "Add a yaml block with the key `handoff`; `baton instructions phase-yaml` shows one.",
    fix: null,
  };
}

/** Notes on one block that counts. */
export function blockNotes(
  text: string,
  block: Block,
  dialect: Dialect,
  judgement: BlockJudgement,
  limits: Limits,
  table: () => LineTable,
): Diagnostic[] {
  const notes = rootNotes(text, block, dialect, limits, table);
  const add = (note: Note, start: number, end: number): void =>
    void notes.push({ ...note, range: table().range(start, end) });
  if (!block.terminated && !judgement.problems.some((problem) => problem.code === "truncated"))
    add(unterminatedNote(dialect.syntax === "json"), Math.max(block.start, block.end - 1), block.end);
  const lost = text.indexOf(LOST, block.start);
  if (lost !== -1 && lost < block.end) add(lostNote(), lost, lost + 1);
  const standing = standingNote(block, dialect);
  if (standing !== null) notes.push(placedNote(standing, text, block, table()));
  if (block.dialect === "output-json") {
    const after = text.slice(block.containerEnd).search(/\S/) + block.containerEnd;
    if (after >= block.containerEnd) add(textAfterNote(), after, after + 1);
  }
  return notes;
}

/** Of an own format: its file may not be well-formed although its element is. */
function rootNotes(
  text: string,
  block: Block,
  { stands, syntaxRule: rule }: Dialect,
  limits: Limits,
  table: () => LineTable,
): Diagnostic[] {
  const outside = (stands?.element ?? null) === null ? null : outsideRoot(text, block, limits);
  if (outside === null) return [];
  const { at, note } = outside;
  return [{ ...note, rule, severity: "error", fix: null, range: table().range(at, at + 1) }];
}

/** At the key that is near, with a fix, when it stands there once; else where the block begins. */
function placedNote(note: Note, text: string, block: Block, table: LineTable): Diagnostic {
  const { key, name } = block.lacks?.near ?? { key: "", name: "" };
  const content = text.slice(block.start, block.end);
  const at = key === "" ? -1 : content.indexOf(key);
  if (at === -1 || content.indexOf(key, at + 1) !== -1) {
    const first = content.search(/\S/) + block.start;
    return { ...note, range: table.range(first, first + "handoff".length) };
  }
  const range = table.range(block.start + at, block.start + at + key.length);
  return { ...note, range, fix: { title: `Rename \`${key}\` to \`${name}\``, edits: [{ range, text: name }] } };
}

/** JSON that parses is complete even if its fence is not closed. YAML and XML may be cut off, so they are refused. */
function unterminatedNote(whole: boolean): Note {
  return {
    code: "truncated",
    rule: null,
    severity: whole ? "warning" : "error",
    message: "The block is never closed: the text may have been cut off.",
    hint: whole ? "Close the code fence." : "Close the block. A handoff that may be cut off is never accepted.",
    fix: null,
  };
}

/** A warning, because the replacement character may have been written on purpose. */
function lostNote(): Note {
  return {
    code: "wrong-encoding",
    rule: null,
    severity: "warning",
    message: "A character was lost here: the text was not UTF-8 when it was decoded.",
    hint: "Save the file as UTF-8 and read it again.",
    fix: null,
  };
}

function standingNote(block: Block, dialect: Dialect): Note | null {
  if (block.lacks !== undefined) {
    const { message, hint } = block.lacks;
    return { message, hint, code: "wrong-container", rule: dialect.syntaxRule, severity: "error", fix: null };
  }
  if (block.container === "bare") return bareNote(block, dialect);
  return block.container === "unfenced" ? unfencedNote() : null;
}

function unfencedNote(): Note {
  const message = "The handoff stands in the text without a code fence.";
  return {
    code: "unfenced-block",
    rule: "002-R01",
    severity: "warning",
    message,
    hint: "Put it into a fenced yaml block.",
    fix: null,
  };
}

/** Ruling 29: it is told, and not passed over as prose; where it begins and ends is a guess, so it is not accepted. */
function bareNote({ dialect }: Block, { syntax, syntaxRule }: Dialect): Note {
  return {
    code: "wrong-container",
    rule: syntaxRule,
    severity: "error",
    message: `This ${dialect} handoff stands in running text without a code fence.`,
    hint: `Put it into a fenced ${syntax} block, or into a file of its own.`,
    fix: null,
  };
}

/**
 * Ruling 40: two handoffs of two formats, of which one lets the work go on and the other stops it. Placed at the later
 * one.
 */
export function contradictionNotes(handoffs: readonly ReadHandoff[], table: () => LineTable): Diagnostic[] {
  const read = handoffs.flatMap(({ handoff, start }) => (handoff === null ? [] : [{ handoff, start }]));
  const [first] = read;
  const other = read.find(
    ({ handoff }) =>
      first !== undefined &&
      handoff.dialect !== first.handoff.dialect &&
      GOES_ON.has(handoff.outcome) !== GOES_ON.has(first.handoff.outcome),
  );
  if (first === undefined || other === undefined) return [];
  const { line } = table().position(first.start);
  return [
    {
      code: "contradiction",
      rule: null,
      severity: "warning",
      message: `This ${other.handoff.dialect} handoff says "${other.handoff.outcome}", and the ${first.handoff.dialect} handoff in line ${line} says "${first.handoff.outcome}".`,
      range: table().range(other.start, other.start + 1),
      hint: "Keep one of the two, or let both say the same.",
      fix: null,
    },
  ];
}

const GOES_ON: ReadonlySet<Outcome> = new Set<Outcome>(["done", "done-with-warnings", "skipped"]);

function textAfterNote(): Note {
  const message = "Text follows the metadata block, which should be the last thing in the file.";
  return {
    code: "text-after-block",
    rule: "004-R01",
    severity: "warning",
    message,
    hint: "Move the block to the end of the file.",
    fix: null,
  };
}

const SECTIONS = ["metadata", "objective", "acceptance criteria", "context provided", "execution log", "handoff"];

function isTaskSection({ dialect, container }: Block): boolean {
  return dialect === "task-yaml" && (container === "fence" || container === "section");
}

function misplacedSection(headings: readonly Heading[]): Heading | null {
  let furthest = -1;
  for (const heading of headings) {
    const place = SECTIONS.indexOf(heading.text.trim().toLowerCase());
    if (place === -1) continue;
    if (place < furthest) return heading;
    furthest = Math.max(furthest, place);
  }
  return null;
}

function misplacedNote(heading: string): Note {
  const message = `The section "${heading}" is not at its place in the task file.`;
  return {
    code: "misplaced-section",
    rule: "003-R29",
    severity: "info",
    message,
    hint: "Order: Metadata, Objective, Acceptance Criteria, Context Provided, Execution Log, Handoff.",
    fix: null,
  };
}
