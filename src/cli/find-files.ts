import { globSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../shared/app-error.ts";
import { reason } from "./read-input.ts";

/** A file to look at; `named` when the user asked for this very file. */
export interface FoundFile {
  readonly path: string;
  readonly named: boolean;
}

const EXTENSIONS = /\.(?:json|xml|ya?ml|md|markdown|txt)$/i;
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
      found.set(place, { path: before?.path ?? file.path, named: file.named || before?.named === true });
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
        return entry.isFile() && EXTENSIONS.test(entry.name) ? [{ path, named: false }] : [];
      });
  } catch (error) {
    throw new AppError(
      "cannot-read",
      `${folder} cannot be read: ${reason(error)}.`,
      "Check the path and its permissions.",
    );
  }
}
