// Writes the tests and runs them. Tests that fail because of the code send it back.
import { handOver, run, write } from "./kit.mjs";

const FILE = "test/tokens.test.mjs";
write(
  FILE,
  `import assert from "node:assert/strict";
import test from "node:test";
import { issue, redeem } from "../src/tokens.mjs";

test("a token gives the address it was issued for", () => {
  assert.equal(redeem(issue("ada@example.org", 0), 1), "ada@example.org");
});

test("a token works once", () => {
  const token = issue("ada@example.org", 0);
  redeem(token, 1);
  assert.equal(redeem(token, 2), null);
});

test("a token works for one hour", () => {
  assert.equal(redeem(issue("ada@example.org", 0), 3_600_000), null);
});

test("what was never issued does not work", () => {
  assert.equal(redeem("guessed", 0), null);
});
`,
);

const { passed, output } = run("node", "--test", "--test-reporter=tap");
const failed = [...output.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => name);
const verification = { tests_passed: passed, command_output: output.trimEnd().split("\n").slice(-8, -5).join("\n") };
const tested = { phase: "testing", files_modified: [FILE], verification };
if (passed)
  handOver(
    "testing.md",
    "# Testing\n\nAll tests pass.",
    {
      ...tested,
      summary: "All 4 tests of the tokens pass",
      handoff: { next_phase: "complete", next_agent: null, blockers: [] },
    },
    "Test reset tokens: all pass",
  );
else
  handOver(
    "testing.md",
    `# Testing\n\n${failed.map((name) => `- fails: ${name}`).join("\n")}`,
    {
      ...tested,
      status: "blocked",
      blocked_reason: "test_failures",
      attempted: ["node --test"],
      summary: `${failed.length} of 4 tests fail because of the code`,
      handoff: {
        next_phase: "complete",
        next_agent: null,
        context: "The code must be mended.",
        blockers: failed.map((name) => ({
          type: "test_failure",
          description: `This does not hold: ${name}`,
          resolution: "Mend src/tokens.mjs",
        })),
      },
    },
    "Test reset tokens: a test fails",
  );
