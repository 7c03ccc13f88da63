// Turns what is asked for into an issue.
import { SITE, commit, element, handOver, prompt, write } from "./kit.mjs";

const NUMBER = 71;
const asked = /^## The work\n\n(.*)$/m.exec(prompt)?.[1] ?? "";
const requirements = ["5 cents are shown as 0.05", "The change has tests"];

write(
  `tracker/issue-${NUMBER}.md`,
  `# ${asked}\n\nStatus: open\n\n${requirements.map((line) => `- [ ] ${line}`).join("\n")}\n`,
);
commit(`Open issue ${NUMBER}`, "tracker");
handOver(
  "prep-agent",
  "success",
  asked,
  {
    issue_url: `${SITE}/issues/${NUMBER}`,
    issue_title: asked,
    type: "bug",
    priority: "high",
    requirements: requirements.map((line) => element("requirement", line)),
  },
  { issue: NUMBER },
);
