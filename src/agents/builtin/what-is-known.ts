import type { Issue, PullRequest } from "../../ports/forge.ts";
import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import { durationOr, textsOr } from "../../workflow/file/loose-values.ts";
import { BuiltinFailure, type BuiltinJob, type BuiltinTools } from "./builtin-job.ts";

/** What earlier agents said is a claim: the forge is asked what there really is. */
export async function knownIssue({ situation }: BuiltinJob, { forge }: BuiltinTools): Promise<Issue> {
  const number = wholeNumber(situation.known["issue.number"]);
  if (number === null)
    throw new BuiltinFailure(
      "MissingIssue",
      "the run knows no issue",
      "Start it with --set issue.number=N, or let an agent before this one name the issue",
    );
  const issue = await forge.issue(number);
  if (issue !== null) return issue;
  throw new BuiltinFailure("MissingIssue", `the forge has no issue ${number}`, "Open it, or name another one");
}

export async function knownPull({ situation }: BuiltinJob, { forge }: BuiltinTools): Promise<PullRequest> {
  const number = wholeNumber(situation.known["pull_request.number"]);
  if (number === null)
    throw new BuiltinFailure("MissingPullRequest", "the run knows no pull request", "Let the implementer open one");
  const pull = await forge.pullRequest(number);
  if (pull === null)
    throw new BuiltinFailure("MissingPullRequest", `the forge has no pull request ${number}`, "Open it");
  const branch = situation.known["branch"];
  if (branch !== undefined && branch !== pull.branch)
    throw new BuiltinFailure(
      "WrongPullRequest",
      `pull request ${number} is of the branch ${pull.branch}, but this run works on ${branch}`,
      "Open a pull request for the branch of this run",
    );
  const base = await forge.base();
  if (pull.base === base && pull.branch !== base) return pull;
  throw new BuiltinFailure(
    "WrongPullRequest",
    `pull request ${number} is to be merged into ${pull.base}, not into ${base}`,
    "Open one for the base branch, or name another base in the workflow: forge: { base: ... }",
  );
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

export function commandOption(options: JsonRecord, name: string): readonly string[] | null {
  const command = textsOr(options[name]);
  return command.length === 0 ? null : command;
}

export function timeOption(value: JsonValue | undefined, fallback: number): number {
  return durationOr(value, fallback);
}
