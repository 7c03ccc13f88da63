import { expect, it } from "vitest";
import { gateResults } from "./gate-results.ts";

it("the newest results are kept, and no more than so many", async () => {
  const results = gateResults(2);
  const result = { message: "exit code 0", output: "", milliseconds: 1, figures: null };
  for (const key of ["a", "b", "a", "c"]) await results.keep(key, result);
  expect(await Promise.all(["a", "b", "c"].map((key) => results.find(key)))).toEqual([result, null, result]);
});
