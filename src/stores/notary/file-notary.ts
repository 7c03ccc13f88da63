import { createPrivateKey, hash, type KeyObject, sign } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { hexOf } from "../../audit/signature.ts";
import type { Notary, NoSigner, SeenHead, Signer } from "../../ports/notary.ts";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import { keyPath, makeKey, noKey, readKey } from "./key-file.ts";
import { auditHome, knownKeys } from "./known-keys.ts";
import { publish } from "./publish-file.ts";

export interface FileNotaryOptions {
  /** The operator's own folder; what is kept goes into `audit` there. */
  readonly folder: string;
  /** The file of the log. */
  readonly place: string;
  /** Folders in which no key may lie: the repository and the state. */
  readonly forbidden: readonly string[];
}

/** The signing key and what was last signed, in files that only the operator can read. */
export function fileNotary({ folder, place, forbidden }: FileNotaryOptions): Notary {
  const home = auditHome(folder);
  const heads = headsOf(home, realPath(place));
  let signer: Signer | null = null;
  return {
    signer() {
      const found = signer ?? openSigner(home, forbidden);
      if (!("why" in found)) signer = found;
      return found;
    },
    keys: () => knownKeys(home),
    seen: () => heads.read().current,
    async remember(head) {
      const { current, before } = heads.read();
      const [present] = current;
      const isNewer = present === undefined || (present.log === head.log && present.checkpoint < head.checkpoint);
      if (isNewer) await heads.write(head, before);
    },
    async accept(head) {
      const { current, before } = heads.read();
      await heads.write(head, [...before, ...current]);
    },
  };
}

function openSigner(home: string, forbidden: readonly string[]): Signer | NoSigner {
  if (forbidden.some((folder) => isInside(realPath(home), realPath(folder))))
    return noKey("would lie inside of the repository or its state, where agents work");
  const path = keyPath(home);
  try {
    const pem = existsSync(path) ? readKey(path) : makeKey(home, path);
    return typeof pem === "string" ? signerOf(pem) : pem;
  } catch (error) {
    return noKey(`cannot be read or made: ${plainReason(error)}`);
  }
}

function signerOf(pem: string): Signer | NoSigner {
  const key = privateKeyIn(pem);
  const publicKey = key === null ? null : hexOf(key);
  if (key === null || publicKey === null) return noKey("is no private key of Ed25519");
  return { publicKey, sign: (text) => sign(null, Buffer.from(text, "utf8"), key).toString("hex") };
}

function privateKeyIn(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

interface Remembered {
  /** One or none. */
  readonly current: readonly SeenHead[];
  /** What the operator has put aside. */
  readonly before: readonly SeenHead[];
}

interface Heads {
  read(): Remembered;
  write(head: Omit<SeenHead, "place">, before: readonly SeenHead[]): Promise<void>;
}

/** One file for each place in which a log stands. */
function headsOf(home: string, place: string): Heads {
  const path = join(home, "heads", `${hash("sha256", place, "hex").slice(0, 32)}.json`);
  return {
    read: () => (existsSync(path) ? readHeads(path) : { current: [], before: [] }),
    write: (head, before) => publish(path, `${JSON.stringify({ current: { ...head, place }, before }, null, 2)}\n`),
  };
}

/** What cannot be read is not the same as nothing: it may be the only thing that knows of a log that was cut off. */
function readHeads(path: string): Remembered {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isRecord(value) && isHead(value["current"]) && Array.isArray(value["before"]))
      return { current: [value["current"]], before: value["before"].filter(isHead) };
  } catch (error) {
    throw unreadable(path, plainReason(error));
  }
  throw unreadable(path, "it holds something else");
}

function isHead(value: unknown): value is SeenHead & Record<string, never> {
  return (
    isRecord(value) &&
    ["log", "place", "hash", "digest"].every((name) => typeof value[name] === "string") &&
    ["position", "at", "checkpoint"].every((name) => Number.isSafeInteger(value[name]))
  );
}

function unreadable(path: string, why: string): AppError {
  return new AppError(
    "damaged-state",
    `What was last signed stands in ${path}, which cannot be read: ${why}.`,
    "Mend its permissions, or remove the file if you can do without: then only the log itself can be checked.",
  );
}

/** Of what is there of it: the folder may not have been made yet. */
function realPath(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole)) return realpathSync(whole);
  return whole === dirname(whole) ? whole : join(realPath(dirname(whole)), basename(whole));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way.startsWith("..") || way.startsWith("/"));
}
