// Turns what is asked for into an issue.
import { element, handOver, isAboutReceipts, openItem, prompt, urlOf } from "./kit.mjs";

const title = /^## The work\n\n(.*)$/m.exec(prompt)?.[1] ?? "";
const asked = isAboutReceipts() ? "Names longer than 12 letters are cut" : "5 cents are shown as 0.05";
const requirements = [asked, "The change has tests"];

const issue = openItem({ kind: "issue", title, body: requirements.map((line) => `- ${line}`).join("\n") });
handOver(
  "prep-agent",
  "success",
  title,
  {
    issue_url: urlOf("issues", issue),
    issue_title: title,
    type: "bug",
    priority: "high",
    requirements: requirements.map((line) => element("requirement", line)),
  },
  { issue },
);
