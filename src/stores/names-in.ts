const NAME = /"([0-9a-f]{64})"/g;

/** Hashes that stand as values in a JSON text. Not all of them name a text, but none that does is left out. */
export function namesIn(json: string): string[] {
  return [...json.matchAll(NAME)].map(([, name = ""]) => name);
}
