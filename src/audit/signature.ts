import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";

const PUBLIC_KEY = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;

/** Short enough to compare by eye: the first 16 digits of the hash of the key. */
export function keyIdOf(publicKey: string): string {
  return hash("sha256", Buffer.from(publicKey, "hex"), "hex").slice(0, 16);
}

/** Hex of one way to write it only, so that no two texts are the same signature. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  if (!PUBLIC_KEY.test(publicKey) || !SIGNATURE.test(signature)) return false;
  const key = keyObjectOf(publicKey);
  return key !== null && verify(null, Buffer.from(text, "utf8"), key, Buffer.from(signature, "hex"));
}

/** For files: SubjectPublicKeyInfo, as every other tool reads it. */
export function pemOf(publicKey: string): string {
  const key = keyObjectOf(publicKey);
  if (key === null) throw new Error("this is no public key of Ed25519");
  return key.export({ type: "spki", format: "pem" }).toString();
}

/** The key that a PEM file holds; null when it holds none of Ed25519, or a private one. */
export function publicKeyIn(pem: string): string | null {
  if (!/-----BEGIN PUBLIC KEY-----/.test(pem) || pem.includes("PRIVATE KEY")) return null;
  try {
    return hexOf(createPublicKey(pem));
  } catch {
    return null;
  }
}

export function hexOf(key: KeyObject): string | null {
  if (key.asymmetricKeyType !== "ed25519") return null;
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url").toString("hex");
}

const known = new Map<string, KeyObject>();
const MOST_KNOWN = 100;

/** A log has few keys and many signatures. */
function keyObjectOf(publicKey: string): KeyObject | null {
  const found = known.get(publicKey);
  if (found !== undefined) return found;
  try {
    const x = Buffer.from(publicKey, "hex").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(publicKey, key);
    return key;
  } catch {
    return null;
  }
}
