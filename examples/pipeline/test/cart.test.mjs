import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/cart.mjs";

test("the total of a cart is the sum of its lines", () => {
  const lines = [
    { price: 250, quantity: 2 },
    { price: 100, quantity: 1 },
  ];
  assert.equal(total(lines), 600);
});
