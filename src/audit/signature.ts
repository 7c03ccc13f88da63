import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";

const PUBLIC_KEY = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;

/** The first 16 hex digits of the key's hash: short enough to compare by eye. */
export function keyIdOf(publicKey: string): string {
  return hash("sha256", Buffer.from(publicKey, "hex"), "hex").slice(0, 16);
}

/** Accepts lower-case hex only, so that one signature has one spelling. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  if (!PUBLIC_KEY.test(publicKey) || !SIGNATURE.test(signature)) return false;
  const key = keyObjectOf(publicKey);
  return key !== null && verify(null, Buffer.from(text, "utf8"), key, Buffer.from(signature, "hex"));
}

/** SubjectPublicKeyInfo, the PEM form that other tools read. */
export function pemOf(publicKey: string): string {
  const key = keyObjectOf(publicKey);
  if (key === null) throw new Error("not an Ed25519 public key");
  return key.export({ type: "spki", format: "pem" }).toString();
}

/** The Ed25519 public key in a PEM file; null for any other content, a private key included. */
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

const keyObjects = new Map<string, KeyObject>();
const MAX_KEY_OBJECTS = 100;

/** Cached: a log has few keys and many signatures. */
function keyObjectOf(publicKey: string): KeyObject | null {
  const found = keyObjects.get(publicKey);
  if (found !== undefined) return found;
  try {
    const x = Buffer.from(publicKey, "hex").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    if (keyObjects.size >= MAX_KEY_OBJECTS) keyObjects.clear();
    keyObjects.set(publicKey, key);
    return key;
  } catch {
    return null;
  }
}
