import { expect, it } from "vitest";
import { readHandoffs } from "./read-handoff.ts";

const MANIFEST = "feature_name: Cards\nstatus: in-progress\nagents_contributed: []\n";

function told(text: string, strict = false): { valid: boolean; codes: string[] } {
  const { valid, diagnostics } = readHandoffs(text, { path: "feature/MANIFEST.yaml", strict });
  return { valid, codes: diagnostics.map(({ code, severity }) => `${severity} ${code}`) };
}

it("refuses a manifest with a key that is written twice", () => {
  expect(told(`${MANIFEST}status: complete\n`)).toEqual({
    valid: false,
    codes: ["info manifest", "error duplicate-key"],
  });
});

it("warns of a status that the format does not know, and refuses the template's", () => {
  const withStatus = (status: string): string => MANIFEST.replace("in-progress", status);
  expect(told(MANIFEST)).toEqual({ valid: true, codes: ["info manifest"] });
  expect(told(withStatus("done"))).toEqual({ valid: true, codes: ["info manifest", "warning not-allowed"] });
  expect(told(withStatus("in-progress|complete|blocked"))).toEqual({
    valid: false,
    codes: ["info manifest", "error unfilled-template"],
  });
});

it("is as strict with a manifest as was asked for", () => {
  const text = MANIFEST.replace("feature_name: Cards\n", "");
  expect(told(text)).toEqual({ valid: true, codes: ["warning missing-field", "info manifest"] });
  expect(told(text, true)).toEqual({ valid: false, codes: ["error missing-field", "info manifest"] });
});

it("tells what is wrong in the order of the text, a refused key at the key", () => {
  const { diagnostics } = readHandoffs(`${MANIFEST}__proto__: 1\n`, { path: "MANIFEST.yaml" });
  expect(diagnostics.map(({ range }) => [range.start.line, range.start.column])).toEqual([
    [1, 1],
    [4, 1],
  ]);
});
