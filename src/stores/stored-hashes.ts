/** The stored form of a hash. */
export function bytesOfHash(hash: string): Buffer {
  return Buffer.from(hash, "hex");
}

const NAME = /"([0-9a-f]{64})"/g;

/** All hashes in a JSON text. Not every one of them refers to a text. */
export function namesIn(json: string): string[] {
  return [...json.matchAll(NAME)].map(([, name = ""]) => name);
}
