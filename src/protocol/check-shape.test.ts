import { describe, expect, it } from "vitest";
import { checkField } from "./check-shape.ts";
import { DocumentCheck } from "./document-check.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { type Infer, type RecordShape, data, field, shape } from "./shape.ts";

const freshness = data.union(
  data.record({ is: shape.oneOf(["unchanged", "gone"]) }),
  data.record({ is: data.literal("moved"), path: data.text({ maxLength: 8 }), first: data.count() }),
);

function messages(value: unknown, of: RecordShape = data.record({ found: freshness })): string[] {
  const check = new DocumentCheck(DEFAULT_LIMITS);
  checkField(value, field.required(of, { rule: "data", about: "" }), check);
  return check.findings.map(({ message, hint }) => `${message} ${hint}`.trim());
}

describe("a union", () => {
  it("takes each of its forms", () => {
    const values: Infer<typeof freshness>[] = [{ is: "gone" }, { is: "moved", path: "a.ts", first: 1 }];
    for (const found of values) expect(messages({ found })).toEqual([]);
  });

  it("reports what is wrong with the form that is meant", () => {
    expect(messages({ found: { is: "moved", path: "a.ts" } })).toEqual(["`found.first` is missing."]);
    expect(messages({ found: { is: "moved", path: "a.ts", first: "1" } })).toEqual([
      '`found.first` must be a whole number; found the text "1". Remove the quotes.',
    ]);
    expect(messages({ found: { is: "moved", path: "much/too/long", first: 1 } })).toEqual([
      "`found.path` has 13 characters. At most 8 are allowed.",
    ]);
  });

  it("refuses what is none of its forms", () => {
    for (const found of [{ is: "lost" }, {}, "gone", null, []])
      expect(messages({ found })[0]).toContain("`found` must be one of the known forms; found");
  });
});

describe("data", () => {
  it("may hold text that looks like a template", () => {
    expect(messages({ reason: "<reason>" }, data.record({ reason: data.text() }))).toEqual([]);
  });

  it("may lack what is optional, and nothing else", () => {
    const of = data.record({ run: data.text(), note: data.optional(data.text()) });
    expect(messages({ run: "r" }, of)).toEqual([]);
    expect(messages({ note: "n" }, of)).toEqual(["`run` is missing."]);
  });
});
