import { expect, it } from "vitest";
import { count } from "./count.ts";

it("one of a thing is one of it, and none or many are many", () => {
  expect([0, 1, 2].map((number) => count(number, "file"))).toEqual(["0 files", "1 file", "2 files"]);
  expect([1, 2].map((number) => count(number, "entry", "entries"))).toEqual(["1 entry", "2 entries"]);
});
