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

/** Less than a second among ten thousand files, more with more. */
export function limitedEffort(files: number): Effort {
  return { left: 20_000_000 + files * 2000 };
}

/** Tells whether a path fits a pattern with `*`, `**`, `?` and `{a,b}`; when the effort is spent, nothing does. */
export function pathMatcher(pattern: string, effort: Effort): (path: string) => boolean {
  const branches = expandBraces(pattern).map((branch) => branch.split("/"));
  return (path) => {
    if (effort.left <= 0) return false;
    effort.left -= path.length;
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

/** `**` stands for any number of folders. Goes back to the last of them only. */
function matchesNames(pattern: readonly string[], names: readonly string[], effort: Effort): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let item = 0; item < names.length;) {
    if (--effort.left < 0) return false;
    if (pattern[at] === "**") {
      star = at++;
      taken = item;
    } else if (at < pattern.length && matchesName(pattern[at] ?? "", names[item] ?? "", effort)) {
      at++;
      item++;
    } else if (star !== -1) {
      at = star + 1;
      item = ++taken;
    } else return false;
  }
  while (pattern[at] === "**") at++;
  return at === pattern.length;
}

/** The same with `*` and letters. */
function matchesName(pattern: string, name: string, effort: Effort): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let item = 0; item < name.length;) {
    if (--effort.left < 0) return false;
    const sign = pattern.charCodeAt(at);
    if (sign === STAR) {
      star = at++;
      taken = item;
    } else if (sign === name.charCodeAt(item) || sign === QUESTION_MARK) {
      at++;
      item++;
    } else if (star !== -1) {
      at = star + 1;
      item = ++taken;
    } else return false;
  }
  while (pattern.charCodeAt(at) === STAR) at++;
  return at === pattern.length;
}

const STAR = 0x2a;
const QUESTION_MARK = 0x3f;
