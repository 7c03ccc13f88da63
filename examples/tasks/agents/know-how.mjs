// What the scripted implementer writes for each task. A coding agent would think of it by itself.

const TEST_HEAD = `import assert from "node:assert/strict";
import test from "node:test";
`;

export const HOW_TO = {
  "task-1": {
    code: {
      path: "src/read.mjs",
      purpose: "Reads a booking from a line",
      text: `export function readBooking(line) {
  const [account, amount, currency] = line.split(",");
  return { account, cents: Math.round(Number(amount) * 100), currency };
}
`,
    },
    test: {
      path: "test/read.test.mjs",
      text: `${TEST_HEAD}import { readBooking } from "../src/read.mjs";

test("a line becomes a booking", () => {
  assert.deepEqual(readBooking("travel,12.50,EUR"), { account: "travel", cents: 1250, currency: "EUR" });
});
`,
    },
  },
  "task-2": {
    code: {
      path: "src/convert.mjs",
      purpose: "Converts currencies",
      text: `const RATES = { EUR: 1, USD: 0.9, CHF: 1.05 };

export function toEuros(cents, currency) {
  return Math.round(cents * RATES[currency]);
}
`,
    },
    test: {
      path: "test/convert.test.mjs",
      text: `${TEST_HEAD}import { toEuros } from "../src/convert.mjs";

test("dollars become euros", () => {
  assert.equal(toEuros(1000, "USD"), 900);
});

test("a currency without a rate is refused", () => {
  assert.throws(() => toEuros(1000, "XXX"), RangeError);
});
`,
    },
  },
  "task-3": {
    code: {
      path: "src/sum.mjs",
      purpose: "Sums bookings by account",
      text: `export function sumByAccount(bookings, centsOf) {
  const sums = new Map();
  for (const booking of bookings) sums.set(booking.account, (sums.get(booking.account) ?? 0) + centsOf(booking));
  return sums;
}
`,
    },
    test: {
      path: "test/sum.test.mjs",
      text: `${TEST_HEAD}import { readBooking } from "../src/read.mjs";
import { sumByAccount } from "../src/sum.mjs";

test("bookings of one account are added", () => {
  const bookings = ["food,1.00,EUR", "food,2.50,EUR"].map(readBooking);
  assert.deepEqual([...sumByAccount(bookings, ({ cents }) => cents)], [["food", 350]]);
});
`,
    },
  },
  "task-4": {
    code: {
      path: "src/report.mjs",
      purpose: "Reports all accounts in euros",
      text: `import { toEuros } from "./convert.mjs";
import { readBooking } from "./read.mjs";
import { sumByAccount } from "./sum.mjs";

export function report(lines) {
  const sums = sumByAccount(lines.map(readBooking), ({ cents, currency }) => toEuros(cents, currency));
  return [...sums].sort().map(([account, cents]) => \`\${account}: \${(cents / 100).toFixed(2)}\`);
}
`,
    },
    test: {
      path: "test/report.test.mjs",
      text: `${TEST_HEAD}import { report } from "../src/report.mjs";

test("accounts are reported in euros, in order", () => {
  assert.deepEqual(report(["travel,10.00,USD", "food,2.00,EUR"]), ["food: 2.00", "travel: 9.00"]);
});
`,
    },
  },
};

/** What the second try of a task writes. */
export const MENDED = {
  "task-2": `const RATES = { EUR: 1, USD: 0.9, CHF: 1.05 };

export function toEuros(cents, currency) {
  if (!Object.hasOwn(RATES, currency)) throw new RangeError(\`no rate for \${currency}\`);
  return Math.round(cents * RATES[currency]);
}
`,
};
