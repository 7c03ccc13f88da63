import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, normalize, relative } from "node:path";
import { HOME, homes, isAtOrBelow, isBelow, isFolder, realOf, type SeenFolder } from "./sandbox-view.ts";

/** The file in the operator's configuration folder that lists folders of toolchains, one a line. */
export const TOOLCHAIN_FILE = "toolchains";

interface ToolchainList {
  readonly folders: readonly SeenFolder[];
  /** Lines that do not count, each with the reason. */
  readonly problems: readonly { readonly line: string; readonly why: string }[];
}

/**
 * The folders outside of every repository that the operator lets gates see: compilers, packages, caches. Only the
 * operator's own file counts. A line that could show more than a toolchain does not count, and says why.
 */
export function readToolchains(file: string, hidden: readonly string[]): ToolchainList {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return { folders: [], problems: [] };
  if (!isOwn(stats)) return { folders: [], problems: [{ line: file, why: "others can change this file" }] };
  const lines = readFileSync(file, "utf8")
    .split(/\r?\n/)
    .map((line) => line.trim());
  const kept = [...hidden, dirname(realOf(file) ?? file)];
  const read = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => readLine(line, kept));
  return {
    folders: read.flatMap((each) => ("folder" in each ? [each.folder] : [])),
    problems: read.flatMap((each) => ("why" in each ? [each] : [])),
  };
}

function isOwn({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || ((uid === process.getuid() || uid === 0) && (mode & 0o022) === 0);
}

type ReadLine = { readonly folder: SeenFolder } | { readonly line: string; readonly why: string };

function readLine(line: string, hidden: readonly string[]): ReadLine {
  const place = normalize(line.startsWith("~/") ? join(homedir(), line.slice(2)) : line).replace(/(?<=.)\/$/, "");
  if (!isAbsolute(place))
    return { line, why: "a folder is named by its whole path, or by ~/ and its path in the home" };
  const real = isFolder(place) ? realOf(place) : null;
  if (real === null) return { line, why: "there is no such folder" };
  const why = [place, real].map((path) => whyNot(path, hidden)).find((each) => each !== null) ?? null;
  if (why !== null) return { line, why };
  return { folder: { from: real, without: secretsIn(real), to: [...new Set([place, real, ...inHome(place)])] } };
}

/** Most programs look for their folders where HOME says, some where the system says: a folder of the home is at both. */
function inHome(place: string): string[] {
  const home = homes().find((folder) => isBelow(place, folder));
  return home === undefined ? [] : [join(HOME, relative(home, place))];
}

const NO_TOOLCHAIN = ["/proc", "/dev", "/sys", "/run", "/etc", "/boot"];

/** Folders of a home that hold keys, passwords or sessions. */
const PRIVATE =
  ".ssh .gnupg .aws .azure .kube .docker .password-store .mozilla .thunderbird .pki .local/share/keyrings .config/baton .config/gcloud .config/gh .config/op";

function whyNot(path: string, hidden: readonly string[]): string | null {
  if (homes().some((home) => isAtOrBelow(home, path))) return "it would show the whole home";
  if (path === "/tmp" || path === "/" || NO_TOOLCHAIN.some((folder) => isAtOrBelow(path, folder)))
    return "it belongs to the system";
  if (hidden.some((folder) => isAtOrBelow(path, folder) || isAtOrBelow(folder, path)))
    return "it would show the state of Baton";
  const secret = homes()
    .flatMap((home) => PRIVATE.split(" ").map((name) => join(home, name)))
    .find((folder) => isAtOrBelow(path, folder) || (isBelow(folder, path) && isFolder(folder)));
  return secret === undefined ? null : `it would show ${secret}`;
}

/** Files by which tools log in somewhere. */
const SECRET =
  /^(?:\.?credentials(?:\..+)?|settings(?:-security)?\.xml|gradle\.properties|\.?npmrc|\.yarnrc(?:\.yml)?|[._]netrc|\.pypirc|pip\.conf|nuget\.config|\.git-credentials|auth\.(?:json|toml)|\.env(?:\..+)?|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:p12|pfx|key))$/i;
/** The folder itself and two below: packages of others, with test keys in them, are deeper. */
const DEPTH = 3;

function secretsIn(folder: string): string[] {
  const found: string[] = [];
  let level = [""];
  for (let depth = 0; depth < DEPTH; depth++) {
    const entries = level.flatMap((path) => entriesOf(join(folder, path)).map((entry) => ({ entry, path })));
    for (const { entry, path } of entries)
      if (!entry.isDirectory() && SECRET.test(entry.name)) found.push(join(path, entry.name));
    level = entries.flatMap(({ entry, path }) => (entry.isDirectory() ? [join(path, entry.name)] : []));
  }
  return found;
}

/** What cannot be listed cannot be read by a gate either. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
