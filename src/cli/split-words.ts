/** A command that no shell will read: its words, or what keeps it from having any. */
export type SplitWords =
  | { readonly words: readonly string[]; readonly problem: null }
  | { readonly words: null; readonly problem: string };

/** As a shell would, without anything that a shell would do: quotes and backslashes are understood, the rest refused. */
export function splitWords(text: string): SplitWords {
  const words: string[] = [];
  let word: string | null = null;
  let rest = text.trim();
  while (rest !== "") {
    const piece = PIECE.exec(rest);
    if (piece === null) return { words: null, problem: problemOf(rest) };
    rest = rest.slice(piece[0].length);
    if (piece[1] === undefined) word = (word ?? "") + meaningOf(piece);
    else {
      if (word !== null) words.push(word);
      word = null;
    }
  }
  if (word === null) return { words: null, problem: "it is empty" };
  return { words: [...words, word], problem: null };
}

/** Space, single quotes, double quotes, a backslash, plain characters. */
const PIECE = /^(?:(\s+)|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\(.)|([^\s'"\\|&;<>()$`*?[\]{}~!#]+))/s;

function meaningOf([, , single, double, escaped, plain]: RegExpExecArray): string {
  return single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "";
}

function problemOf(rest: string): string {
  const [sign = ""] = rest;
  if (sign === "'" || sign === '"') return `a ${sign} is not closed, or holds what only a shell understands`;
  return `${sign} has a meaning for shells only, and none reads it: put it in quotes, or write sh -c '...'`;
}
