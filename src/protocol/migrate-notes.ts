import type { JsonRecord } from "../shared/json-value.ts";
import { LineTable, IntervalSet, lastStartingAt } from "../shared/line-table.ts";
import { taskShape } from "./dialects/task-yaml/shape.ts";
import { type Diagnostic, compareBySeverity, compareDiagnostics } from "./diagnostic.ts";
import { MAX_FINDINGS } from "./document-check.ts";
import { findBlocks } from "./find-blocks.ts";
import { collectNotes } from "./migration/collect-notes.ts";
import { type HandoffDraft, type TakenItem, draftHandoff } from "./migration/draft-handoff.ts";
import { placeSection, printSection, sectionPlace } from "./migration/handoff-section.ts";
import { type NoteSpan, sentencesIn } from "./migration/note-text.ts";
import { readHandoffs } from "./read-handoff.ts";
import type { ReadOptions, Reading } from "./reading.ts";
import { scanMarkdown } from "./syntax/markdown-blocks.ts";
import { lineEndOf } from "./syntax/syntax.ts";
import type { MarkdownOutline } from "./syntax/markdown-outline.ts";
import type { NoteBlock } from "./migration/note-blocks.ts";

export { migrationPrompt } from "./migration/migration-prompt.ts";

export interface Migration {
  /** The task-yaml document that could be built from what the notes say plainly. */
  readonly document: JsonRecord;
  /** The section `## Handoff` with its fenced yaml; empty when the text was left as it is. */
  readonly section: string;
  /** The whole text with the section in place; outside the section it is the text that was given. */
  readonly text: string;
  /** What could not be decided, and what still makes the section invalid; ranges are into the text that was given. */
  readonly diagnostics: readonly Diagnostic[];
  /** Each value taken, with the line that it came from. */
  readonly taken: readonly TakenItem[];
  /** The section, or the handoff that the text already held, has no error. */
  readonly valid: boolean;
}

/** Structures freeform notes as far as they speak plainly (003-R28). Nothing is invented: the rest is listed. */
export function migrateNotes(text: string, options: Pick<ReadOptions, "path"> = {}): Migration {
  const reading = readHandoffs(text, options);
  const kept = keptAsItIs(text, reading);
  if (kept !== null) return { document: {}, section: "", text, taken: [], ...kept };
  const table = new LineTable(text);
  const outline = scanMarkdown(text);
  const notes = collectNotes(text, outline);
  const draft = draftHandoff(text, notes, table);
  const place = sectionPlace(text, outline);
  const leftover = leftoverLines(text, place, outline, notes.blocks, fateOf(draft));
  const lineEnd = lineEndOf(text);
  const section = printSection(draft.document, leftover, lineEnd);
  const judged = readHandoffs(section);
  const placed = placeSection(text, place, section, lineEnd);
  const anchor = draft.outcome ?? firstLineFrom(text, place.end > place.start ? place.start : 0);
  const diagnostics = [...draft.diagnostics, ...sectionProblems(section, judged, draft, anchor, table)];
  if (draft.taken.length === 0 && draft.diagnostics.length === 0) diagnostics.push(nothingFound(anchor, table));
  if (judged.valid) diagnostics.push(...placeProblems(placed, anchor, table));
  return {
    document: draft.document,
    section,
    text: placed,
    taken: draft.taken,
    diagnostics: listed(diagnostics, anchor, table),
    valid: judged.valid,
  };
}

/** The worst are listed, and the others counted. */
function listed(diagnostics: Diagnostic[], anchor: NoteSpan, table: LineTable): Diagnostic[] {
  if (diagnostics.length <= MAX_FINDINGS) return diagnostics.sort(compareDiagnostics);
  const worst = diagnostics.sort(compareBySeverity).slice(0, MAX_FINDINGS);
  const more: Diagnostic = {
    code: "ambiguous-note",
    rule: null,
    severity: diagnostics[MAX_FINDINGS]?.severity ?? "info",
    message: `${diagnostics.length - MAX_FINDINGS} more places are open: they are not listed.`,
    range: table.range(anchor.start, anchor.end),
    hint: "Settle these first, then look again; or split the notes.",
    fix: null,
  };
  return [...worst, more].sort(compareDiagnostics);
}

const REFUSALS: ReadonlySet<string> = new Set(["empty", "binary", "wrong-encoding", "too-large"]);

/** Texts that are not migrated: no notes at all, or a handoff that is structured already. */
function keptAsItIs(text: string, reading: Reading): Pick<Migration, "diagnostics" | "valid"> | null {
  if (reading.handoffs.length === 0 && reading.diagnostics.some(({ code }) => REFUSALS.has(code)))
    return { diagnostics: reading.diagnostics, valid: false };
  if (reading.diagnostics.some(({ code }) => code === "manifest")) return keptManifest(text, reading);
  if (!holdsStructure(text, reading)) return null;
  const [first] = reading.handoffs;
  const note: Diagnostic = {
    code: "ambiguous-note",
    rule: null,
    severity: "info",
    message: `The text already holds a structured handoff (${reading.dialect}); it was left as it is.`,
    range: new LineTable(text).range(first?.start ?? 0, (first?.start ?? 0) + 1),
    hint: reading.valid ? null : "Repair it instead: `baton fix` shows what can be repaired safely.",
    fix: null,
  };
  return { diagnostics: [...reading.diagnostics, note].sort(compareDiagnostics), valid: reading.valid };
}

/** The status of a feature, or of one of its phases, is not how anybody's task ended. */
function keptManifest(text: string, reading: Reading): Pick<Migration, "diagnostics" | "valid"> {
  const note: Diagnostic = {
    code: "ambiguous-note",
    rule: null,
    severity: "warning",
    message: "The text is the manifest of a feature, not the note of an agent; it was left as it is.",
    range: new LineTable(text).range(0, 1),
    hint: "Migrate the outputs that it lists.",
    fix: null,
  };
  return { diagnostics: [...reading.diagnostics, note].sort(compareDiagnostics), valid: false };
}

/** At the start of a line, where there may be a brace before it. */
const KEY = new RegExp(`^[ \\t]*(?:\\{[ \\t]*)?["']?(?:${Object.keys(taskShape.fields).join("|")})["']?[ \\t]*:`, "m");

/** Prose under `## Handoff` is read as YAML too; without fields of the format, or when it does not parse, it is notes. */
function holdsStructure(text: string, reading: Reading): boolean {
  return findBlocks(text, {}).blocks.some((block) => {
    if (block.container === "legacy") return false;
    if (block.dialect !== "task-yaml") return true;
    if (!KEY.test(text.slice(block.start, block.end))) return false;
    return block.container === "fence" || !reading.diagnostics.some((problem) => isSyntaxError(problem, block));
  });
}

function isSyntaxError({ code, range }: Diagnostic, block: NoteSpan): boolean {
  const unparsable = code === "syntax-error" || code === "truncated" || code === "duplicate-key";
  return unparsable && range.start.offset >= block.start && range.start.offset <= block.end;
}

function fateOf(draft: HandoffDraft): Parameters<typeof leftoverLines>[4] {
  const undecided = draft.diagnostics
    .filter(({ code, severity }) => code === "ambiguous-note" && severity !== "info")
    .map(({ range }) => ({ start: range.start.offset, end: range.end.offset }))
    .sort((left, right) => left.start - right.start);
  return { taken: new Set(draft.sources.map(({ start }) => start)), undecided, outcome: draft.outcome };
}

/** The first line from there on that says something. */
function firstLineFrom(text: string, from: number): NoteSpan {
  const line = /[^\s\ufeff][^\r\n]*/g;
  line.lastIndex = from;
  const found = line.exec(text);
  return { start: found?.index ?? from, end: found === null ? from : line.lastIndex };
}

/** The diagnostics of the section, at the places of the notes that they come from. */
function sectionProblems(
  section: string,
  judged: Reading,
  draft: HandoffDraft,
  anchor: NoteSpan,
  table: LineTable,
): Diagnostic[] {
  if (judged.diagnostics.length === 0) return [];
  const origins = originsByLine(section, draft);
  return judged.diagnostics.map((diagnostic) => {
    const { start, end } = origins[diagnostic.range.start.line - 1] ?? anchor;
    const message =
      diagnostic.rule === "003-R02"
        ? `The notes do not say how the work ended: ${diagnostic.message}`
        : diagnostic.message;
    return { ...diagnostic, message, range: table.range(start, end), fix: null };
  });
}

/** For each line of the section the statement that it was made from. Values are one line each, so items are too. */
function originsByLine(section: string, draft: HandoffDraft): (NoteSpan | undefined)[] {
  let list = "";
  let index = -1;
  return section.split(/\r?\n/).map((line) => {
    const key = /^([a-z_]+):/.exec(line)?.[1];
    if (key !== undefined) {
      list = key;
      index = -1;
    } else if (line.startsWith("  - ")) index++;
    return index === -1 ? undefined : draft.origins.get(list)?.[index];
  });
}

function nothingFound(anchor: NoteSpan, table: LineTable): Diagnostic {
  return {
    code: "ambiguous-note",
    rule: null,
    severity: "warning",
    message: "Nothing could be taken from this text: it holds none of the words that the migration knows.",
    range: table.range(anchor.start, anchor.end),
    hint: "`baton migrate --prompt` prints a prompt that asks an agent to structure it.",
    fix: null,
  };
}

/** A fence that is never closed, or a beginning that makes the text JSON, leaves it unreadable with the section in it. */
function placeProblems(placed: string, anchor: NoteSpan, table: LineTable): Diagnostic[] {
  const reading = readHandoffs(placed);
  if (reading.valid && reading.dialect === "task-yaml") return [];
  const reason = reading.diagnostics.find(({ severity }) => severity === "error")?.message ?? "";
  return [
    {
      code: "wrong-container",
      rule: "003-R01",
      severity: "error",
      message: `With the section in place the text would not be read as a task file. ${reason}`.trim(),
      range: table.range(anchor.start, anchor.end),
      hint: "Close every code fence in the text, or put the section into a Markdown file of its own.",
      fix: null,
    },
  ];
}

/** What became of the statements of the notes. */
interface Fate {
  /** Where statements begin that the document now holds. */
  readonly taken: ReadonlySet<number>;
  /** Places that a person must still decide on, in order. */
  readonly undecided: readonly NoteSpan[];
  /** The words that say how the work ended. */
  readonly outcome: NoteSpan | null;
}

/** The lines of a section that the document does not hold: they would be lost when the section is replaced. */
function leftoverLines(
  text: string,
  place: NoteSpan,
  outline: MarkdownOutline,
  blocks: readonly NoteBlock[],
  fate: Fate,
): string[] {
  if (place.start === place.end) return [];
  const inside = blocks.filter(({ start }) => start >= place.start && start < place.end);
  const held = new IntervalSet([...heldBlocks(text, inside, fate)]);
  const headings = new Map(outline.headings.map((heading) => [heading.start, heading]));
  const lines: string[] = [];
  let titles: { level: number; line: string }[] = [];
  for (const { start, line } of linesFrom(text, place)) {
    const heading = headings.get(start);
    if (heading !== undefined) {
      titles = titles.filter(({ level }) => level < heading.level);
      if (start !== place.start) titles.push({ level: heading.level, line });
    } else if (line.trim() !== "" && !held.has(start + line.trimEnd().length - 1)) {
      lines.push(...titles.map((title) => title.line), line);
      titles = [];
    }
  }
  return lines;
}

function* linesFrom(text: string, place: NoteSpan): Generator<{ start: number; line: string }> {
  let start = place.start;
  for (const line of text.slice(place.start, place.end).split(/\r\n|\r|\n/)) {
    yield { start, line };
    start += line.length;
    start += text.startsWith("\r\n", start) ? 2 : 1;
  }
}

function heldBlocks(text: string, blocks: readonly NoteBlock[], fate: Fate): Set<NoteBlock> {
  const held = new Set<NoteBlock>();
  const parents = new Map<NoteBlock, boolean>();
  // From the end, so that a label is seen after everything that it announces.
  for (const block of blocks.toReversed()) {
    const isHeld = block.isLabel ? parents.get(block) === true : allTaken(text, block, fate);
    if (isHeld) held.add(block);
    if (block.above !== null) parents.set(block.above, (parents.get(block.above) ?? true) && isHeld);
  }
  return held;
}

function allTaken(text: string, block: NoteBlock, { taken, undecided, outcome }: Fate): boolean {
  if (block.kind === "heading") return false;
  if (outcome !== null && saysNothingElse(text, block, outcome)) return true;
  const statements = block.kind === "row" ? [block] : sentencesIn(text, block);
  return statements.every(({ start, end }) => {
    const last = undecided[lastStartingAt(undecided, end - 1)];
    return taken.has(start) && (last === undefined || last.start < start);
  });
}

/** `Status: done`, and no other line or word. */
function saysNothingElse(text: string, block: NoteSpan, { start, end }: NoteSpan): boolean {
  if (start < block.start || !/^[\s|]*$/.test(text.slice(end, block.end))) return false;
  return /^\W*(?:partially )?\w+\W*$/i.test(text.slice(start, end)) && !text.slice(block.start, start).includes("\n");
}
