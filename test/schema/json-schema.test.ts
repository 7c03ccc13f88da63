import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect, Rule } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { canonicalSchema, jsonSchemaOf } from "../../src/protocol/json-schema.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { printHandoff } from "../../src/protocol/write-handoff.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";
import { arbitraryDocument } from "../round-trip/arbitrary-document.ts";
import { mutated } from "./mutate-document.ts";
import { type TwoJudgements, compileSchema, judgeTwice, schemaErrors, validatorOf } from "./two-judgements.ts";

const seed = Number(process.env["BATON_SEED"] ?? 20_260_309);
const numRuns = Number(process.env["BATON_SCHEMA_RUNS"] ?? 200);
const dialects = Object.values(DIALECTS);
const describeCanonical = compileSchema(canonicalSchema(), { conditions: false });

/**
 * Rules that look at more than a schema can, or that an editor need not show. Everything else that a
 * rule checks stands in the schema too.
 */
const NOT_IN_THE_SCHEMA: Readonly<Record<string, string>> = {
  "000-R01": "about the name of the file",
  "000-R04": "compares a field with the name of the file; the field itself is in the schema",
  "000-R13": "compares two fields with each other",
  "000-R21": "only a warning, for two agents by name",
  "000-R23": "ids are unique by one key of the items; JSON Schema compares whole items",
  "000-R34": "only a warning",
  "002-R08": "placeholders of the template under any name",
  "002-R17": "the format's own validator, whose parts are other rules",
  "002-R21": "only a warning",
  "003-R09": "a placeholder of the template",
  "004-R06": "an absolute directory is only a warning",
  "004-R20": "an inconsistency between phase and next phase",
  "004-R25": "the format's own validator, whose parts are other rules",
  "004-R27": "only a warning",
};

/** Rules whose condition stands in the schema of another rule. */
const SAID_BY_ANOTHER: Readonly<Record<string, string>> = {
  "004-R14": "004-R03",
  "004-R15": "004-R03",
};

/** The schema knows no warnings: an editor underlines these, the reader takes the handoff all the same. */
const ONLY_WARNED_OF: Readonly<Record<string, string>> = {
  "000-R21": "test requirements that are not complete",
  "000-R29": "extra facts of an issue, of the wrong type",
  "004-R04": "output_type that is not text",
  "004-R07": "a verified place without its lines",
  "004-R14": "a phase of its own in the metadata layer",
  "004-R15": "an empty summary in the metadata layer",
  "004-R20": "a next phase of its own in the metadata layer",
  "004-R08": "words that real agents write for a status, which are read",
};

describe.each(dialects)("the schema of $name", (dialect) => {
  const schema = jsonSchemaOf(dialect.name);

  it("is JSON Schema 2020-12 without a doubtful word", () => {
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    const { allOf: _conditions, ...shape } = schema;
    expect(() => compileSchema(shape, { conditions: false })).not.toThrow();
    expect(() => compileSchema(schema)).not.toThrow();
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it("has a title and a description on every property", () => {
    const described = propertiesOf(schema);
    expect(described).not.toEqual([]);
    expect(described.filter(({ property }) => !isDescribed(property)).map(({ path }) => path)).toEqual([]);
    expect(isDescribed(schema)).toBe(true);
  });

  it("names the rule behind every property", () => {
    const ids = new Set(dialect.rules.map((rule) => rule.id));
    const wrong = propertiesOf(schema).filter(({ property }) => {
      const description = JSON.stringify(property["description"]);
      return !ids.has(/\((\d{3}-R\d{2})\)"$/.exec(description)?.[1] ?? "");
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("accepts the example", () => {
    expect(schemaErrors(validatorOf(dialect.name), dialect.example)).toEqual([]);
  });

  it("refuses what is no record", () => {
    for (const value of [null, [], "handoff", 7])
      expect(schemaErrors(validatorOf(dialect.name), value), JSON.stringify(value)).not.toEqual([]);
  });

  it("holds the condition of every rule, but for those that say why not", () => {
    const checked = dialect.rules.filter((rule) => rule.check !== undefined && rule.schema === undefined);
    const missing = checked.filter((rule) => !(rule.id in SAID_BY_ANOTHER)).map((rule) => rule.id);
    // No editor applies a JSON Schema to XML; there the schema describes the fields, not the edges between roles.
    if (dialect.syntax === "xml") expect(missing.length).toBeGreaterThan(0);
    else expect(missing).toEqual(Object.keys(NOT_IN_THE_SCHEMA).filter((id) => id.startsWith(dialect.number)));
  });
});

describe.each(dialects)("the schema and the reader of $name", (dialect) => {
  it.each(samplesOf(dialect))("agree on the right sample of $rule.id", ({ rule }) => {
    const judgements = judgeSample(dialect, rule.right);
    if (judgements === null) return;
    expectAgreement(judgements, dialect);
    expect(judgements.schemaErrors).toEqual([]);
  });

  it.each(samplesOf(dialect))("agree on the wrong sample of $rule.id", ({ rule }) => {
    const judgements = judgeSample(dialect, rule.wrong);
    if (judgements === null) return;
    expectAgreement(judgements, dialect);
  });

  it("agree on generated documents", () => {
    fc.assert(
      fc.property(arbitraryDocument(dialect), (document) => {
        const judgements = judgeDocument(document, dialect);
        expect(judgements?.schemaErrors).toEqual([]);
        expectAgreement(judgements, dialect);
      }),
      { seed, numRuns },
    );
  });

  it("agree on documents with one place changed", () => {
    const seen = { both: 0, neither: 0, unread: 0 };
    fc.assert(
      fc.property(mutated(arbitraryDocument(dialect)), ({ document }) => {
        const judgements = judgeDocument(document, dialect);
        if (judgements === null) {
          seen.unread++;
          expect(readHandoffs(print(document, dialect), { dialect: dialect.name }).valid).toBe(false);
          return;
        }
        expectAgreement(judgements, dialect);
        if (judgements.schemaErrors.length > 0) seen.both++;
        else if (judgements.shapely) seen.neither++;
      }),
      { seed, numRuns: numRuns * 5 },
    );
    // Both kinds of document were met often enough for the agreement to mean something.
    expect(seen.both).toBeGreaterThan(numRuns / 4);
    expect(seen.neither).toBeGreaterThan(numRuns / 4);
    expect(seen.unread).toBeLessThan(numRuns / 4);
  });
});

describe("the canonical schema", () => {
  it("has a title and a description on every property", () => {
    const described = propertiesOf(canonicalSchema());
    expect(described.filter(({ property }) => !isDescribed(property)).map(({ path }) => path)).toEqual([]);
  });

  it("demands the dialect and knows its words", () => {
    const handoff = { dialect: "task-yaml", outcome: "done" };
    expect(schemaErrors(describeCanonical, handoff)).toEqual([]);
    expect(schemaErrors(describeCanonical, { outcome: "done" })).not.toEqual([]);
    expect(schemaErrors(describeCanonical, { ...handoff, dialect: 7 })).not.toEqual([]);
    expect(schemaErrors(describeCanonical, { ...handoff, outcome: "fine" })).not.toEqual([]);
  });

  it.each(dialects)("accepts what is read from generated documents of $name", (dialect) => {
    fc.assert(
      fc.property(arbitraryDocument(dialect), (document) => {
        const { handoffs } = readHandoffs(print(document, dialect), { dialect: dialect.name });
        expect(handoffs.length).toBe(1);
        for (const { handoff } of handoffs)
          expect(schemaErrors(describeCanonical, JSON.parse(JSON.stringify(handoff)))).toEqual([]);
      }),
      { seed, numRuns },
    );
  });

  it.each(dialects)("accepts what is read from $name in spite of warnings", (dialect) => {
    fc.assert(
      fc.property(mutated(arbitraryDocument(dialect)), ({ document }) => {
        for (const { handoff } of readHandoffs(print(document, dialect), { dialect: dialect.name }).handoffs)
          if (handoff !== null)
            expect(schemaErrors(describeCanonical, JSON.parse(JSON.stringify(handoff)))).toEqual([]);
      }),
      { seed, numRuns },
    );
  });
});

function expectAgreement(judgements: TwoJudgements | null, dialect: Dialect): void {
  if (judgements === null) throw new Error("there is no document to judge");
  const { schemaErrors: refused, shapeErrors, shapely, diagnostics } = judgements;
  const told = diagnostics.map(({ severity, code, rule, message }) => `${severity} ${code} ${rule}: ${message}`);
  const evidence = JSON.stringify({ refused, told, document: judgements.document }, null, 1);
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");

  // What the shape refuses, the schema refuses.
  if (shapeErrors.length > 0) expect(refused, evidence).not.toEqual([]);
  // What the schema refuses, the reader tells: as an error, or as one of the known warnings.
  if (refused.length > 0 && errors.length === 0) {
    const warned = diagnostics.filter(({ severity, rule }) => severity === "warning" && (rule ?? "") in ONLY_WARNED_OF);
    expect(warned, evidence).not.toEqual([]);
  }
  // Where the shape has nothing to say, the conditions in the schema say what the rules say.
  if (shapely) {
    const broken = errors.filter(({ rule }) => isInTheSchema(rule, dialect));
    expect(refused.length > 0, evidence).toBe(broken.length > 0);
  }
}

function isInTheSchema(id: string | null, dialect: Dialect): boolean {
  return dialect.rules.some((rule) => rule.id === id && (rule.schema !== undefined || rule.id in SAID_BY_ANOTHER));
}

function judgeSample(dialect: Dialect, sample: Rule["right"]): TwoJudgements | null {
  if (sample === undefined) return null;
  const { text, path } = renderSample(dialect, sample);
  return judgeTwice(text, dialect, path);
}

function judgeDocument(document: JsonRecord, dialect: Dialect): TwoJudgements | null {
  return judgeTwice(print(document, dialect), dialect);
}

function print(document: JsonRecord, dialect: Dialect): string {
  return printHandoff(document, dialect, { dialect: dialect.name, outcome: "done" });
}

function samplesOf(dialect: Dialect): { rule: Rule }[] {
  return dialect.rules.filter((rule) => rule.right !== undefined).map((rule) => ({ rule }));
}

interface Described {
  readonly path: string;
  readonly property: JsonRecord;
}

/** Every property of the shape, however deep; the conditions under `allOf` describe nothing anew. */
function propertiesOf(schema: JsonRecord, prefix = ""): Described[] {
  const inner = [schema["items"], ...alternatives(schema["anyOf"])].filter(isRecord);
  const own = Object.entries(isRecord(schema["properties"]) ? schema["properties"] : {});
  return [
    ...own.flatMap(([key, property]) => {
      if (!isRecord(property)) return [];
      const path = `${prefix}/${key}`;
      return [{ path, property }, ...propertiesOf(property, path)];
    }),
    ...inner.flatMap((part) => propertiesOf(part, prefix)),
  ];
}

function alternatives(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isDescribed(schema: JsonRecord): boolean {
  return [schema["title"], schema["description"]].every((text) => typeof text === "string" && text.trim() !== "");
}
