import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochOf } from "./utc-time.ts";

describe("an instant", () => {
  it("is the one that the engine's own clock means", () => {
    const years = { min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        expect(epochOf(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it.each(["2026-03-09T15:05:00+01:00", "2026-03-09T09:05:00-05:00", "2026-03-09T14:05Z", "2026-03-09T14:05:00"])(
    "is read from %s",
    (text) => expect(epochOf(text)).toBe(Date.parse("2026-03-09T14:05:00Z")),
  );

  it.each(["2026-03-09", "yesterday", "", "2026-03-09 14:05:00Z"])("is not in %j", (text) => {
    expect(epochOf(text)).toBeNull();
  });
});
