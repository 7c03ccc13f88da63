import { globSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../shared/app-error.ts";
import { reason } from "./read-input.ts";

/** A file to look at; `named` when the user asked for this very file. */
export interface FoundFile {
  readonly path: string;
  readonly named: boolean;
  /** Its name does not promise text that could be a handoff: it is looked at, and told of only if it is one. */
  readonly unusual?: true;
}

const EXTENSIONS = /\.(?:json|xml|ya?ml|md|markdown|txt)$/i;
/** Programs, pages, pictures, archives, data: a handoff in one of them would be a sample. */
const NEVER_HANDOFFS =
  /\.(?:[cm]?[jt]sx?|py[cio]?|rb|go|rs|java|kt|kts|scala|swift|c|cc|cpp|cxx|h|hh|hpp|cs|fs|php|pl|pm|lua|r|jl|dart|ex|exs|erl|hs|ml|clj|elm|vue|svelte|astro|sh|bash|zsh|fish|ps1|bat|cmd|sql|graphql|proto|tf|css|scss|sass|less|html?|svg|png|jpe?g|gif|webp|avif|ico|bmp|pdf|psd|mp[34]|wav|ogg|webm|mov|woff2?|ttf|otf|eot|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|war|class|o|a|so|dylib|dll|exe|bin|wasm|node|db|sqlite3?|parquet|csv|tsv|lock|map|snap|patch|diff|toml|ini|cfg|pem|key|crt)$/i;
const LEFT_OUT = new Set(["node_modules", ".git"]);
/** Worktrees of runs that may be at work, and state of older versions with prompts in it: a pattern can still name them. */
const LEFT_OUT_OF_FOLDERS = new Set([...LEFT_OUT, ".baton"]);

/** Files, folders, globs and `-`, in the order given; a pattern that matches nothing is wrong usage. */
export function findFiles(operands: readonly string[]): FoundFile[] {
  const found = new Map<string, FoundFile>();
  for (const operand of operands) {
    for (const file of expand(operand)) {
      const place = file.path === "-" ? "-" : resolve(file.path);
      const before = found.get(place);
      found.set(place, { ...file, path: before?.path ?? file.path, named: file.named || before?.named === true });
    }
  }
  return [...found.values()];
}

function expand(operand: string): FoundFile[] {
  if (operand === "-") return [{ path: "-", named: true }];
  const kind = kindOf(operand);
  if (kind === "file") return [{ path: operand, named: true }];
  if (kind === "folder") return walk(operand);
  if (!/[*?[{]/.test(operand))
    throw new AppError("cannot-read", `${operand} cannot be read: there is no such file.`, "Check the path.");
  const matches = globSync(operand, { exclude: (path: string) => LEFT_OUT.has(path) }).sort();
  const files = matches.flatMap((path) => matched(path, kindOf(path)));
  if (files.length === 0)
    throw new AppError(
      "no-match",
      `Nothing matches ${operand}.`,
      "Check the pattern; quote it so that the shell leaves it alone.",
    );
  return files;
}

/** As in a folder, what is no file is passed over: a pipe would be waited for, and a link may lead nowhere. */
function matched(path: string, kind: ReturnType<typeof kindOf>): FoundFile[] {
  if (kind === "folder") return walk(path);
  return kind === "file" && statSync(path).isFile() ? [{ path, named: false }] : [];
}

function kindOf(path: string): "file" | "folder" | null {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return null;
  }
}

function walk(folder: string): FoundFile[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .sort((left, right) => (left.name < right.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return LEFT_OUT_OF_FOLDERS.has(entry.name) ? [] : walk(path);
        if (!entry.isFile() || NEVER_HANDOFFS.test(entry.name)) return [];
        return [EXTENSIONS.test(entry.name) ? { path, named: false } : { path, named: false, unusual: true }];
      });
  } catch (error) {
    throw new AppError(
      "cannot-read",
      `${folder} cannot be read: ${reason(error)}.`,
      "Check the path and its permissions.",
    );
  }
}
