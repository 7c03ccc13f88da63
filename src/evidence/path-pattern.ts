/** Brackets are letters here: `app/[id]/page.tsx` is the name of a file. */
export function isPattern(path: string): boolean {
  return /[*?]|\{[^{},/]*,[^{}/]*\}/.test(path);
}

/** Patterns that name everything there is, and so prove nothing. */
export function isEverything(path: string): boolean {
  return /^(?:\.|\*+)(?:\/\*+(?:\.\*)?)*$|^\*+\.\*$/.test(path);
}

const MOST_BRANCHES = 64;

/** How many more characters may be compared. Who writes both patterns and names of files could keep us busy for long. */
export interface Effort {
  left: number;
}

/** About a tenth of a second. */
export function limitedEffort(): Effort {
  return { left: 20_000_000 };
}

/** Tells whether a path fits a pattern with `*`, `**`, `?` and `{a,b}`; when the effort is spent, nothing does. */
export function pathMatcher(pattern: string, effort: Effort): (path: string) => boolean {
  const branches = expandBraces(pattern).map((branch) => branch.split("/"));
  return (path) => {
    if (effort.left <= 0) return false;
    const names = path.split("/");
    return branches.some((branch) => matchesNames(branch, names, effort));
  };
}

/** The folder that every match of a pattern is below; null when it can be anywhere. */
export function folderOf(pattern: string): string | null {
  return /^[^*?{]*(?=\/)/.exec(pattern)?.[0] ?? null;
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

/** `**` stands for any number of folders. */
function matchesNames(pattern: readonly string[], names: readonly string[], effort: Effort): boolean {
  const isStar = (at: number): boolean => pattern[at] === "**";
  const fits = (at: number, name: number): boolean => matchesName(pattern[at] ?? "", names[name] ?? "", effort);
  return walk(pattern.length, names.length, isStar, fits, effort);
}

function matchesName(pattern: string, name: string, effort: Effort): boolean {
  const isStar = (at: number): boolean => pattern[at] === "*";
  const fits = (at: number, letter: number): boolean => pattern[at] === "?" || pattern[at] === name[letter];
  return walk(pattern.length, name.length, isStar, fits, effort);
}

/** Both walks are the same: a star takes any number of items, anything else exactly one. Goes back to the last star only. */
function walk(
  patternLength: number,
  length: number,
  isStar: (at: number) => boolean,
  fits: (at: number, item: number) => boolean,
  effort: Effort,
): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let item = 0; item < length;) {
    if (--effort.left < 0) return false;
    if (at < patternLength && isStar(at)) {
      star = at++;
      taken = item;
    } else if (at < patternLength && fits(at, item)) {
      at++;
      item++;
    } else if (star !== -1) {
      at = star + 1;
      item = ++taken;
    } else return false;
  }
  while (at < patternLength && isStar(at)) at++;
  return at === patternLength;
}
