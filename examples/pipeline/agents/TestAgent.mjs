// Writes the tests the builder asked for and runs all of them. Every test that fails is an issue for the builder.
import { commit, handOver, round, run, write } from "./kit.mjs";

const FILE = "test/discount.test.mjs";
if (round === 1) writeTests();

const { output } = run("node", "--test", "--experimental-test-coverage", "--test-reporter=tap");
const failed = [...output.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => name);
const passed = [...output.matchAll(/^ok \d+ - /gm)].length;
const coverage = Number(/^# all files\s*\|\s*([\d.]+)/m.exec(output)?.[1]);
console.log(`${passed} passed, ${failed.length} failed, ${coverage} % of the lines covered`);

const delivered = {
  artifacts: [{ type: "test_file", path: FILE, purpose: "Tests the discount", priority: "high" }],
  metrics: { test_coverage: coverage, tests_passed: passed, tests_failed: failed.length },
  validation: { command: "npm test -- --coverage", expected_result: "All tests pass", checklist: ["Every edge case has a test"] },
};
if (failed.length === 0) handOver("CodeReviewer", delivered);
else
  handOver("BackendBuilder", {
    ...delivered,
    status: "FAIL",
    loop_required: true,
    loop_target: "BackendBuilder",
    loop_reason: "BUGS_FOUND_IN_TESTS",
    issues: failed.map((name, index) => ({
      id: `TEST-${index + 1}`,
      severity: "high",
      category: "bug",
      location: "src/discount.mjs:5",
      description: `This does not hold: ${name}`,
      remediation: `Make the test "${name}" pass`,
      status: "open",
      requires_code_change: true,
    })),
  });

function writeTests() {
  write(
    FILE,
    `import assert from "node:assert/strict";
import test from "node:test";
import { discounted } from "../src/discount.mjs";

const cart = [{ price: 333, quantity: 1 }];

test("a discount lowers the total", () => {
  assert.equal(discounted([{ price: 200, quantity: 2 }], 25), 300);
});

test("half a cent is rounded to the nearest cent", () => {
  assert.equal(discounted(cart, 50), 167);
});

test("a discount of more than 100 % is refused", () => {
  assert.throws(() => discounted(cart, 150), RangeError);
});

test("a discount below 0 % is refused", () => {
  assert.throws(() => discounted(cart, -1), RangeError);
});
`,
  );
  commit("Test the discount", FILE);
}
