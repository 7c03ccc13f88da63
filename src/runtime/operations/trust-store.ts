import { hash as hashText } from "node:crypto";
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../../ports/event-log.ts";
import type { SeenTexts } from "../../ports/ports.ts";
import { openDatabase } from "../../ports/sqlite.ts";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import type { TrustedFile } from "../../workflow/input.ts";
import { makeFolder } from "../make-folder.ts";

/** A workflow that the operator trusts, with the files that it names, in one repository. */
export interface TrustEntry {
  /** Of the workflow and of all these files: what `--trust` takes. */
  readonly hash: string;
  /** The folder of the repository, for people. */
  readonly repository: string;
  /** By which this repository is told from every other one. */
  readonly mark: string;
  /** Its file from the root of the repository, or the name of one that comes with baton. */
  readonly workflow: string;
  /** Hash of its text. */
  readonly content: string;
  readonly files: readonly TrustedFile[];
  readonly at: string;
}

/** A run that the operator has started, or trusts. */
export interface TrustedRun {
  readonly run: string;
  /** The definition that the run is pinned to. */
  readonly pin: string;
  /** Of what was trusted for it. */
  readonly hash: string;
}

/** All of it is stored outside of every repository, so that a repository cannot trust itself. The newest is last. */
export function readTrusted(folder: string): TrustEntry[] {
  const parsed = readJson(join(folder, FILE));
  // Older versions stored the hash of a workflow's text alone, which says nothing about the files that it names.
  const entries = isRecord(parsed) && parsed["version"] === VERSION ? parsed["entries"] : [];
  return Array.isArray(entries) ? entries.flatMap(entryOf) : [];
}

export function addTrusted(entry: TrustEntry, texts: readonly Uint8Array[], folder: string): void {
  changing(folder, FILE, () => {
    for (const text of texts) seenTexts(folder).keep(text);
    const isSame = ({ mark, workflow }: TrustEntry): boolean => mark === entry.mark && workflow === entry.workflow;
    const before = readTrusted(folder).filter(({ hash, mark }) => hash !== entry.hash || mark !== entry.mark);
    // Those of other branches are trusted, too.
    const kept = before.filter(isSame).slice(-MAX_OF_WORKFLOW);
    writeTrusted([...before.filter((one) => !isSame(one)), ...kept, entry], folder);
  });
}

/** Which entries and runs are forgotten is for the caller to say; gives them. */
export function withdrawTrusted(
  folder: string,
  choose: (entries: readonly TrustEntry[], runs: readonly TrustedRun[]) => Withdrawn,
): Withdrawn {
  let withdrawn: Withdrawn = { entries: [], runs: [] };
  changing(folder, FILE, () => {
    const [entries, runs] = [readTrusted(folder), readTrustedRuns(folder)];
    withdrawn = choose(entries, runs);
    if (withdrawn.entries.length > 0)
      writeTrusted(
        entries.filter((entry) => !withdrawn.entries.includes(entry)),
        folder,
      );
    if (withdrawn.runs.length > 0)
      writeRuns(
        runs.filter((run) => !withdrawn.runs.includes(run)),
        folder,
      );
  });
  return withdrawn;
}

export interface Withdrawn {
  readonly entries: readonly TrustEntry[];
  readonly runs: readonly TrustedRun[];
}

/** Lines of older versions have no hash: they say nothing about files, so those runs are asked about again. */
export function readTrustedRuns(folder: string): TrustedRun[] {
  let text: string;
  try {
    text = readFileSync(join(folder, RUNS), "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [run, pin, hash] = line.split(" ");
    return run === undefined || pin === undefined || hash === undefined ? [] : [{ run, pin, hash }];
  });
}

export function addTrustedRun(run: TrustedRun, folder: string): void {
  changing(folder, RUNS, () => {
    const runs = readTrustedRuns(folder);
    if (!runs.some((one) => one.run === run.run && one.pin === run.pin)) writeRuns([...runs, run], folder);
  });
}

/** Texts of trusted files, for showing what is different now. They decide nothing. */
export function seenTexts(folder: string): SeenTexts {
  return {
    find(hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) return null;
      try {
        const text = readFileSync(join(folder, TEXTS, hash));
        return hashText("sha256", text, "hex") === hash ? text.toString("utf8") : null;
      } catch {
        return null;
      }
    },
    keep(text) {
      try {
        keepText(text, join(folder, TEXTS));
      } catch {
        // Without it a change is told and not shown.
      }
    },
  };
}

const VERSION = 2;
const FILE = "trusted.json";
const RUNS = "trusted-runs";
const TEXTS = "trusted-files";
const LOCK = "trusted.lock";
const LOCK_TIMEOUT = 10_000;
const MAX_OF_WORKFLOW = 20;
const MAX_TEXT = 64 * 1024;
const MAX_TEXTS = 1_000;

function keepText(text: Uint8Array, texts: string): void {
  const name = hashText("sha256", text, "hex");
  if (text.length > MAX_TEXT || text.includes(0) || existsSync(join(texts, name))) return;
  makeFolder(texts);
  writeFileSync(join(texts, name), text, { mode: 0o600 });
  dropOldest(texts);
}

function dropOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MAX_TEXTS) return;
  const age = new Map(names.map((name) => [name, statSync(join(folder, name)).mtimeMs]));
  const oldest = names.sort((left, right) => (age.get(left) ?? 0) - (age.get(right) ?? 0));
  for (const name of oldest.slice(0, names.length - MAX_TEXTS)) rmSync(join(folder, name), { force: true });
}

function writeTrusted(entries: readonly TrustEntry[], folder: string): void {
  replaceFile(join(folder, FILE), `${JSON.stringify({ version: VERSION, entries }, null, 2)}\n`);
}

function writeRuns(runs: readonly TrustedRun[], folder: string): void {
  replaceFile(join(folder, RUNS), runs.map(({ run, pin, hash }) => `${run} ${pin} ${hash}\n`).join(""));
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}

/** One process at a time: none loses what another one has written. */
function changing(folder: string, file: string, change: () => void): void {
  try {
    makeFolder(folder);
    underLock(join(folder, LOCK), change);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new AppError(
      "cannot-write",
      `${join(folder, file)} cannot be written: ${plainReason(error)}.`,
      "Check the folder, or set XDG_CONFIG_HOME.",
    );
  }
}

/** An empty database is used as the lock: the system releases it when the process dies. */
function underLock(path: string, work: () => void): void {
  const lock = openDatabase(path, { timeout: LOCK_TIMEOUT });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    work();
  } finally {
    lock.close();
  }
}

/** An unreadable file trusts nothing. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** An entry that is not whole trusts nothing. */
function entryOf(value: unknown): TrustEntry[] {
  if (!isRecord(value) || !Array.isArray(value["files"])) return [];
  const { hash, repository, mark, workflow, content, at } = value;
  if (!isText(hash) || !isText(repository) || !isText(mark) || !isText(workflow) || !isText(content) || !isText(at))
    return [];
  const files = value["files"].flatMap((file): TrustedFile[] =>
    isRecord(file) && isText(file["path"]) && isText(file["hash"]) ? [{ path: file["path"], hash: file["hash"] }] : [],
  );
  return [{ hash, repository, mark, workflow, content, at, files }];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
