import assert from "node:assert/strict";
import test from "node:test";
import { format } from "../src/money.mjs";

test("euros and cents are apart", () => {
  assert.equal(format(1250), "12.50");
});
