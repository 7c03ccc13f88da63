/** Brackets alone are letters: `app/[id]/page.tsx` is the name of a file. */
export function isPattern(path: string): boolean {
  return /[*?]|\{[^{},/]*,[^{}/]*\}/.test(path);
}

/** With brackets that may be a choice of letters, where there is no file of this very name. */
export function mayBePattern(path: string): boolean {
  return isPattern(path) || hasClass(path);
}

function hasClass(path: string): boolean {
  return /\[[!^]?\]?(?:\[:[a-z]+:\]|[^\]/])+\]/.test(path);
}

/** With a slash at its end a pattern is about folders, and so about what lies below them. */
export function patternOf({ path, isFolder }: { readonly path: string; readonly isFolder: boolean }): string {
  return isFolder && mayBePattern(path) && !/(?:^|\/)\*\*$/.test(path) ? `${path}/**` : path;
}

/** Patterns that name everything there is, and so prove nothing: in one of its branches, no letter that must fit. */
export function isEverything(path: string): boolean {
  return path === "." || (isPattern(path) && expandBraces(path).some(isAllWild));
}

function isAllWild(branch: string): boolean {
  const names = branch.replaceAll(CLASS, "?").split("/");
  return names.every((name) => /^\.$|^[*?]+(?:\.[*?]+)*$/.test(name));
}

const MOST_BRANCHES = 64;

/** How many more characters may be compared. Who writes both patterns and names of files could keep us busy for long. */
export interface Effort {
  left: number;
}

/** Less than a second among ten thousand files, more with more. */
export function limitedEffort(files: number): Effort {
  return { left: 20_000_000 + files * 2000 };
}

/**
 * Tells whether a path fits a pattern with `*`, `**`, `?`, `{a,b}` and `[a-c]`, which may be letters as well; when the
 * effort is spent, nothing does.
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

/** The folder that every match of a pattern is below; null when it can be anywhere. */
export function folderOf(pattern: string): string | null {
  return /^[^*?{[]*(?=\/)/.exec(pattern)?.[0] ?? null;
}

function expandBraces(pattern: string): string[] {
  let open = [pattern];
  for (;;) {
    const next = open.flatMap(expandFirst);
    if (next.length === open.length || next.length > MOST_BRANCHES) return open;
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

/** What one letter of a name must be; null is `*`, any number of them. */
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

/** Goes back to the last `**` only. */
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

/** The same with `*` and letters. */
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
