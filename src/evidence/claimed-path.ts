import { utf8Length } from "../shared/utf8-length.ts";

/** A path from a handoff: safe to read, or the reason why it is not. */
type ClaimedPath =
  | { readonly isSafe: true; readonly path: string; readonly isFolder: boolean }
  | { readonly isSafe: false; readonly why: string };

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
  if (why !== null) return { isSafe: false, why };
  return { isSafe: true, path: path === "" ? "." : path, isFolder: path === "" || /\/\.?$/.test(text) };
}

/** Tests of the whole path; the first that is true gives the reason. */
const OBJECTIONS: readonly (readonly [(text: string) => boolean, string])[] = [
  [(text) => text.trim() === "", "it is empty"],
  [(text) => text.length > MAX_PATH || utf8Length(text) > MAX_PATH, `it is longer than ${MAX_PATH} bytes`],
  [(text) => /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text), "it holds control characters"],
  [(text) => text.includes("\\"), "it holds a backslash; paths are written with /"],
  [(text) => text.startsWith("/"), "it is absolute; paths are written from the project root"],
  [(text) => text.startsWith("~"), "it begins with ~, a home folder"],
  [(text) => text.startsWith("-"), "it begins with -, like an option"],
  [(text) => text.startsWith(":"), "it begins with :, which git takes for an instruction"],
  [(text) => /^[A-Za-z]:/.test(text), "it begins with a drive"],
];

function objection(text: string): string | null {
  return OBJECTIONS.find(([holds]) => holds(text))?.[1] ?? null;
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
