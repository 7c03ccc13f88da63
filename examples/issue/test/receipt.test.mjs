import assert from "node:assert/strict";
import test from "node:test";
import { line } from "../src/receipt.mjs";

test("name and amount stand in columns", () => {
  assert.equal(line("Bread", "2.10"), "Bread        2.10");
});
