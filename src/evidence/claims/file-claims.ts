import type { Handoff } from "../../protocol/handoff.ts";
import { type JsonPath, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { type Claim, type ClaimPlace, type FileChange, type LineRange, standsAt } from "../claim.ts";
import { linesInWords, quote, readRange } from "../wording.ts";
import { type FreeValue, freeMapsOf, placeOfItem } from "./free-maps.ts";

/** Changed files, artifacts, and the claim that nothing else was changed. */
export function fileClaims(handoff: Handoff): Claim[] {
  const { created = [], modified = [], artifacts = [], directory } = handoff.work ?? {};
  const besides = freeMapsOf(handoff).flatMap(({ values }) => values);
  const files = [
    ...created.flatMap((file, at) => fileClaim(standsAt(["work", "created", at], "path"), file, "created")),
    ...modified.flatMap((file, at) => fileClaim(standsAt(["work", "modified", at], "path"), file, null)),
    ...besides.flatMap(listedFiles),
  ];
  const outputs = [
    ...artifacts.flatMap(({ path }, at) =>
      path === undefined ? [] : [artifactClaim(standsAt(["work", "artifacts", at], "path"), path)],
    ),
    ...besides.filter(({ name }) => name === "artifacts").flatMap(listedArtifacts),
  ];
  const folder = featureFolder(directory);
  return [...files, ...outputs, ...folder.map(folderClaim), ...allChangesClaim(handoff, files, outputs)];
}

interface FileEntry {
  readonly path?: string | undefined;
  readonly lines?: string | undefined;
  readonly change_type?: string | undefined;
}

function fileClaim(place: ClaimPlace, { path, lines: text, change_type }: FileEntry, said: FileChange | null): Claim[] {
  if (path === undefined) return [];
  const lines = text === undefined ? null : readRange(text);
  const change = said ?? changeOf(change_type, lines);
  const range = lines === null ? "" : `, ${linesInWords(lines)}`;
  const says = `The file ${quote(path)} was ${change}${range}.`;
  return [{ kind: "file", ...place, says, about: { of: "file", path, change, lines } }];
}

/** `add` and `refactor` do not say whether the file existed before; `delete` with lines means these lines only. */
function changeOf(type: string | undefined, lines: LineRange | null): FileChange {
  switch (type?.toLowerCase() ?? "") {
    case "delete":
      return lines === null ? "deleted" : "changed";
    case "add":
    case "modify":
      return "modified";
    default:
      return "changed";
  }
}

const LISTS: Readonly<Record<string, FileChange>> = {
  files_created: "created",
  created_files: "created",
  new_files: "created",
  files_modified: "changed",
  modified_files: "changed",
  files_changed: "changed",
  changed_files: "changed",
  files_deleted: "deleted",
  deleted_files: "deleted",
  files_removed: "deleted",
};

/** Lists that the dialect has no field for. */
function listedFiles({ name, value, ...place }: FreeValue): Claim[] {
  const change = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
  if (change === undefined || !Array.isArray(value)) return [];
  return value.flatMap((item, at) => fileClaim(entryPlace(place, at, item), entryOf(item), change));
}

function listedArtifacts({ value, ...place }: FreeValue): Claim[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, at) => {
    const { path } = entryOf(item);
    return path === undefined ? [] : [artifactClaim(entryPlace(place, at, item), path)];
  });
}

function entryOf(item: JsonValue): FileEntry {
  if (typeof item === "string") return { path: item };
  if (!isRecord(item)) return {};
  const text = (key: string): string | undefined => (typeof item[key] === "string" ? item[key] : undefined);
  return { path: text("path") ?? text("file"), lines: text("lines") };
}

/** The path is in one of two fields of the entry, or is the entry itself. */
function entryPlace(list: ClaimPlace, at: number, item: JsonValue): ClaimPlace {
  const { where, path } = placeOfItem(list, at);
  if (!isRecord(item)) return { where, path };
  return { where, path: [...path, typeof item["path"] === "string" ? "path" : "file"] };
}

function artifactClaim(place: ClaimPlace, path: string): Claim {
  return {
    kind: "artifact",
    ...place,
    says: `The artifact ${quote(path)} was made.`,
    about: { of: "artifact", pattern: path },
  };
}

function folderClaim(directory: string): Claim {
  return {
    kind: "workspace",
    ...standsAt(["work", "directory"]),
    says: `The folder ${quote(directory)} of the feature is there.`,
    about: { of: "place", path: directory, lines: null, isPast: false },
  };
}

/** Ruling 25 allows an absolute path, which is not looked at; the project folder itself claims nothing. */
function featureFolder(directory: string | undefined): string[] {
  if (directory === undefined || /^(?:\/|[A-Za-z]:)/.test(directory) || /^[./]*$/.test(directory)) return [];
  return [directory];
}

/**
 * 000-R36: a list of files claims to be complete, also when it is empty. 000 lists created files, the other dialects
 * changed ones.
 */
function allChangesClaim(handoff: Handoff, files: readonly Claim[], outputs: readonly Claim[]): Claim[] {
  const empty = files.length === 0 ? emptyList(handoff) : null;
  const listsArtifacts = handoff.dialect === "pipeline-json" && handoff.work?.artifacts !== undefined;
  if (files.length === 0 && empty === null && !listsArtifacts) return [];
  const change = files.length > 0 || empty !== null ? "any" : "created";
  const says = `No other file was ${change === "any" ? "changed" : "created"} than the listed ones.`;
  const declared = declaredPaths(handoff, [...files, ...outputs]);
  const created = files.flatMap(({ about: file }) =>
    file.of === "file" && file.change === "created" ? [file.path] : [],
  );
  const named = { declared, ...(created.length > 0 && { created }), ...declaredFolders(handoff) };
  const about = { of: "all-changes", change, ...named } as const;
  return [{ kind: "undeclared", where: "work", path: empty ?? listOf(files), says, about }];
}

/** The place of a list of changed files that is there and has nothing in it. */
function emptyList(handoff: Handoff): JsonPath | null {
  const { created, modified } = handoff.work ?? {};
  if (modified !== undefined) return ["work", "modified"];
  if (created !== undefined) return ["work", "created"];
  const besides = freeMapsOf(handoff).flatMap(({ values }) => values);
  const list = besides.find(({ name, value }) => Object.hasOwn(LISTS, name) && Array.isArray(value));
  return list?.path ?? null;
}

/** All paths that a handoff names as its own, by these claims or by custom. */
export function declaredPaths(handoff: Handoff, claims: readonly Claim[]): string[] {
  const named = claims.flatMap(({ about }) => {
    if (about.of === "file") return [about.path];
    return about.of === "artifact" ? [about.pattern] : [];
  });
  return [...named, ...implied(handoff)];
}

/** The folder of the feature, where it is no folder that only features have. */
export function declaredFolders({ work }: Handoff): { readonly folders?: readonly string[] } {
  const folders = featureFolder(work?.directory).filter((folder) => !isBelowFeatures(folder));
  return folders.length > 0 ? { folders } : {};
}

/** The place of one of the lists, because all of them together have none. */
function listOf(files: readonly Claim[]): JsonPath {
  const file = files.find(({ path }) => path[1] === "modified") ?? files[0];
  if (file === undefined) return ["work", "artifacts"];
  return file.path.slice(
    0,
    file.path.findLastIndex((step) => typeof step === "number"),
  );
}

/** A feature folder of 004: `.output/features/2026-03-09-gift-cards`; not `src/features/cart`, which is source code. */
function isBelowFeatures(folder: string): boolean {
  return /^(?:\.\/)?(?:(?:\.[^./][^/]*|docs)\/)*(?:features|\.output)\/+[^/]/.test(folder);
}

/** The handoff's own file, and the folder of the feature. */
function implied({ dialect, from, work }: Handoff): string[] {
  const folder = featureFolder(work?.directory)
    .filter(isBelowFeatures)
    .map((directory) => `${directory}/`);
  if (dialect !== "pipeline-json" || from === undefined || !/^[\w .-]{1,100}$/.test(from)) return folder;
  return [...folder, `handoff-${from}.json`, `handoff-${from}-iteration-*.json`];
}
