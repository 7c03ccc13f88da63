import type { JsonRecord } from "../shared/json-value.ts";
import { isBuiltin } from "./dialects/registry.ts";
import { LineTable, IntervalSet, lastStartingAt } from "../shared/line-table.ts";
import { taskShape } from "./dialects/task-yaml/shape.ts";
import { type Diagnostic, compareBySeverity, compareDiagnostics } from "./diagnostic.ts";
import { MAX_FINDINGS } from "./document-check.ts";
import { findBlocks } from "./find-blocks.ts";
import { collectNotes } from "./migration/collect-notes.ts";
import { type HandoffDraft, type MigrationGap, type TakenItem, draftHandoff } from "./migration/draft-handoff.ts";
import { placeSection, printSection, sectionPlace } from "./migration/handoff-section.ts";
import { type NoteSpan, sentencesIn } from "./migration/note-text.ts";
import { readHandoffs } from "./read-handoff.ts";
import type { ReadOptions, Reading } from "./reading.ts";
import { scanMarkdown } from "./syntax/markdown-blocks.ts";
import { lineEndOf } from "./syntax/syntax.ts";
import { GAP } from "./unfilled-template.ts";
import type { MarkdownOutline } from "./syntax/markdown-outline.ts";
import type { NoteBlock } from "./migration/note-blocks.ts";

export { migrationPrompt } from "./migration/migration-prompt.ts";

export interface Migration {
  /** The task-yaml document that could be built from what the notes say plainly; gaps are marked in it. */
  readonly document: JsonRecord;
  /** The section `## Handoff` with its fenced yaml; empty when the text was left as it is. */
  readonly section: string;
  /** The whole text with the section in place; outside the section it is the text that was given. */
  readonly text: string;
  /** What could not be decided, and what still makes the section invalid; ranges are into the text that was given. */
  readonly diagnostics: readonly Diagnostic[];
  /** Each value taken, with the line that it came from. */
  readonly taken: readonly TakenItem[];
  /** What the format demands and the notes do not state: marked in the section, which is invalid until they are filled. */
  readonly gaps: readonly MigrationGap[];
  /** The section, with its gaps, can be read where it is placed, and holds something. */
  readonly placeable: boolean;
  /** The section, or the handoff that the text already held, has no error. */
  readonly valid: boolean;
}

/** Structures freeform notes as far as they speak plainly (003-R28). Nothing is invented: the rest is listed. */
export function migrateNotes(text: string, options: Pick<ReadOptions, "path" | "formats"> = {}): Migration {
  const reading = readHandoffs(text, options);
  const kept = keptAsItIs(text, reading) ?? refusedLength(text);
  if (kept !== null) return { document: {}, section: "", text, taken: [], gaps: [], placeable: false, ...kept };
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
  const misplaced = placeProblems(placed, judged, anchor, table);
  const isSilent = draft.taken.length === 0 && draft.diagnostics.every(({ severity }) => severity === "info");
  const nothing = isSilent ? [nothingFound(anchor, table)] : [];
  const diagnostics = [
    ...draft.diagnostics,
    ...gapProblem(draft, anchor, table),
    ...sectionProblems(section, judged, draft, anchor, table),
    ...nothing,
    ...misplaced,
  ];
  return {
    document: draft.document,
    section,
    text: placed,
    taken: draft.taken,
    gaps: draft.gaps,
    placeable: misplaced.length === 0 && draft.taken.length > 0,
    diagnostics: listed(diagnostics, anchor, table),
    valid: judged.valid,
  };
}

/** A note is asked a few questions at most: the rest of them is counted, and what is no question is listed as far as it can be read. */
const MAX_QUESTIONS = 5;

function listed(diagnostics: readonly Diagnostic[], anchor: NoteSpan, table: LineTable): Diagnostic[] {
  const sorted = diagnostics.toSorted(compareBySeverity);
  const questions = sorted.filter(({ severity }) => severity !== "info");
  const infos = sorted.slice(questions.length);
  return [
    ...fewOf(questions, MAX_QUESTIONS, "Settle these first, then look again; or split the notes.", anchor, table),
    ...fewOf(infos, MAX_FINDINGS, "`--json` lists no more either: split the notes.", anchor, table),
  ].sort(compareDiagnostics);
}

function fewOf(
  diagnostics: readonly Diagnostic[],
  count: number,
  hint: string,
  anchor: NoteSpan,
  table: LineTable,
): readonly Diagnostic[] {
  if (diagnostics.length <= count) return diagnostics;
  const rest = diagnostics.slice(count - 1);
  const places = rest.slice(0, MAX_PLACES).map(({ range }) => range.start.line);
  const more: Diagnostic = {
    code: "ambiguous-note",
    rule: null,
    severity: rest[0]?.severity ?? "info",
    message: `${rest.length} more places are open (lines ${places.join(", ")}${rest.length > MAX_PLACES ? ", ..." : ""}).`,
    range: table.range(anchor.start, anchor.end),
    hint,
    fix: null,
  };
  return [...diagnostics.slice(0, count - 1), more];
}
const MAX_PLACES = 20;

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

/** More than notes have. Every line is looked at in many ways. */
const MAX_LINES = 8_000;

function refusedLength(text: string): Pick<Migration, "diagnostics" | "valid"> | null {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && lines <= MAX_LINES; at = text.indexOf("\n", at + 1)) lines++;
  if (lines <= MAX_LINES && text.length <= MAX_LENGTH) return null;
  const start = { line: 1, column: 1, offset: 0 };
  const refusal: Diagnostic = {
    code: "too-large",
    rule: null,
    severity: "error",
    message: `The notes are longer than ${MAX_LINES} lines or ${MAX_LENGTH} characters; they were left as they are.`,
    range: { start, end: start },
    hint: "Split them: one file for each task.",
    fix: null,
  };
  return { diagnostics: [refusal], valid: false };
}
const MAX_LENGTH = 150_000;

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
  if (reading.dialect !== null && !isBuiltin(reading.dialect) && reading.handoffs.length > 0) return true;
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

/** All gaps at once: they are told one by one where they stand, by the reader. */
function gapProblem({ gaps }: HandoffDraft, anchor: NoteSpan, table: LineTable): Diagnostic[] {
  if (gaps.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { field } of gaps) {
    const name = field.replaceAll(/\[\d+\]/g, "[]");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => (count === 1 ? `\`${name}\`` : `\`${name}\` (${count})`));
  const one = gaps.length === 1;
  return [
    {
      code: "unfilled-template",
      rule: null,
      severity: "error",
      message: `The notes do not state ${gaps.length} ${one ? "value" : "values"} that the format demands: ${names.join(", ")}.`,
      range: table.range(anchor.start, anchor.end),
      hint: `Each is marked ${GAP} in the section. Fill them in: until then it is invalid, and \`baton validate\` tells where.`,
      fix: null,
    },
  ];
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
  const firsts = new Map<string, Diagnostic & { count: number }>();
  for (const diagnostic of judged.diagnostics) {
    // Gaps are told together; a warning about what the notes need not state is none of theirs.
    if (diagnostic.code === "unfilled-template" || diagnostic.severity !== "error") continue;
    const { start, end } = origins[diagnostic.range.start.line - 1] ?? anchor;
    const key = `${diagnostic.rule} ${diagnostic.code}`;
    const first = firsts.get(key) ?? { ...diagnostic, range: table.range(start, end), fix: null, count: 0 };
    firsts.set(key, { ...first, count: first.count + 1 });
  }
  return [...firsts.values()].map(({ count, ...first }) => ({
    ...first,
    message: count === 1 ? first.message : `${first.message} So are ${count - 1} more.`,
  }));
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
function placeProblems(placed: string, judged: Reading, anchor: NoteSpan, table: LineTable): Diagnostic[] {
  const reading = readHandoffs(placed);
  const isRead = reading.handoffs.length > 0 && reading.dialect === "task-yaml";
  if (isRead && reading.valid === judged.valid) return [];
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
