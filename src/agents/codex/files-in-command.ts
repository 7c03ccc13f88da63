/**
 * The files that a command of Codex prints, which is how it reads: `cat a`, `sed -n '1,9p' a`, `head -n 5 a | nl`. Only
 * plain commands are understood; of all others nothing is claimed.
 */
export function filesInCommand(text: string): string[] {
  const commands = text.length > LONGEST ? null : splitCommands(text);
  const [only] = commands ?? [];
  if (commands?.length === 1 && only !== undefined && isShell(only)) return filesOf(splitCommands(only[2] ?? ""));
  return filesOf(commands);
}

const LONGEST = 10_000;

/** `/bin/bash -lc '...'`. */
function isShell(words: readonly string[]): boolean {
  return words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? "") && /^-l?c$/.test(words[1] ?? "");
}

function filesOf(commands: readonly (readonly string[])[] | null): string[] {
  // After `cd` names mean something else.
  if (commands === null || commands.some(([name]) => name === "cd" || name === "pushd")) return [];
  return commands.flatMap(([name = "", ...words]) => READERS.get(name)?.(words) ?? []);
}

/** The files among the words of a command; none when an option is not known. */
type Reader = (words: readonly string[]) => string[];

const READERS: ReadonlyMap<string, Reader> = new Map([
  ["cat", (words) => operands(words, /^-[A-Za-z]+$/, null)],
  ["nl", (words) => operands(words, /^-[a-z]+$/, null)],
  ["head", (words) => operands(words, /^-(?:\d+|[nc]\d+|q|v)$/, /^-[nc]$/)],
  ["tail", (words) => operands(words, /^-(?:\d+|[nc]\+?\d+|q|v)$/, /^-[nc]$/)],
  // The first operand is the script; `-i` would write.
  ["sed", (words) => (words.includes("-n") ? operands(words, /^-[nErs]+$/, null).slice(1) : [])],
]);

function operands(words: readonly string[], lone: RegExp, withValue: RegExp | null): string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) found.push(word);
    else if (withValue?.test(word) === true) at += 1;
    else if (!lone.test(word)) return [];
  }
  return found;
}

/** Words of each command between `&&` and `|`; null where the shell would do more than split them. */
function splitCommands(text: string): string[][] | null {
  const commands: string[][] = [[]];
  const word = /\s*(?:(&&|\|)(?![|&])|((?:[^\s'"\\&|;<>()$`*?[\]{}#~!\n]|\\[^\n]|'[^']*'|"(?:[^"\\$`]|\\.)*")+))/gy;
  let end = 0;
  const trimmed = text.trim();
  while (end < trimmed.length) {
    word.lastIndex = end;
    const found = word.exec(trimmed);
    if (found === null) return null;
    end = word.lastIndex;
    if (found[1] === undefined) commands.at(-1)?.push(unquoted(found[2] ?? ""));
    else commands.push([]);
  }
  return commands;
}

function unquoted(word: string): string {
  return word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (_all, single, double, escaped) => {
    if (typeof single === "string") return single;
    return typeof double === "string" ? double.replaceAll(/\\(["\\$`])/g, "$1") : String(escaped);
  });
}
