/**
 * Text for a terminal or a log. Handoffs are written by agents that may have read anything, so
 * escape sequences, direction overrides and invisible characters are shown instead of obeyed.
 */

/** What one place on the screen shows, and how many columns it takes. */
export interface ScreenCell {
  /** Where it begins in the text, in UTF-16 units. */
  readonly offset: number;
  readonly shown: string;
  readonly width: number;
}

const PLAIN = /^[\x20-\x7e]*$/;

const INVISIBLE = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb`;
const EMOJI = String.raw`\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?`;
// Joiners and selectors survive only where they draw an emoji; a fifth accent on one letter is an attack.
const SYMBOL = String.raw`\p{RI}\p{RI}|${EMOJI}(?:\u200d${EMOJI})*|[0-9#*]\ufe0f\u20e3`;
const MARK = String.raw`(?![${INVISIBLE}])[\p{Mn}\p{Me}]`;

/** Made when they are first needed: with their sets of characters they take a millisecond, and most text is plain. */
const patterns = {
  cell: once(() => new RegExp(String.raw`${SYMBOL}|(?<hidden>[${INVISIBLE}]|${MARK})|.(?:${MARK}){0,4}`, "gsu")),
  hidden: once(() => new RegExp(`[${INVISIBLE}]`, "gu")),
  wide: once(
    () =>
      /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u,
  ),
  wideSymbol: once(() => /\p{Emoji_Presentation}|\ufe0f/u),
};

function once(make: () => RegExp): () => RegExp {
  let made: RegExp | null = null;
  return () => (made ??= make());
}

/** Whether every character of the line is shown as it is, in one column. */
export function isPlainLine(line: string): boolean {
  return PLAIN.test(line);
}

/** One line without anything a terminal would obey: line ends and tabs too become `\n`, `\t`. */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  let shown = "";
  for (const cell of splitCells(text)) shown += cell.shown;
  return shown;
}

/** The text as places on the screen. Terminals disagree about rare characters; the common ones line up. */
export function splitCells(text: string, tab = "\\t"): ScreenCell[] {
  if (PLAIN.test(text)) return splitPlain(text);
  return Array.from(text.matchAll(patterns.cell()), (found) => {
    const hidden = found.groups?.["hidden"];
    if (hidden === undefined) return { offset: found.index, shown: found[0], width: isWide(found[0]) ? 2 : 1 };
    const shown = escapeCharacter(hidden, tab);
    return { offset: found.index, shown, width: shown.length };
  });
}

function splitPlain(text: string): ScreenCell[] {
  const cells: ScreenCell[] = [];
  for (let offset = 0; offset < text.length; offset += 1) cells.push({ offset, shown: text.charAt(offset), width: 1 });
  return cells;
}

/** JSON of the same value in which nothing is invisible and no log command can be read. */
export function printJson(value: unknown): string {
  return JSON.stringify(value).replace(patterns.hidden(), escapeUnits).replace(HASH_COMMAND, "##$1\\u005b");
}

/** The same over several lines, for people; ends with a line end. */
export function printJsonLines(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split("\n");
  return `${lines.map((line) => line.replace(patterns.hidden(), escapeUnits).replace(HASH_COMMAND, "##$1\\u005b")).join("\n")}\n`;
}

/** Lines of JSON, such that a terminal obeys nothing in them. Their values stay the same, their bytes do not. */
export function escapeJsonLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(patterns.hidden(), escapeUnits))
    .join("\n");
}

// Azure reads `##vso[`, TeamCity `##teamcity[`, and GitHub still its old `##[`, anywhere in a line.
const HASH_COMMAND = /##(\w*)\[/g;

/** A printable line that no CI system takes for a command. Only the first column may change its width. */
export function defuseLogCommands(line: string): string {
  const start = line.includes("::") && /^\s*::/.test(line) ? line.replace(/^(\s*):/, "$1\\x3a") : line;
  return start.includes("##") ? start.replace(HASH_COMMAND, "##$1\u27e6") : start;
}

/** Such lines as one text. Hardly any text has the signs of a command: they are looked for once, not in each line. */
export function defuseLines(lines: readonly string[]): string {
  const text = lines.join("\n");
  return text.includes("::") || text.includes("##") ? lines.map(defuseLogCommands).join("\n") : text;
}

function isWide(shown: string): boolean {
  return patterns.wide().test(shown) || patterns.wideSymbol().test(shown);
}

function escapeCharacter(character: string, tab: string): string {
  if (character === "\t") return tab;
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

function escapeUnits(character: string): string {
  let escaped = "";
  for (let unit = 0; unit < character.length; unit += 1) {
    escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
