import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { checkShape } from "../../src/protocol/check-shape.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { DocumentCheck } from "../../src/protocol/document-check.ts";
import { Survey, fitsShape } from "../../src/protocol/fits-shape.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { readFlawlessFile } from "../../src/protocol/read-flawless-file.ts";
import { readFully } from "../../src/protocol/read-fully.ts";
import { misspelledDocument } from "../requirements/misspell.ts";
import { arbitraryDocument } from "../round-trip/arbitrary-document.ts";
import { mutated as mutatedDocument } from "../schema/mutate-document.ts";
import { differentialRuns, mutated as mutatedText } from "./mutations.ts";

/** The short way for files with nothing wrong against the full way: it may give up, but never differ. */

const settings = { seed: 20261117, numRuns: differentialRuns(1500) };
vi.setConfig({ testTimeout: 120_000 + settings.numRuns * 40 });

const dialects = Object.values(DIALECTS);
const paths = fc.constantFrom(
  "handoff-BackendBuilder.json",
  "a/handoff.xml",
  "x.json",
  "x.yaml",
  "x.md",
  "MANIFEST.yaml",
);
const options = fc
  .record({
    path: fc.option(paths, { nil: undefined, freq: 2 }),
    dialect: fc.option(fc.constantFrom(...dialects.map(({ name }) => name)), { nil: undefined, freq: 4 }),
  })
  .map(({ path, dialect }) => ({ ...(path !== undefined && { path }), ...(dialect !== undefined && { dialect }) }));

const SIGNS = [
  '"',
  ":",
  ",",
  "{",
  "}",
  "[",
  "]",
  "<",
  ">",
  "/",
  "&",
  "\n",
  " ",
  "\t",
  "\r",
  "\u0000",
  "\ufeff",
  "\ufffd",
  "\\u0061",
  '"from_agent": 1,',
  '"x": {"to_agent": 1},',
  '"carried": {},',
  "carried: {}\n",
  "<carried>{}</carried>",
  "Handoff: 1\n",
  "outcome: completed\n",
  "<!-- x -->",
  "# x\n",
  "__proto__",
];

describe.each(dialects)("a file of $name", (dialect) => {
  const { shape, rootRule, print } = dialect;
  const right = fc.oneof(arbitraryDocument(dialect), fc.constant(dialect.example));
  const wrong = mutatedDocument(right).map(({ document }) => document);
  const documents = fc.oneof(
    { weight: 3, arbitrary: right },
    { weight: 2, arbitrary: wrong },
    { weight: 1, arbitrary: misspelledDocument(right, dialect) },
  );

  it("is read the short way as it is read in full", () => {
    let accepted = 0;
    const texts = documents.map((document) => print(document));
    const mangled = mutatedText(texts, SIGNS);
    fc.assert(
      fc.property(fc.oneof(texts, mangled), options, (text, given) => {
        const reading = readFlawlessFile(text, given, DEFAULT_LIMITS);
        if (reading === null) return;
        accepted++;
        expect(reading).toEqual(readFully(text, given, DEFAULT_LIMITS));
      }),
      settings,
    );
    expect(accepted).toBeGreaterThan(settings.numRuns / 20);
  });

  it("fits its shape exactly when the check finds nothing", () => {
    const limits = fc.constantFrom(DEFAULT_LIMITS, { ...DEFAULT_LIMITS, nodes: 30 }, { ...DEFAULT_LIMITS, depth: 3 });
    fc.assert(
      fc.property(documents, limits, (document, limit) => {
        const check = new DocumentCheck(limit);
        checkShape(document, shape, check, rootRule);
        const survey = new Survey(limit);
        const fits = fitsShape(document, shape, survey);
        expect(fits).toBe(check.findings.length === 0 && check.nearMisses.length === 0);
        if (fits) expect({ nodes: survey.nodes, keys: survey.keys }).toEqual({ nodes: check.nodes, keys: check.keys });
      }),
      settings,
    );
  });
});
