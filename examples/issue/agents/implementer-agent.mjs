// Implements the issue with a test, and opens a pull request.
import { appendFileSync, readFileSync } from "node:fs";
import { SITE, commit, element, git, handOver, known, write } from "./kit.mjs";

const NUMBER = 84;
const issue = known("issue.number");
const branch = known("branch");

// Right for 5 cents. Nobody thought of negative amounts.
write(
  "src/money.mjs",
  readFileSync("src/money.mjs", "utf8").replace("${cents % 100}", '${String(cents % 100).padStart(2, "0")}'),
);
commit(`Show two digits of cents (issue ${issue})`, "src");
appendFileSync(
  "test/money.test.mjs",
  `
test("a few cents have two digits", () => {
  assert.equal(format(5), "0.05");
});
`,
);
commit(`Test a few cents (issue ${issue})`, "test");
write(`tracker/pull-${NUMBER}.md`, `# Show two digits of cents\n\nStatus: open\nBranch: ${branch}\nCloses: ${issue}\n`);
commit(`Open pull request ${NUMBER}`, "tracker");

const commits = git("log", "--format=%h %s", `main..${branch}`).split("\n");
handOver(
  "reviewer-agent",
  "success",
  "Cents are shown with two digits",
  {
    issue_url: known("issue.url"),
    pr_url: `${SITE}/pull/${NUMBER}`,
    branch,
    files_changed: git("diff", "--name-only", "main").split("\n").length,
    tests_added: 1,
    coverage: "100%",
    commits: commits.map((line) => element("commit", line.slice(line.indexOf(" ") + 1), { sha: line.split(" ")[0] })),
  },
  { pull: NUMBER },
);
