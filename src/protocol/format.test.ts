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
  "\u00a0",
  "\u2028",
  ":1",
  ":0",
  "-1234567890",
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

/** Formats that look at more than their pattern can say: whether there is such a day, which line comes first. */
const STRICTER = new Set([formats.timestamp.name, formats.utcTimestamp.name, formats.lineRange.name]);

const named = Object.values(formats).map((format) => [format.name, format] as const);

describe.each(named)("the format %s", (_, format) => {
  it("accepts only what its pattern matches", () => {
    const pattern = new RegExp(format.pattern);
    fc.assert(
      fc.property(text, (written) => {
        expect(format.accepts(written) && !pattern.test(written)).toBe(false);
        if (!STRICTER.has(format.name)) expect(format.accepts(written)).toBe(pattern.test(written));
      }),
      { numRuns: 5000 },
    );
  });

  it("is checked for templates wherever it accepts one", () => {
    if (format.neverTemplate !== true) return;
    fc.assert(
      fc.property(text, (written) => {
        expect(format.accepts(written) && isTemplate(written, format)).toBe(false);
      }),
      { numRuns: 5000 },
    );
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
