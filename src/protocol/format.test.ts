import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as formats from "./format.ts";
import { isTemplate } from "./unfilled-template.ts";

const SIGNS = [
  ..."aZ09_-./\\:@~|[]{}<> \n\r\0#%?=",
  "..",
  ".git",
  "src",
  "all",
  "None",
  "2026-03-09",
  "T14:05:00Z",
  "https://",
  "12",
  "-7",
  "é",
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...SIGNS), { maxLength: 7 }).map((parts) => parts.join("")),
  fc
    .tuple(fc.integer({ min: 2023, max: 2029 }), ...[13, 32, 25, 61, 61].map((max) => fc.integer({ min: 0, max })))
    .map(([year, ...rest]) => {
      const [month, day, hour, minute, second] = rest.map((part) => String(part).padStart(2, "0"));
      return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
    }),
);

const named = Object.values(formats).map((format) => [format.name, format] as const);

describe.each(named)("the format %s", (_, format) => {
  it("takes no text for plain that it does not accept or that is a template", () => {
    fc.assert(
      fc.property(text, (written) => {
        const isBare = !/[\0-\x1f\\|]/.test(written);
        if (!format.isPlain(written) && !(isBare && format.isBarePlain(written))) return;
        expect(format.accepts(written)).toBe(true);
        expect(isTemplate(written, format)).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it("takes no bare text for less plain than it is", () => {
    expect(format.isBarePlain(format.example)).toBe(format.isPlain(format.example));
  });

  it("accepts its example", () => {
    expect(format.accepts(format.example)).toBe(true);
  });
});

it("takes no time of a zone that there is not", () => {
  const { timestamp } = formats;
  const accepted = ["", "Z", "+14:00", "-1130", "+24:00", "+05:60", "+99:99"].filter((zone) =>
    timestamp.accepts(`2026-03-09T14:05:00${zone}`),
  );
  expect(accepted).toEqual(["", "Z", "+14:00", "-1130"]);
});
