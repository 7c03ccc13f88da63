// Implements the issue with a test, and opens a pull request.
import { readFileSync } from "node:fs";
import { append, commit, element, git, handOver, isAboutReceipts, known, openItem, urlOf, write } from "./kit.mjs";

const issue = known("issue.number");
const branch = known("branch");
const summary = isAboutReceipts() ? cutNames() : showTwoDigits();

const pull = openItem({ kind: "pull", title: summary, body: `Closes #${issue}`, branch });
const commits = git("log", "--format=%h %s", `forge/main..${branch}`).split("\n");
handOver(
  "reviewer-agent",
  "success",
  summary,
  {
    issue_url: known("issue.url"),
    pr_url: urlOf("pulls", pull),
    branch,
    files_changed: git("diff", "--name-only", "forge/main").split("\n").length,
    tests_added: 1,
    coverage: "100%",
    commits: commits.map((line) => element("commit", line.slice(line.indexOf(" ") + 1), { sha: line.split(" ")[0] })),
  },
  { pull },
);

/** Right for 5 cents. Nobody thought of negative amounts. */
function showTwoDigits() {
  const source = readFileSync("src/money.mjs", "utf8");
  write("src/money.mjs", source.replace("${cents % 100}", '${String(cents % 100).padStart(2, "0")}'));
  commit(`Show two digits of cents (issue ${issue})`, "src");
  append(
    "test/money.test.mjs",
    `
test("a few cents have two digits", () => {
  assert.equal(format(5), "0.05");
});
`,
  );
  commit(`Test a few cents (issue ${issue})`, "test");
  return "Cents are shown with two digits";
}

function cutNames() {
  const source = readFileSync("src/receipt.mjs", "utf8");
  write("src/receipt.mjs", source.replace("name.padEnd(12)", "name.slice(0, 12).padEnd(12)"));
  append(
    "test/receipt.test.mjs",
    `
test("a long name is cut", () => {
  assert.equal(line("Pomegranate juice", "3.20"), "Pomegranate  3.20");
});
`,
  );
  commit(`Cut long names on receipts (issue ${issue})`, "src", "test");
  return "Long names on receipts are cut";
}
