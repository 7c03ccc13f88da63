import { utf8Length } from "../shared/utf8-length.ts";

/**
 * A path from a handoff: safe to read, or the reason why it is not. A path that is not read may still be the name of a
 * file in the repository, such as `-rf` or `~old`.
 */
type ClaimedPath =
  | { readonly isSafe: true; readonly path: string; readonly isFolder: boolean }
  | { readonly isSafe: false; readonly why: string; readonly mayBeName: boolean };

const MAX_PATH = 4096;
const MAX_NAME = 255;
/** The form of nearly all paths, none of which is hostile. */
const PLAIN = /^\w[\w-]*(?:[./][\w-]+)*$/;

/** The only place that decides whether a claimed path, or a pattern of paths, may be read. */
export function claimedPath(text: string): ClaimedPath {
  if (text.length <= MAX_NAME && PLAIN.test(text)) return { isSafe: true, path: text, isFolder: false };
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  const path = names.join("/");
  // `./-rf` is read as `-rf`, so both the written and the normalised path must be harmless.
  const why = objection(text) ?? objectionToNames(names) ?? (path === "" ? null : objection(path));
  if (why !== null) return { isSafe: false, why, mayBeName: mayBeName(text) };
  return { isSafe: true, path: path === "" ? "." : path, isFolder: path === "" || /\/\.?$/.test(text) };
}

/** Objections that only mean that the name is odd: a file of the repository may have it all the same. */
const ODD_NAMES: readonly Objection[] = [
  [(text) => /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text), "it holds control characters"],
  [(text) => text.startsWith("~"), "it begins with ~, like a home folder"],
  [(text) => text.startsWith("-"), "it begins with -, like an option"],
  [(text) => text.startsWith(":"), "it begins with :, which git takes for an instruction"],
];

type Objection = readonly [(text: string) => boolean, string];

/** Tests of the whole path; the first that is true gives the reason. */
const HOSTILE: readonly Objection[] = [
  [(text) => text.trim() === "", "it is empty"],
  [(text) => text.length > MAX_PATH || utf8Length(text) > MAX_PATH, `it is longer than ${MAX_PATH} bytes`],
  [(text) => text.includes("\0"), "it holds the character NUL"],
  [(text) => text.startsWith("/"), "it is absolute; paths are written from the project root"],
  [(text) => /^~(?:\/|$)/.test(text), "it begins with ~, a home folder"],
  [(text) => /^[A-Za-z]:/.test(text), "it begins with a drive"],
  [(text) => text.includes("\\"), "it holds a backslash; paths are written with /"],
];
const OBJECTIONS: readonly Objection[] = [...HOSTILE, ...ODD_NAMES];

function objection(text: string): string | null {
  return firstOf(OBJECTIONS, text);
}

function firstOf(objections: readonly Objection[], text: string): string | null {
  return objections.find(([holds]) => holds(text))?.[1] ?? null;
}

function mayBeName(text: string): boolean {
  return firstOf(HOSTILE, text) === null && objectionToNames(text.split("/")) === null;
}

function objectionToNames(names: readonly string[]): string | null {
  for (const name of names) {
    const why = objectionToName(name);
    if (why !== null) return why;
  }
  return null;
}

function objectionToName(name: string): string | null {
  // Some file systems drop spaces and dots at the end of a name: they read `.. ` as `..`.
  if (/^[\s.]*\.\.[\s.]*$/.test(name)) return "it leads out of its folder by ..";
  if (utf8Length(name) > MAX_NAME) return `it has a name longer than ${MAX_NAME} bytes`;
  return isGitFolder(name) ? "it leads into .git" : null;
}

/** Every spelling that some file system accepts: any case, ignored characters, endings that Windows drops, short names. */
function isGitFolder(name: string): boolean {
  if (!/git/i.test(name.replaceAll(/[^\x21-\x7e]/g, ""))) return false;
  const plain = name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
  return plain === ".git" || /^git~\d+$/.test(plain);
}
