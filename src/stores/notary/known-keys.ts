import { createPublicKey } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hexOf, publicKeyIn } from "../../audit/signature.ts";
import type { KnownKey } from "../../ports/notary.ts";
import { keyPath, readKey } from "./key-file.ts";

/** Where what belongs to the audit is kept in the operator's own folder. */
export function auditHome(configFolder: string): string {
  return join(configFolder, "audit");
}

/** Our own, those we had before, and whatever else the operator has put there. Reads only. */
export function knownKeys(home: string): KnownKey[] {
  const own = ownKey(home);
  const kept = keptKeys(home).filter(({ publicKey }) => publicKey !== own);
  return [...(own === null ? [] : [{ publicKey: own, whose: "own", file: null } as const]), ...kept];
}

/** Null while there is none, or none that could be used to sign. */
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
