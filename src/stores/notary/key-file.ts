import { createPublicKey, generateKeyPairSync } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { hexOf, keyIdOf, pemOf } from "../../audit/signature.ts";
import type { NoSigner } from "../../ports/notary.ts";
import { syncFolder } from "../sync-folder.ts";
import { writeSynced } from "./publish-file.ts";

export function keyPath(home: string): string {
  return join(home, "key.pem");
}

/** As its operator finds it; where that folder is on this machine is nobody else's business. */
const KEY_FILE = "audit/key.pem in your configuration folder";

export function noKey(why: string): NoSigner {
  return { why: `the key (${KEY_FILE}) ${why}` };
}

/** A key that others could have read proves nothing any more. */
export function readKey(path: string): string | NoSigner {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { mode, uid } = fstatSync(file);
    if ((mode & 0o077) !== 0) return noKey("can be read by others: chmod 600 it, or remove it to get a new one");
    if (uid !== (process.getuid?.() ?? uid)) return noKey("belongs to somebody else");
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * Under its name only when all of it is on the disk, and only once: of several processes that make one at the same
 * time, all get the one that was first.
 */
export function makeKey(home: string, path: string): string | NoSigner {
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

/** Parent by parent: where none can be made, as below /proc, Node's own way never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Beside the private one, for as long as there are signatures of it. */
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
