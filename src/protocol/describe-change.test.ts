import { expect, it } from "vitest";
import { describeChange } from "./describe-change.ts";

const long = "x".repeat(60);

it("tells what differs inside of something long, by its place", () => {
  const issue = { id: "1", severity: "high", text: long };
  expect(describeChange("findings.issues", [issue, issue], [issue, { ...issue, severity: "important" }])).toBe(
    '`findings.issues[1].severity` reads as "important" instead of "high"',
  );
});

it("knows keys that every object seems to have", () => {
  expect(describeChange("extensions", { toString: long, a: 1 }, { a: 1 })).toBe("`extensions.toString` is left out");
  expect(describeChange("extensions", { a: long }, { a: long, constructor: "b" })).toBe(
    '`extensions.constructor` is new: "b"',
  );
});
