import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import type { JsonRecord } from "../../shared/json-value.ts";
import { amountOf, jsonText } from "../watched-lines.ts";

/** More than this is no text that an agent can make use of. */
const MAX_FILE = 16 << 20;

/** The files an agent asks us for: of its workspace alone, whatever links say. */
export async function readWorkspaceFile(workspace: string, parameters: JsonRecord): Promise<JsonRecord> {
  const place = await placeInside(workspace, jsonText(parameters["path"]) ?? "");
  const file = await openFile(place, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE) throw new Error(`${place} is too large`);
    return { content: someLines(await file.readFile("utf8"), parameters) };
  } finally {
    await file.close();
  }
}

export async function writeWorkspaceFile(workspace: string, parameters: JsonRecord): Promise<JsonRecord> {
  const place = await placeInside(workspace, jsonText(parameters["path"]) ?? "");
  if (isOfGit(workspace, place)) throw new Error("what git keeps for itself is not written by agents");
  const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
  await mkdir(dirname(place), { recursive: true });
  const file = await openFile(place, O_WRONLY | O_CREAT | O_TRUNC);
  try {
    await file.writeFile(jsonText(parameters["content"]) ?? "");
  } finally {
    await file.close();
  }
  return {};
}

/** Regular files only: a pipe could block for ever or never end. */
async function openFile(place: string, flags: number): Promise<FileHandle> {
  const file = await open(place, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${place} is no file`);
}

/** Whether a path that a client names lies in the workspace, links followed as far as they exist. */
export async function isInWorkspace(workspace: string, path: string): Promise<boolean> {
  const place = await placeInside(workspace, path).catch(() => null);
  return place !== null && !isOfGit(workspace, place);
}

async function placeInside(workspace: string, path: string): Promise<string> {
  if (path === "" || path.includes("\0")) throw new Error("no file is named");
  const root = await realpath(workspace);
  const place = await realPlace(isAbsolute(path) ? join(path) : join(root, path));
  if (place !== root && !place.startsWith(root + sep)) throw new Error(`${path} is outside the workspace`);
  return place;
}

/** The real path of what may not exist yet: its nearest existing folder decides. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing || path === dirname(path)) throw error;
    return join(await realPlace(dirname(path)), basename(path));
  }
}

/** Its hooks and configuration are programs that we, or a person, would run later. */
function isOfGit(workspace: string, place: string): boolean {
  return relative(workspace, place).split(sep).includes(".git");
}

/** `line` counts from 1. */
function someLines(text: string, parameters: JsonRecord): string {
  const first = amountOf(parameters["line"]);
  const limit = amountOf(parameters["limit"]);
  if (first === null && limit === null) return text;
  const start = Math.max(0, (first ?? 1) - 1);
  return text
    .split("\n")
    .slice(start, limit === null ? undefined : start + limit)
    .join("\n");
}
