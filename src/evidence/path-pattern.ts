/** Brackets alone make no pattern: `app/[id]/page.tsx` is the name of a file. */
export function isPattern(path: string): boolean {
  return /[*?]|\{[^{},/]*,[^{}/]*\}/.test(path);
}

/** Also true of brackets that may be a character class, for paths that no file has. */
export function mayBePattern(path: string): boolean {
  return isPattern(path) || hasClass(path);
}

function hasClass(path: string): boolean {
  return /\[[!^]?\]?(?:\[:[a-z]+:\]|[^\]/])+\]/.test(path);
}

/** A pattern with a slash at its end means everything below the matching folders. */
export function patternOf({ path, isFolder }: { readonly path: string; readonly isFolder: boolean }): string {
  return isFolder && mayBePattern(path) && !/(?:^|\/)\*\*$/.test(path) ? `${path}/**` : path;
}

/** A pattern that matches every path, and so proves nothing: one of its branches has no literal character. */
export function isEverything(path: string): boolean {
  return path === "." || (isPattern(path) && expandBraces(path).some(isAllWild));
}

function isAllWild(branch: string): boolean {
  const names = branch.replaceAll(CLASS, "?").split("/");
  return names.every((name) => /^\.$|^[*?]+(?:\.[*?]+)*$/.test(name));
}

const MAX_BRANCHES = 64;

/** How many more characters may be compared: an author of both patterns and file names could make it take very long. */
export interface Effort {
  left: number;
}

/** Enough for less than a second with ten thousand files; it grows with their number. */
export function limitedEffort(files: number): Effort {
  return { left: 20_000_000 + files * 2000 };
}

/**
 * Matches paths with `*`, `**`, `?`, `{a,b}` and `[a-c]`; a class may also be meant as literal text. When the effort is
 * used up, nothing matches.
 */
export function pathMatcher(pattern: string, effort: Effort): (path: string) => boolean {
  const branches = expandBraces(pattern).flatMap((branch) => {
    const plain = branch.split("/").map(readLetters);
    return hasClass(branch) ? [plain, branch.split("/").map(readSigns)] : [plain];
  });
  return (path) => {
    if (effort.left <= 0) return false;
    effort.left -= path.length;
    const names = path.split("/");
    return branches.some((branch) => matchesNames(branch, names, effort));
  };
}

/** The folder that contains every match of a pattern; null when a match can be anywhere. */
export function folderOf(pattern: string): string | null {
  return /^[^*?{[]*(?=\/)/.exec(pattern)?.[0] ?? null;
}

function expandBraces(pattern: string): string[] {
  let open = [pattern];
  for (;;) {
    const next = open.flatMap(expandFirst);
    if (next.length === open.length || next.length > MAX_BRANCHES) return open;
    open = next;
  }
}

function expandFirst(pattern: string): string[] {
  const found = /\{([^{},/]*,[^{}/]*)\}/.exec(pattern);
  if (found === null) return [pattern];
  const before = pattern.slice(0, found.index);
  const after = pattern.slice(found.index + found[0].length);
  return (found[1] ?? "").split(",").map((choice) => before + choice + after);
}

/** What one character of a name must be; null is `*`, any number of characters. */
type Sign = number | null | ((letter: number) => boolean);
/** The signs of a name; `folders` is `**`, any number of names. */
type NamePattern = readonly Sign[] | "folders";

function readLetters(name: string): NamePattern {
  return name === "**" ? "folders" : lettersOf(name);
}

function lettersOf(text: string): Sign[] {
  return Array.from({ length: text.length }, (_, at) => signOf(text.charCodeAt(at)));
}

function signOf(letter: number): Sign {
  if (letter === STAR) return null;
  return letter === QUESTION_MARK ? () => true : letter;
}

function readSigns(name: string): NamePattern {
  if (name === "**") return "folders";
  const signs: Sign[] = [];
  let from = 0;
  for (const found of name.matchAll(CLASS)) {
    signs.push(...lettersOf(name.slice(from, found.index)), readClass(found[1] ?? ""));
    from = found.index + found[0].length;
  }
  return [...signs, ...lettersOf(name.slice(from))];
}

/** `[a-c]`, `[!a-c]`, `[[:digit:]x]`; a bracket that closes may stand first. */
const CLASS = /\[([!^]?\]?(?:\[:[a-z]+:\]|[^\]/])*)\]/g;

const NAMED_LETTERS: ReadonlyMap<string, string> = new Map([
  ["alpha", "a-zA-Z"],
  ["digit", "0-9"],
  ["alnum", "a-zA-Z0-9"],
  ["lower", "a-z"],
  ["upper", "A-Z"],
  ["xdigit", "0-9a-fA-F"],
]);

function readClass(text: string): Sign {
  const isNot = /^[!^]/.test(text);
  const letters = (isNot ? text.slice(1) : text).replaceAll(
    /\[:([a-z]+):\]/g,
    (all, name: string) => NAMED_LETTERS.get(name) ?? all,
  );
  const ranges: [number, number][] = [];
  for (let at = 0; at < letters.length; at++) {
    const isRange = letters[at + 1] === "-" && at + 2 < letters.length;
    ranges.push([letters.charCodeAt(at), letters.charCodeAt(isRange ? at + 2 : at)]);
    if (isRange) at += 2;
  }
  return (letter) => ranges.some(([first, last]) => letter >= first && letter <= last) !== isNot;
}

/** Backtracks to the last `**` only. */
function matchesNames(pattern: readonly NamePattern[], names: readonly string[], effort: Effort): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let item = 0; item < names.length;) {
    if (--effort.left < 0) return false;
    const signs = pattern[at];
    if (signs === "folders") {
      star = at++;
      taken = item;
    } else if (signs !== undefined && matchesName(signs, names[item] ?? "", effort)) {
      at++;
      item++;
    } else if (star !== -1) {
      at = star + 1;
      item = ++taken;
    } else return false;
  }
  while (pattern[at] === "folders") at++;
  return at === pattern.length;
}

/** The same with `*` and characters. */
function matchesName(pattern: readonly Sign[], name: string, effort: Effort): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let item = 0; item < name.length;) {
    if (--effort.left < 0) return false;
    const sign = pattern[at];
    if (sign === null) {
      star = at++;
      taken = item;
    } else if (sign !== undefined && fits(sign, name.charCodeAt(item))) {
      at++;
      item++;
    } else if (star !== -1) {
      at = star + 1;
      item = ++taken;
    } else return false;
  }
  while (pattern[at] === null) at++;
  return at === pattern.length;
}

function fits(sign: Exclude<Sign, null>, letter: number): boolean {
  return typeof sign === "number" ? sign === letter : sign(letter);
}

const STAR = 0x2a;
const QUESTION_MARK = 0x3f;
