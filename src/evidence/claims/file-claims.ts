import type { Handoff } from "../../protocol/handoff.ts";
import { type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { Claim, FileChange, Lines } from "../claim.ts";
import { linesInWords, quote } from "../wording.ts";
import { type FreeValue, besidesOf } from "./free-maps.ts";
import { readRange } from "./read-range.ts";

/** Files, artifacts, and that nothing else was changed. */
export function fileClaims(handoff: Handoff): Claim[] {
  const { created = [], modified = [], artifacts = [], directory } = handoff.work ?? {};
  const besides = besidesOf(handoff).flatMap(({ values }) => values);
  const files = [
    ...created.flatMap((file, at) => fileClaim(`work.created.${at}`, file, "created")),
    ...modified.flatMap((file, at) => fileClaim(`work.modified.${at}`, file, null)),
    ...besides.flatMap(listedFiles),
  ];
  const outputs = [
    ...artifacts.flatMap(({ path }, at) => (path === undefined ? [] : [artifactClaim(`work.artifacts.${at}`, path)])),
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

function fileClaim(where: string, { path, lines: text, change_type }: FileEntry, said: FileChange | null): Claim[] {
  if (path === undefined) return [];
  const lines = text === undefined ? null : readRange(text);
  const change = said ?? changeOf(change_type, lines);
  const range = lines === null ? "" : `, ${linesInWords(lines)}`;
  const says = `The file ${quote(path)} was ${change}${range}.`;
  return [{ kind: "file", where, says, about: { of: "file", path, change, lines } }];
}

/** `add` and `refactor` say how, not whether the file was there before; `delete` with lines is about these only. */
function changeOf(type: string | undefined, lines: Lines | null): FileChange {
  switch (type?.toLowerCase()) {
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
function listedFiles({ name, where, value }: FreeValue): Claim[] {
  const change = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
  if (change === undefined || !Array.isArray(value)) return [];
  return value.flatMap((item, at) => fileClaim(`${where}.${at}`, entryOf(item), change));
}

function listedArtifacts({ where, value }: FreeValue): Claim[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, at) => {
    const { path } = entryOf(item);
    return path === undefined ? [] : [artifactClaim(`${where}.${at}`, path)];
  });
}

function entryOf(item: JsonValue): FileEntry {
  if (typeof item === "string") return { path: item };
  if (!isRecord(item)) return {};
  const text = (key: string): string | undefined => (typeof item[key] === "string" ? item[key] : undefined);
  return { path: text("path") ?? text("file"), lines: text("lines") };
}

function artifactClaim(where: string, path: string): Claim {
  return {
    kind: "artifact",
    where,
    says: `The artifact ${quote(path)} was made.`,
    about: { of: "artifact", pattern: path },
  };
}

function folderClaim(directory: string): Claim {
  return {
    kind: "workspace",
    where: "work.directory",
    says: `The folder ${quote(directory)} of the feature is there.`,
    about: { of: "place", path: directory, lines: null, isPast: false },
  };
}

/** Ruling 25 lets it be absolute, where nobody looks; the project itself says nothing. */
function featureFolder(directory: string | undefined): string[] {
  if (directory === undefined || /^(?:\/|[A-Za-z]:)/.test(directory) || /^[./]*$/.test(directory)) return [];
  return [directory];
}

/** 000-R36: who lists files says that there are no others. 000 lists what was created, the others what was changed. */
function allChangesClaim(handoff: Handoff, files: readonly Claim[], outputs: readonly Claim[]): Claim[] {
  const listsArtifacts = handoff.dialect === "pipeline-json" && handoff.work?.artifacts !== undefined;
  if (files.length === 0 && !listsArtifacts) return [];
  const change = files.length > 0 ? "any" : "created";
  const declared = [...files, ...outputs].flatMap(({ about }) => {
    if (about.of === "file") return [about.path];
    return about.of === "artifact" ? [about.pattern] : [];
  });
  const says = `No other file was ${change === "any" ? "changed" : "created"} than the listed ones.`;
  const all = [...declared, ...implied(handoff)];
  const folders = featureFolder(handoff.work?.directory).filter((folder) => !isBelowFeatures(folder));
  const about = { of: "all-changes", change, declared: all, ...(folders.length > 0 && { folders }) } as const;
  return [{ kind: "undeclared", where: "work", says, about }];
}

/** Where 004 keeps its features: `.output/features/2026-03-09-gift-cards`. Not `src/features/cart`, which is work. */
function isBelowFeatures(folder: string): boolean {
  return /^(?:\.\/)?(?:(?:\.[^./][^/]*|docs)\/)*(?:features|\.output)\/+[^/]/.test(folder);
}

/** Where handing over itself writes: the handoff's own file, and the folder of the feature. */
function implied({ dialect, from, work }: Handoff): string[] {
  const folder = featureFolder(work?.directory)
    .filter(isBelowFeatures)
    .map((directory) => `${directory}/`);
  if (dialect !== "pipeline-json" || from === undefined || !/^[\w .-]{1,100}$/.test(from)) return folder;
  return [...folder, `handoff-${from}.json`, `handoff-${from}-iteration-*.json`];
}
