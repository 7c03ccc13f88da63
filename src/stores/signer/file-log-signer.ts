import { createPrivateKey, hash, type KeyObject, sign, createPublicKey, generateKeyPairSync } from "node:crypto";
import {
  existsSync,
  readFileSync,
  realpathSync,
  readdirSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { hexOf, publicKeyIn, keyIdOf, pemOf } from "../../audit/signature.ts";
import type { LogSigner, NewHead, NoSigner, SeenHead, Signer, KnownKey } from "../../ports/log-signer.ts";
import type { KnowledgeHead } from "../../ports/knowledge-store.ts";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import { publish, syncFolder, writeSynced } from "../durable-file.ts";

interface FileSignerOptions {
  /** The operator's configuration folder; the files are in its folder `audit`. */
  readonly folder: string;
  /** The file of the log. */
  readonly place: string;
  /**
   * The repository that the log belongs to, and the folder that was named for its state, if one was. By these it is
   * remembered, so that a link in the repository cannot lead to a log of which nothing is remembered.
   */
  readonly repository?: { readonly root: string; readonly state: string | null };
  /** The id of the log in a file; null when there is none. Without it a copy of the log elsewhere is not looked for. */
  readonly logIdIn?: (path: string) => string | null;
  /** Folders that must not contain the key: the repository and the state. */
  readonly forbidden: readonly string[];
}

/** Keeps the signing key and the last signed head in files that only the operator can read. */
export function fileLogSigner(options: FileSignerOptions): LogSigner {
  const { folder, forbidden } = options;
  const home = auditHome(folder);
  const heads = rememberedHeads(home, options);
  let signer: Signer | null = null;
  return {
    signer() {
      const found = signer ?? openSigner(home, forbidden);
      if (!("why" in found)) signer = found;
      return found;
    },
    keys: () => knownKeys(home),
    ...heads,
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
  readonly current: SeenHead | null;
  /** What the operator has put aside. */
  readonly before: readonly SeenHead[];
}

/**
 * One file for each repository, by the real path of its root. A folder for each log has an empty file for each
 * repository in which it was signed, so that a log is known wherever it turns up.
 */
function rememberedHeads(
  home: string,
  { place, repository, logIdIn }: FileSignerOptions,
): Pick<LogSigner, "seen" | "remember" | "accept" | "seenKnowledge" | "rememberKnowledge"> {
  const folder = join(home, "heads");
  const byPlace = nameOf(realPath(place));
  const own = repository === undefined ? byPlace : nameOf(`${realPath(repository.root)}\n${repository.state ?? ""}`);
  const knowledge = join(folder, `${own}.knowledge.json`);
  const read = (name: string): Remembered => readHeads(join(folder, `${name}.json`));
  const write = async (head: NewHead, before: readonly SeenHead[]): Promise<void> => {
    const marker = join(folder, head.log, own);
    if (!existsSync(marker)) await publish(marker, "");
    const { log, position, hash: headHash, at, checkpoint, digest } = head;
    const current = { log, position, hash: headHash, at, checkpoint, digest, place: realPath(place) };
    await publish(join(folder, `${own}.json`), `${JSON.stringify({ current, before }, null, 2)}\n`);
  };
  /** Versions before this one remembered a log by its path alone. */
  const present = (): Remembered => {
    const known = read(own);
    return known.current === null ? read(byPlace) : known;
  };
  const elsewhere = (log: string): SeenHead[] =>
    namesIn(join(folder, log)).flatMap((name) => {
      const { current } = name === own ? NOTHING : read(name);
      return current?.log === log ? [current] : [];
    });
  return {
    seen(log) {
      const { current } = present();
      const here = realPath(place);
      const isMoved = current !== null && log === current.log && current.place !== here;
      const heads = current === null ? [] : [isMoved ? { ...current, movedTo: here } : current];
      if (log === null) return heads;
      if (current?.log === log) return [...heads, ...elsewhere(log).filter((head) => head.place === here)];
      // A repository that was moved is no longer where it was; a log that is still there too was copied.
      const isCopied = (head: SeenHead): boolean => head.place !== here && logIdIn?.(head.place) === log;
      return [...heads, ...elsewhere(log).map((head) => (isCopied(head) ? { ...head, movedTo: here } : head))];
    },
    async remember(head) {
      const { current, before } = present();
      if (current === null || (current.log === head.log && current.checkpoint < head.checkpoint))
        await write(head, before);
    },
    async accept(head) {
      const { current, before } = present();
      await write(head, current === null ? before : [...before, current]);
    },
    seenKnowledge: () => readKnowledgeHead(knowledge),
    async rememberKnowledge({ number, digest }, accepts = false) {
      const known = readKnowledgeHead(knowledge);
      if (accepts || known === null || known.number < number)
        await publish(knowledge, `${JSON.stringify({ number, digest })}\n`);
    },
  };
}

const NOTHING: Remembered = { current: null, before: [] };

function nameOf(place: string): string {
  return hash("sha256", place, "hex").slice(0, 32);
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** An unreadable file is an error, not an absent one: it may be the only proof that the end of a log was removed. */
function readHeads(path: string): Remembered {
  if (!existsSync(path)) return NOTHING;
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isRecord(value) && isHead(value["current"]) && Array.isArray(value["before"]))
      return { current: value["current"], before: value["before"].filter(isHead) };
  } catch (error) {
    throw unreadable(path, plainReason(error));
  }
  throw unreadable(path, "it holds something else");
}

function readKnowledgeHead(path: string): KnowledgeHead | null {
  if (!existsSync(path)) return null;
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    const { number, digest } = isRecord(value) ? value : {};
    if (Number.isSafeInteger(number) && typeof digest === "string") return { number: Number(number), digest };
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

/** The real path of the existing part: the folder may not have been created yet. */
function realPath(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole)) return realpathSync(whole);
  return whole === dirname(whole) ? whole : join(realPath(dirname(whole)), basename(whole));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way.startsWith("..") || way.startsWith("/"));
}

/** The folder for audit files in the operator's configuration folder. */
export function auditHome(configFolder: string): string {
  return join(configFolder, "audit");
}

/** The own key, former own keys, and keys that the operator has put there. Only reads. */
export function knownKeys(home: string): KnownKey[] {
  const own = ownKey(home);
  const kept = keptKeys(home).filter(({ publicKey }) => publicKey !== own);
  return [...(own === null ? [] : [{ publicKey: own, whose: "own", file: null } as const]), ...kept];
}

/** Null when there is no usable key. */
function ownKey(home: string): string | null {
  const path = keyPath(home);
  if (!existsSync(path)) return null;
  try {
    const pem = readKey(path);
    return typeof pem === "string" ? hexOf(createPublicKey(pem)) : null;
  } catch {
    return null;
  }
}

function keptKeys(home: string): KnownKey[] {
  const folder = join(home, "keys");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".pem")) : [];
  return names.sort().flatMap((file) => {
    const publicKey = publicKeyIn(readFileSync(join(folder, file), "utf8"));
    return publicKey === null ? [] : [{ publicKey, whose: "kept", file } as const];
  });
}

function keyPath(home: string): string {
  return join(home, "key.pem");
}

/** Relative to the configuration folder: the message is exported with the log, and must not name paths of the machine. */
const KEY_FILE = "audit/key.pem in your configuration folder";

function noKey(why: string): NoSigner {
  return { why: `the key (${KEY_FILE}) ${why}` };
}

/** A key that others can read proves nothing. */
function readKey(path: string): string | NoSigner {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { mode, uid } = fstatSync(file);
    if ((mode & 0o077) !== 0) return noKey("can be read by others: chmod 600 it, or remove it to get a new one");
    if (uid !== (process.getuid?.() ?? uid)) return noKey("belongs to another user");
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * The file gets its name only when all of it is on the disk. If several processes create a key at once, all of them use
 * the first one.
 */
function makeKey(home: string, path: string): string | NoSigner {
  makeFolder(join(home, "keys"));
  const { privateKey } = generateKeyPairSync("ed25519");
  const temporary = join(home, `.key-${process.pid}-${Math.trunc(performance.now() * 1000)}.tmp`);
  try {
    writeSynced(temporary, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    linkSync(temporary, path);
    syncFolder(home);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const pem = readKey(path);
  if (typeof pem === "string") keepPublicKey(home, pem);
  return pem;
}

/** Creates parent by parent: Node's recursive mkdir never ends where no folder can be created, as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Stores the public key beside the private one, for as long as signatures with it exist. */
function keepPublicKey(home: string, pem: string): void {
  const publicKey = hexOf(createPublicKey(pem)) ?? "";
  try {
    const path = join(home, "keys", `${keyIdOf(publicKey)}.pem`);
    writeSynced(path, pemOf(publicKey));
    syncFolder(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
