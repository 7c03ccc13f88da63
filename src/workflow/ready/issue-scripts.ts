/**
 * Placeholders for the agents of the issue workflow that need a model. The later agents do real work (a branch, checks,
 * a merge), so the placeholders open a real issue and a real pull request in the local forge.
 */
export const ISSUE_BODIES: Readonly<Record<string, string>> = {
  "issue-manager": `import { brief, element, handOver, openItem, urlOf } from "./kit.mjs";

// Your work goes here: let a model turn the brief into a title and into requirements that can be checked.
const title = brief();
const requirements = ["What is asked for is done"];

const issue = openItem({ kind: "issue", title, body: requirements.join("\\n") });
handOver({
  to: "prep-agent",
  status: "success",
  issue,
  summary: title,
  data: {
    issue_url: urlOf("issues", issue),
    issue_title: title,
    type: "feature",
    priority: "medium",
    requirements: requirements.map((line) => element("requirement", line)),
  },
});
`,
  "implementer-agent": `import { mkdirSync, writeFileSync } from "node:fs";
import { commit, element, git, handOver, known, openItem, urlOf } from "./kit.mjs";

// Your work goes here. It stands on the branch that prep-agent has made; a note is all that this placeholder writes.
const issue = known("issue.number");
const branch = known("branch");
const note = \`notes/issue-\${issue}.md\`;
mkdirSync("notes", { recursive: true });
writeFileSync(note, \`Issue \${issue}: written by a placeholder, nothing was done.\\n\`);
git("add", note);
// An attempt that comes after an interrupted one may find its work committed already.
if (git("status", "--porcelain", "--", note) !== "") commit(\`Note issue \${issue}\`);

const pull = openItem({ kind: "pull", title: \`Note issue \${issue}\`, body: \`Closes #\${issue}\`, branch });
handOver({
  to: "reviewer-agent",
  status: "success",
  pull,
  summary: "A placeholder: a note was written, nothing was done",
  data: {
    issue_url: known("issue.url"),
    pr_url: urlOf("pulls", pull),
    branch,
    files_changed: 1,
    tests_added: 0,
    coverage: "0%",
    commits: [element("commit", git("log", "-1", "--format=%s"), { sha: git("rev-parse", "--short", "HEAD") })],
  },
});
`,
  "reviewer-agent": `import { handOver, known } from "./kit.mjs";

// Your work goes here. Whatever blocks the merge goes to the fixer: \`baton instructions issue-xml --to fixer-agent\`.
handOver({
  to: "validator-agent",
  status: "success",
  summary: "A placeholder: nothing was looked at",
  data: {
    pr_url: known("pull_request.url"),
    branch: known("branch"),
    review_status: "approved",
    critical_count: 0,
    important_count: 0,
    suggestion_count: 0,
  },
});
`,
  "fixer-agent": `import { handOver, known, prompt } from "./kit.mjs";

// Your work goes here: the issues to fix stand in the prompt as JSON. A placeholder cannot fix them, and says so.
console.error(prompt);
handOver({
  to: "orchestrator",
  status: "failure",
  summary: "A placeholder: it fixes nothing",
  data: {
    pr_url: known("pull_request.url"),
    error: {
      type: "NotWritten",
      message: "agents/fixer-agent.mjs is a placeholder",
      recoverable: false,
      suggested_action: "Write it, or bind the agent to a client in baton.yaml",
    },
  },
});
`,
};

export const ISSUE_KIT = `// What the scripts beside it need: the prompt, the local forge, and a handoff in XML.
//
// The forge of this workflow is a folder of baton's state, one file for each issue and pull request. Once baton.yaml
// says forge: { github: owner/name }, open them with \`gh\` or with GitHub's API instead.
import { execFileSync, spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** What baton tells the agent. */
export const prompt = readFileSync(0, "utf8");

/** What the run is about: its first line. */
export function brief() {
  return /^## The work\\n\\n(.+)$/m.exec(prompt)?.[1] ?? "No brief was given";
}

/**
 * What earlier agents have handed over stands in the prompt, in an envelope that nothing else can open or close: neither
 * the brief nor another handoff. One line each, such as \`branch: feature/... (from prep-agent)\`.
 */
const facts = /^<<<what is known (\\S+)\\n([^]*?)\\n\\1 end of what is known>>>$/m.exec(prompt)?.[2].split("\\n") ?? [];

/** Empty when it is not known. A number is one: it becomes part of a path. */
export function known(name) {
  const line = facts.find((fact) => fact.startsWith(\`\${name}: \`)) ?? "";
  const value = /^(.*) \\(from .*\\)$/.exec(line.slice(name.length + 2))?.[1] ?? "";
  if (name.endsWith(".number") && !/^\\d*$/.test(value)) throw new Error(\`\${name} is no number: \${JSON.stringify(value)}\`);
  return value;
}

export function git(...args) {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}

/** Git wants to know who commits; where nobody has told it, as on a new machine, it is these scripts. */
export function commit(message) {
  const isTold = ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].every((who) => spawnSync("git", ["var", who]).status === 0);
  const somebody = ["-c", "user.name=baton placeholder", "-c", "user.email=placeholder@baton.localhost"];
  git(...(isTold ? [] : somebody), "commit", "--quiet", "--message", message);
}

export function urlOf(kind, number) {
  return \`http://forge.localhost/\${kind}/\${number}\`;
}

/** Gives the number of the new issue or pull request, or of the one that this run has opened before. */
export function openItem(item) {
  const folder = join(resolve(git("rev-parse", "--git-common-dir")), "baton/forge/items");
  mkdirSync(folder, { recursive: true });
  const key = \`\${item.kind}-\${process.env.BATON_RUN}\`;
  const numbers = readdirSync(folder).flatMap((name) => (/^\\d+\\.json$/.test(name) ? [Number.parseInt(name, 10)] : []));
  const opened = numbers.find((number) => JSON.parse(readFileSync(join(folder, \`\${number}.json\`), "utf8")).key === key);
  if (opened !== undefined) return opened;
  const temporary = join(folder, \`.\${process.pid}.tmp\`);
  writeFileSync(temporary, JSON.stringify({ ...item, key, state: "open", opened_at: new Date().toISOString() }));
  for (let number = Math.max(0, ...numbers) + 1; ; number += 1) {
    try {
      // A link is made by one only: two runs never get the same number.
      linkSync(temporary, join(folder, \`\${number}.json\`));
      rmSync(temporary);
      return number;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}

/** Prints the handoff. */
export function handOver({ to, status, summary, data, issue = known("issue.number"), pull = known("pull_request.number") }) {
  const head = { from: process.env.BATON_AGENT, to, timestamp: new Date().toISOString(), issue_number: issue };
  console.log(element("handoff", { ...head, ...(pull === "" ? {} : { pr_number: pull }), status, summary, data }));
}

/** One XML element: of text, of an object's fields, or of elements that were made before. */
export function element(name, content, attributes = {}) {
  const marks = Object.entries(attributes).map(([key, value]) => \` \${key}="\${escape(value)}"\`);
  return \`<\${name}\${marks.join("")}>\${inner(content)}</\${name}>\`;
}

function inner(content) {
  if (Array.isArray(content)) return content.join("");
  if (typeof content !== "object") return escape(content);
  return Object.entries(content)
    .map(([name, value]) => element(name, value))
    .join("");
}

function escape(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
`;
