import type { LineTable } from "../shared/line-table.ts";
import { type Block, MAX_BLOCKS, MAX_MARKS } from "./block.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { DIALECTS } from "./dialects/registry.ts";
import type { Found } from "./find-blocks.ts";
import type { BlockJudgement } from "./judge-block.ts";
import type { ReadOptions, Reading } from "./reading.ts";
import { isJsonName } from "./recognise.ts";
import { LOST } from "./refuse-text.ts";
import { scanMarkdown } from "./syntax/markdown-blocks.ts";

/** What is wrong with how a handoff stands in its text, rather than with the handoff. */

/** Of several blocks of one dialect in one text the last counts (rulings 13, 24); files and elements stand alone. */
export function supersededBlocks(text: string, blocks: readonly Block[]): ReadonlySet<Block> {
  if (blocks.length < 2) return NO_BLOCKS;
  const superseded = new Set<Block>();
  for (const { name, syntax, lastCounts } of Object.values(DIALECTS)) {
    const own = lastCounts ? blocks.filter((block) => block.dialect === name) : [];
    const counting = syntax === "json" ? (own.findLast((block) => parses(text, block)) ?? own.at(-1)) : own.at(-1);
    for (const block of own) if (block !== counting) superseded.add(block);
  }
  return superseded;
}

const NO_BLOCKS: ReadonlySet<Block> = new Set();

function parses(text: string, block: Block): boolean {
  try {
    JSON.parse(text.slice(block.start, block.end));
    return true;
  } catch {
    return false;
  }
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
  const misplaced = misplacedText(text, found, options);
  if (misplaced !== null) notes.push({ ...misplaced, range: table().range(0, 1) });
  else if (found.blocks.length === 0) notes.push({ ...noHandoff(found, options), range: table().range(0, 1) });
  return notes;
}

type Note = Omit<Diagnostic, "range">;

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

function noHandoff(found: Found, { dialect }: ReadOptions): Note {
  // An element is missed only by who looks for one.
  const kind = found.kind === "xml" && dialect !== undefined && dialect !== "issue-xml" ? "markdown" : found.kind;
  const rule = kind === "xml" ? "001-R01" : dialect === undefined && kind === "markdown" ? "002-R18" : null;
  const looked = dialect === undefined ? "" : ` in the dialect ${dialect}`;
  const what = {
    json: "This JSON has none of the fields of a handoff",
    yaml: "This YAML has none of the fields of a handoff",
    xml: "There is no <handoff> or <workflow-complete> element",
    markdown: "There is no handoff in this text",
  }[kind];
  const hint =
    "`baton instructions DIALECT` prints how an agent writes one; `baton migrate` structures freeform notes.";
  return { code: "no-handoff", rule, severity: "error", message: `${what}${looked}.`, hint, fix: null };
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
  judgement: BlockJudgement,
  table: () => LineTable,
): Diagnostic[] {
  const notes: Diagnostic[] = [];
  const add = (note: Note, start: number, end: number): void =>
    void notes.push({ ...note, range: table().range(start, end) });
  if (!block.terminated && !judgement.problems.some((problem) => problem.code === "truncated"))
    add(unterminatedNote(block), Math.max(block.start, block.end - 1), block.end);
  const lost = text.indexOf(LOST, block.start);
  if (lost !== -1 && lost < block.end) add(lostNote(), lost, lost + 1);
  if (block.container === "unfenced") {
    const key = text.slice(block.start).search(/\S/) + block.start;
    add(unfencedNote(), key, key + "handoff".length);
  }
  if (block.dialect === "output-json" && text.slice(block.containerEnd).trim() !== "") {
    const start =
      block.containerEnd + (text.slice(block.containerEnd).length - text.slice(block.containerEnd).trimStart().length);
    add(textAfterNote(), start, start + 1);
  }
  if (block.dialect === "task-yaml" && (block.container === "fence" || block.container === "section")) {
    const place = misplacedSection(text, block);
    if (place !== null) add(misplacedNote(place.text), place.start, place.end);
  }
  return notes;
}

/** JSON that parses is complete even if its fence is not closed. YAML and XML may be cut off, so they are refused. */
function unterminatedNote(block: Block): Note {
  const whole = DIALECTS[block.dialect].syntax === "json";
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

function misplacedSection(text: string, block: Block): { text: string; start: number; end: number } | null {
  let furthest = -1;
  for (const heading of scanMarkdown(text).headings) {
    const place = SECTIONS.indexOf(heading.text.trim().toLowerCase());
    if (place === -1) continue;
    if (place < furthest && heading.start < block.start + text.length) return heading;
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
