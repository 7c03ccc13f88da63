// Tests the work. What fails is told in the metrics; the workflow knows who mends it.
import { commit, handOver, run, write } from "./kit.mjs";

const FILE = "test/slug.test.mjs";
write(
  FILE,
  `import assert from "node:assert/strict";
import test from "node:test";
import { addressOf } from "../src/address.mjs";

test("words are joined by hyphens", () => {
  assert.equal(addressOf({ id: 7, title: "Hello, world!" }), "/articles/7-hello-world");
});

test("letters with accents stay", () => {
  assert.equal(addressOf({ id: 8, title: "Café Zürich" }), "/articles/8-cafe-zurich");
});
`,
);
commit("Test slugs", FILE);

const { passed, output } = run("node", "--test", "--test-reporter=tap");
const count = (word) => new RegExp(`^# ${word} (\\d+)$`, "m").exec(output)?.[1];
handOver(passed ? "All tests pass." : "Tests fail.", "Testing", null, passed ? "complete" : "failed", [
  "metrics:",
  `  tests_total: ${count("tests")}`,
  `  tests_passed: ${count("pass")}`,
  `  tests_failed: ${count("fail")}`,
]);
