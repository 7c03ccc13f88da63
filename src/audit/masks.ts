/** As `redact.ts` writes it; older logs have one that tells no kind. */
const MASK = /\(redacted ([A-Za-z][A-Za-z ]{1,40})\)|\[redacted\]/g;

/** Adds up the marks that masked secrets have left in a text, by their kinds. */
export function countMasks(text: string, counts: Record<string, number>): void {
  if (!text.includes("redacted")) return;
  for (const [, kind = "of no told kind"] of text.matchAll(MASK))
    counts[kind] = (Object.hasOwn(counts, kind) ? (counts[kind] ?? 0) : 0) + 1;
}
