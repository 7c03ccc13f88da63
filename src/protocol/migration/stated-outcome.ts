import type { NoteBlock } from "./note-blocks.ts";
import {
  type Label,
  type NoteSpan,
  cellsOf,
  hideQuoted,
  labelOf,
  foldedTitle,
  joinedLines,
  plainTitle,
  sentencesIn,
  trimmed,
} from "./note-text.ts";

/** A place where the notes say how the work ended. */
export interface OutcomeStatement {
  /** The word of the format; null when the words there are none that the format knows. */
  readonly outcome: string | null;
  /** It says that something is not done yet: then nothing else that is said makes the whole work done. */
  readonly isUnfinished: boolean;
  readonly span: NoteSpan;
  readonly isBackground: boolean;
}

/** Without accents; each in several languages. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    completed:
      "completed|complete|done|finished|success|successful|succeeded|all done|fertig|erledigt|abgeschlossen|termine|fini|acheve|completado|completo|terminado|hecho|listo|concluido|feito|completato|finito|готово|завершено|выполнено|已完成|完成|完了",
    partial:
      "partial|partially completed|partially complete|partially done|partly done|partial plus|partial minus|teilweise|teilweise fertig|teilweise erledigt|teilweise abgeschlossen|partiel|partiellement termine|parcial|parcialmente completado|parcialmente concluido|parziale|частично|部分完成|一部完了",
    failed: "failed|failure|fehlgeschlagen|gescheitert|echoue|echec|fallido|fallo|falhou|fallito|провалено|失败|失敗",
    blocked: "blocked|blockiert|bloque|bloqueado|bloccato|заблокировано|阻塞|ブロック中",
  }).flatMap(([outcome, words]) => words.split("|").map((word) => [word, outcome] as const)),
);

const LABELS = new Set(
  "status|outcome|state|task status|final status|overall status|current status|estado|statut|etat|stand|zustand|stato|ergebnis|статус|状态|ステータス".split(
    "|",
  ),
);

/** `Status:` and the like; what follows is about the work as a whole. */
export function isOutcomeLabel(label: Label): boolean {
  return LABELS.has(foldedTitle(label.name));
}

/** Words that take back what the word before them said. */
const RESERVATION = /\b(?:but|except|not|partially|however|although|though|pending|remaining|until|almost|nearly)\b/i;

/** Every place that says plainly how the work ended: `Status: done`, a heading `## COMPLETE`, a table row. */
export function outcomeStatements(text: string, blocks: readonly NoteBlock[]): OutcomeStatement[] {
  return blocks.flatMap((block) => {
    const found = block.kind === "row" ? inRow(text, block) : inLines(text, block);
    const said = found.length === 0 ? inSentences(text, block, blocks.length === 1) : found;
    return said.map((statement) => ({
      ...statement,
      isUnfinished: isUnfinished(text, statement),
      isBackground: block.background !== null,
    }));
  });
}

type Found = Omit<OutcomeStatement, "isBackground" | "isUnfinished">;

const UNFINISHED =
  /^[^\p{L}]{0,20}(?:in[ _-]?progress|pending|ongoing|not (?:started|done|finished|complete)|to ?do|wip|waiting|incomplete|unfinished)\b/iu;

function isUnfinished(text: string, { outcome, span }: Found): boolean {
  return outcome === null && UNFINISHED.test(text.slice(span.start, span.end));
}

/** What a field of that name says: `"status": "completed"`. */
export function statedOutcome(text: string, span: NoteSpan): OutcomeStatement {
  const found = { outcome: outcomeIn(text.slice(span.start, span.end)), span };
  return { ...found, isUnfinished: isUnfinished(text, found), isBackground: false };
}

export function isOutcomeName(key: string): boolean {
  return LABELS.has(plainTitle(key.replaceAll("_", " ")));
}

/** "The task is complete.", a line below the heading "Status", or a file that says nothing but `done`. */
function inSentences(text: string, block: NoteBlock, isAlone: boolean): Found[] {
  if (block.kind === "heading" || block.background !== null) return [];
  const isHeaded = block.kind === "paragraph" && block.context.topics.includes("outcome");
  for (const [index, sentence] of sentencesIn(text, block).entries()) {
    const words = text.slice(sentence.start, Math.min(sentence.end, sentence.start + MAX_WHOLE));
    const isWord = index === 0 && (isHeaded || (isAlone && WORDS.has(words.toLowerCase())));
    const about = isWord ? 0 : WHOLE.exec(words)?.[0].length;
    const outcome = about === undefined ? null : outcomeIn(words.slice(about));
    if (outcome !== null) return [{ outcome, span: sentence }];
  }
  return [];
}
const MAX_WHOLE = 400;

/** The beginning of a sentence about all of the work. */
const WHOLE =
  /^\W{0,6}(?:[\p{L} ]{1,20}: )?(?:(?:the|this) (?:whole )?(?:task|work|ticket|job|session|assignment)|everything|all (?:of it|work|tasks|items)) (?:is|are|was|were|has been)(?: now| all)? (?=\p{L})/iu;

function inLines(text: string, block: NoteBlock): Found[] {
  if (block.kind === "heading") return inHeading(text, block);
  const found: Found[] = [];
  for (const line of linesOf(text, block)) {
    const label = labelOf(text, line);
    if (label === null || !isOutcomeLabel(label) || label.value.start === label.value.end) continue;
    found.push({ outcome: outcomeIn(text.slice(label.value.start, label.value.end)), span: label.value });
  }
  return found;
}

function linesOf(text: string, block: NoteSpan): NoteSpan[] {
  const lines: NoteSpan[] = [];
  let start = block.start;
  for (const ending of text.slice(block.start, block.end).matchAll(/\r\n|\r|\n/g)) {
    lines.push(trimmed(text, { start, end: block.start + ending.index }));
    start = block.start + ending.index + ending[0].length;
  }
  lines.push(trimmed(text, { start, end: block.end }));
  return lines;
}

/** `## Status: Done`, or a heading that ends in its verdict in capitals; "Completed" alone heads a list. */
function inHeading(text: string, block: NoteSpan): Found[] {
  const marks = /^\s*#+\s*/.exec(text.slice(block.start, Math.min(block.end, block.start + 20)))?.[0].length ?? 0;
  const span = trimmed(text, { start: block.start + marks, end: block.end });
  const label = labelOf(text, span);
  if (label !== null && isOutcomeLabel(label)) {
    return [{ outcome: outcomeIn(text.slice(label.value.start, label.value.end)), span: label.value }];
  }
  return verdictAtEnd(text, span, text.slice(0, block.start).trim() === "");
}

/** The heading of a part tells of that part; the title, or a verdict that stands alone, of all. */
function verdictAtEnd(text: string, span: NoteSpan, isTitle: boolean): Found[] {
  const shown = hideQuoted(text.slice(span.start, span.end)).slice(-200);
  const verdict = /(\w+)?[^\w]{0,8}\b(COMPLETED?|DONE|PARTIAL|FAILED|BLOCKED)\b[^\p{L}]{0,20}$/u.exec(shown);
  if (verdict === null || /^(?:not|never|in|non|partially|what|was)$/i.test(verdict[1] ?? "")) return [];
  if (!isTitle && /\p{L}/u.test(shown.slice(0, verdict.index) + (verdict[1] ?? ""))) return [];
  return [{ outcome: WORDS.get((verdict[2] ?? "").toLowerCase()) ?? null, span }];
}

/** `| Status | Completed |` */
function inRow(text: string, block: NoteSpan): Found[] {
  const [label, value, ...rest] = cellsOf(text, block);
  if (label === undefined || value === undefined || rest.length > 0) return [];
  if (!LABELS.has(foldedTitle(plainTitle(text.slice(label.start, label.end))))) return [];
  return [{ outcome: outcomeIn(text.slice(value.start, value.end)), span: value }];
}

/** The outcome that a cell or a word states. */
export function outcomeWord(value: string): string | null {
  return outcomeIn(value);
}

/** The outcome that a value begins with, when nothing after it takes it back. */
function outcomeIn(value: string): string | null {
  const bare = value.slice(0, 400).replace(/^[^\p{L}]{0,20}/u, "");
  const stopped = /^(blocked|failed)(?:,| (?:by|on|until|because|due|waiting|in|at|with|for)\b)/i.exec(bare)?.[1];
  if (stopped !== undefined) return stopped.toLowerCase();
  const head = /^[\p{L}\p{M}_ -]{1,60}/u.exec(bare)?.[0] ?? "";
  const words = joinedLines(head.split(/ -|- /)[0] ?? "").toLowerCase();
  const outcome = WORDS.get(foldedTitle(words.replaceAll(/[_-]/g, " ")).replace(/ (?:on|at)$/, "")) ?? null;
  return RESERVATION.test(bare.slice(words.length)) ? null : outcome;
}
