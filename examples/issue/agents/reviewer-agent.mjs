// Reads the change and tries it with the values that people forget.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { element, handOver, known } from "./kit.mjs";

const { format } = await import(resolve("src/money.mjs"));
const line =
  readFileSync("src/money.mjs", "utf8")
    .split("\n")
    .findIndex((text) => text.includes("return")) + 1;
const location = `src/money.mjs:${line}`;

const issues = [];
if (known("branch").includes("cents")) {
  if (format(-150) !== "-1.50")
    issues.push({ severity: "critical", text: `A negative amount is shown wrong: -150 cents as ${format(-150)}` });
  if (!refuses(0.5))
    issues.push({ severity: "important", text: `Half a cent is shown as ${format(0.5)}, not refused` });
}

const count = (severity) => issues.filter((issue) => issue.severity === severity).length;
const counts = { critical_count: count("critical"), important_count: count("important"), suggestion_count: 0 };
const pull = { pr_url: known("pull_request.url"), branch: known("branch") };
if (issues.length === 0)
  handOver("validator-agent", "success", "Nothing blocks the merge", { ...pull, review_status: "approved", ...counts });
else
  handOver("fixer-agent", "blocked", `${issues.length} issues block the merge`, {
    ...pull,
    review_status: "changes_requested",
    ...counts,
    blocking_issues: issues.map(({ severity, text }) => element("issue", text, { location, severity })),
  });

function refuses(cents) {
  try {
    format(cents);
    return false;
  } catch {
    return true;
  }
}
