import fc from "fast-check";

/** Runs of each differential test; BATON_FUZZ_RUNS raises the number, never lowers it. */
export function differentialRuns(least: number): number {
  return Math.max(least, Number(process.env["BATON_FUZZ_RUNS"] ?? 0));
}

/** Slips of the kind that break a syntax: characters that mean something are more likely than others. */
export function mutated(
  texts: fc.Arbitrary<string>,
  signs: readonly string[],
  kinds: readonly string[] = ["insert", "replace", "delete", "double", "cut", "swap"],
): fc.Arbitrary<string> {
  const slip = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    kind: fc.constantFrom(...kinds),
    sign: fc.constantFrom(...signs),
    length: fc.integer({ min: 1, max: 6 }),
  });
  return fc
    .tuple(texts, fc.array(slip, { minLength: 1, maxLength: 3 }))
    .map(([text, slips]) =>
      slips.reduce((changed, { at, kind, sign, length }) => make(changed, at, kind, sign, length), text),
    );
}

function make(text: string, share: number, kind: string, sign: string, length: number): string {
  const at = Math.floor(share * text.length);
  const before = text.slice(0, at);
  const touched = text.slice(at, at + length);
  const after = text.slice(at + length);
  switch (kind) {
    case "insert":
      return before + sign + touched + after;
    case "replace":
      return before + sign + after;
    case "delete":
      return before + after;
    case "double":
      return before + touched + touched + after;
    case "cut":
      return before;
    default:
      return before + after.slice(0, length) + touched + after.slice(length);
  }
}
