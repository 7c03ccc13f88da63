import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { all, issueOf, one, type Turn } from "./read-play.ts";

/** What the agents of the issue example share: see `examples/issue/agents/kit.mjs`. */
export interface IssueKit {
  readonly prompt: string;
  readonly known: (name: string) => string;
  readonly git: (...args: string[]) => string;
  readonly openItem: (item: Readonly<Record<string, unknown>>) => number;
  readonly urlOf: (kind: string, number: number) => string;
  readonly element: (name: string, content: unknown, attributes?: Readonly<Record<string, unknown>>) => string;
  readonly handOver: (to: string, status: string, summary: string, data: object, numbers?: object) => void;
}

/** Hands over as this agent of the workflow `issue` does. */
export function handOverIssue(turn: Turn, kit: IssueKit): void {
  if (turn.word === "failed") return reportError(turn, kit);
  if (turn.word === "blocked")
    return kit.handOver("orchestrator", "blocked", "It cannot go on", { why: "Nobody answers" });
  const write = WRITERS[turn.agent];
  if (write === undefined) throw new Error(`no words for ${turn.agent}`);
  write(turn, kit);
}

const WRITERS: Readonly<Record<string, (turn: Turn, kit: IssueKit) => void>> = {
  "issue-manager": openIssue,
  "implementer-agent": implement,
  "reviewer-agent": review,
  "fixer-agent": fix,
};

function reportError(turn: Turn, kit: IssueKit): void {
  const error = {
    type: "BuildError",
    message: "It does not build",
    details: "A module is missing",
    recoverable: turn.argument === "recoverable",
    suggested_action: "Look at the paths",
  };
  console.log(kit.element("handoff", { from: turn.agent, to: "orchestrator", status: "failure", error }));
}

function openIssue(turn: Turn, kit: IssueKit): void {
  const title = "A part is missing";
  const issue = kit.openItem({ kind: "issue", title, body: "- It is there" });
  const requirements =
    one(turn, "without") === "requirements" ? {} : { requirements: [kit.element("requirement", "It is there")] };
  kit.handOver(
    "prep-agent",
    "success",
    title,
    { issue_url: kit.urlOf("issues", issue), issue_title: title, type: "bug", priority: "high", ...requirements },
    { issue },
  );
}

function implement(turn: Turn, kit: IssueKit): void {
  change(kit, "src/part.mjs", "export const part = 1;\n");
  const branch = kit.known("branch");
  const commit = one(turn, "commit") ?? kit.git("log", "-1", "--format=%h");
  const data = { issue_url: kit.known("issue.url"), branch, files_changed: 1, tests_added: 0, coverage: "100%" };
  const commits = [kit.element("commit", "Change src/part.mjs", { sha: commit })];
  if (one(turn, "without") === "pull")
    return kit.handOver("reviewer-agent", "success", "The part is there", { ...data, commits });
  const pull = kit.openItem({
    kind: "pull",
    title: "Add the part",
    body: `Closes #${kit.known("issue.number")}`,
    branch,
  });
  kit.handOver(
    "reviewer-agent",
    "success",
    "The part is there",
    { ...data, pr_url: kit.urlOf("pulls", pull), commits },
    { pull },
  );
}

function review(turn: Turn, kit: IssueKit): void {
  const issues = all(turn, "issue").map(issueOf);
  const count = (word: string): number => issues.filter(({ severity }) => severity === word).length;
  const pull = { pr_url: kit.known("pull_request.url"), branch: kit.known("branch") };
  const counts = { critical_count: count("critical"), important_count: count("important") };
  const suggestions = { suggestion_count: Number(one(turn, "suggestions") ?? 0) };
  if (issues.length === 0)
    return kit.handOver("validator-agent", "success", "Nothing blocks the merge", {
      ...pull,
      review_status: "approved",
      ...counts,
      ...suggestions,
    });
  kit.handOver("fixer-agent", "blocked", `${issues.length} issues block the merge`, {
    ...pull,
    review_status: "changes_requested",
    ...counts,
    ...suggestions,
    blocking_issues: issues.map(({ id, severity, location }) =>
      kit.element("issue", `${id} does not hold, says the review`, { location, severity }),
    ),
  });
}

function fix(turn: Turn, kit: IssueKit): void {
  const mended = all(turn, "fixes");
  const places = [...mended, ...all(turn, "pretends")];
  for (const place of mended) mend(place);
  if (one(turn, "commits") === null) change(kit, "src/part.mjs", `// Mended ${places.join(" ")}\n`);
  kit.handOver("reviewer-agent", "ready-for-re-review", "It is fixed", {
    pr_url: kit.known("pull_request.url"),
    branch: kit.known("branch"),
    fixes_applied: (places.length === 0 ? ["src/part.mjs:1"] : places).map((location) =>
      kit.element("fix", "Mended", { location }),
    ),
    commits_added: 1,
  });
}

function change(kit: IssueKit, path: string, line: string): void {
  mkdirSync("src", { recursive: true });
  writeFileSync(path, `${readOrEmpty(path)}${line}`);
  kit.git("add", "--update");
  kit.git("add", path);
  if (spawnSync("git", ["diff", "--cached", "--quiet"]).status !== 0)
    kit.git("commit", "--quiet", "--message", `Change ${path}`);
}

/** Changes the line that a place names. */
function mend(place: string): void {
  const [path = "", line = "1"] = place.split(":");
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, lines.with(Number(line) - 1, `// mended ${lines[Number(line) - 1]}`).join("\n"));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
