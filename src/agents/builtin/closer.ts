import type { Issue, PullRequest } from "../../ports/forge.ts";
import {
  BuiltinFailure,
  type BuiltinJob,
  type BuiltinTools,
  type BuiltinHandoff,
  firstLine,
  references,
  knownIssue,
  knownPull,
  commitOf,
  isDirty,
  trackBase,
} from "./builtin-job.ts";
import { PortLeases } from "./port-leases.ts";

/** Tells the issue, closes it, clears away, and sums the run up. Each of these may be done already. */
export async function close(job: BuiltinJob, tools: BuiltinTools): Promise<BuiltinHandoff> {
  const { agentInput } = job;
  const issue = await knownIssue(job, tools);
  const pull = await knownPull(job, tools);
  if (pull.merged === null)
    throw new BuiltinFailure("NotMerged", `pull request ${pull.number} is not merged`, "Let the validator merge it");
  const related = await tools.forge.relatedIssues(issue.number);
  await tools.forge.comment(issue.number, {
    key: `closing-${agentInput.run}`,
    body: closingWords(pull, pull.merged.sha, related),
  });
  await tools.forge.closeIssue(issue.number);
  const actions = ["Closing comment posted", "Issue closed", ...(await clearAway(job, tools, pull))];
  await new PortLeases(job.stateFolder).release(agentInput.run);
  actions.push("Port released", relatedAction(related));
  tools.tell(`issue ${issue.number} is closed`);
  return {
    to: null,
    final: true,
    outcome: "done",
    status: "completed",
    summary: firstLine(issue.title) === "" ? `Issue ${issue.number}` : firstLine(issue.title),
    ...references(issue, pull),
    work: { actions },
    metrics: {
      cycle_time: cycleTime(tools.now() - startOf(issue, agentInput.startedAt)),
      review_iterations: String(agentInput.trail.filter((agent) => /review/i.test(agent)).length),
      total_commits: String(pull.commits),
      tests_added: agentInput.known["tests_added"] ?? "unknown",
      coverage: agentInput.known["coverage"] ?? "not measured",
    },
  };
}

function closingWords({ number, base }: PullRequest, sha: string, related: readonly Issue[]): string {
  const others = related.map(({ number: other, title, state }) => `- #${other} ${quoted(title)} (${state})`);
  return [
    `Done with #${number}, merged into ${base} as ${sha}.`,
    ...(others.length === 0 ? [] : ["", "Related issues:", ...others]),
  ].join("\n");
}

/** As code: names in a title notify no one, and nothing in it is a link. */
function quoted(title: string): string {
  return `\`${firstLine(title, 100).replaceAll("`", "'")}\``;
}

function relatedAction(related: readonly Issue[]): string {
  if (related.length === 0) return "Related issues looked for: none";
  return `Related issues listed: ${related.map(({ number }) => number).join(", ")}`;
}

/** The branch goes from the forge and from the workspace, unless something in there would be lost. */
async function clearAway(job: BuiltinJob, tools: BuiltinTools, pull: PullRequest): Promise<string[]> {
  if (job.options["keep_branch"] === true) return ["Branch kept, as the workflow says"];
  await tools.forge.deleteBranch(pull.branch);
  if (await isDirty(tools, job.workspace))
    return ["Branch deleted in the forge, kept here: there are uncommitted changes"];
  if (!(await leaveBranch(job, tools, pull)))
    return ["Branch deleted in the forge, kept here: it has commits that were not merged"];
  return ["Branch deleted"];
}

/** False when the branch has something that the merge had not. */
async function leaveBranch(
  { workspace, agentInput }: BuiltinJob,
  tools: BuiltinTools,
  pull: PullRequest,
): Promise<boolean> {
  const { git } = tools;
  const own = await commitOf(tools, workspace, `refs/heads/${pull.branch}`);
  if (own !== null && pull.merged?.head !== null && own !== pull.merged?.head) return false;
  const merged = await trackBase(tools, workspace);
  const present = (await git(workspace, ["symbolic-ref", "--quiet", "HEAD"], [0, 1])).output.trim();
  if (present === `refs/heads/${pull.branch}` && merged !== null) {
    if (agentInput.workspace === "in-place") await goToBase(tools, workspace, pull.base, merged);
    else await git(workspace, ["switch", "--quiet", "--detach", merged]);
  }
  if (own !== null) await git(workspace, ["branch", "--quiet", "-D", "--", pull.branch]);
  return true;
}

/** Back to where the repository was before the run, with what was merged when nothing else happened there. */
async function goToBase(tools: BuiltinTools, workspace: string, base: string, merged: string): Promise<void> {
  const { git } = tools;
  if ((await commitOf(tools, workspace, `refs/heads/${base}`)) === null)
    await git(workspace, ["branch", "--quiet", "--no-track", "--", base, merged]);
  await git(workspace, ["switch", "--quiet", "--no-guess", base]);
  const grows = await git(workspace, ["merge-base", "--is-ancestor", "HEAD", merged], [0, 1]);
  if (grows.code === 0) await git(workspace, ["merge", "--quiet", "--ff-only", merged]);
}

function startOf(issue: Issue, runStartedAt: number): number {
  const openedAt = Date.parse(issue.openedAt);
  return Number.isNaN(openedAt) ? runStartedAt : openedAt;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** The two largest units: `2 days 4 hours`. */
export function cycleTime(milliseconds: number): string {
  let rest = Math.max(milliseconds, 1000);
  const parts: string[] = [];
  for (const [name, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
  }
  return parts.slice(0, 2).join(" ");
}
