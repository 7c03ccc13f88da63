import type { GitAnswer } from "../../git/run-git.ts";
import type { AgentInput } from "../../ports/agent.ts";
import type { Forge, Issue, PullRequest } from "../../ports/forge.ts";
import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import type { BuiltinName } from "../../workflow/definition.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { printable } from "../../shared/printable.ts";
import { durationOr, textsOr } from "../../workflow/file/loose-values.ts";

/** What an agent that comes along is told: data, and no prose that it would have to understand. */
export interface BuiltinJob {
  readonly name: BuiltinName;
  readonly options: JsonRecord;
  /** Its name in the workflow. */
  readonly agent: string;
  readonly attempt: string;
  readonly prompt: string;
  readonly agentInput: AgentInput;
  readonly workspace: string;
  readonly root: string;
  readonly stateFolder: string;
  /** The operator's list of folders that gates may see. */
  readonly toolchainFile?: string;
}

/** What it works with. */
export interface BuiltinTools {
  readonly forge: Forge;
  /** Git in a folder: its output, or an error. `accepts` are the exit codes that are answers. */
  readonly git: (directory: string, args: readonly string[], accepts?: readonly number[]) => Promise<GitAnswer>;
  /** On the project as it was before the run. */
  readonly run: (command: CheckCommand) => Promise<CheckResult>;
  /** On what agents wrote: in the sandbox, if there is one. */
  readonly runHeld: (command: CheckCommand) => Promise<CheckResult>;
  /** Whether nothing of a run can still be at work. */
  readonly isRunOver: (run: string) => Promise<boolean>;
  readonly now: () => number;
  /** A line for people to see. */
  readonly tell: (line: string) => void;
}

export interface CheckCommand {
  readonly name: string;
  readonly command: readonly string[];
  readonly directory: string;
  readonly timeout: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether what is held may reach other machines. */
  readonly network?: boolean;
}

export interface CheckResult {
  readonly passed: boolean;
  /** `exit code 1`, or why there is none. */
  readonly message: string;
  /** The end of what it printed. */
  readonly output: string;
  /** What held it. */
  readonly sandbox?: string;
}

/** The work cannot be done here, and trying again does not help: a person has to know. */
export class BuiltinFailure extends Error {
  readonly kind: string;
  readonly advice: string;

  constructor(kind: string, message: string, advice: string) {
    super(message);
    this.kind = kind;
    this.advice = advice;
  }
}

/** What an agent has to say besides who it is and when that was. */
export type BuiltinHandoff = Omit<Handoff, "dialect" | "from" | "at">;

export function references(issue: Issue, pull: PullRequest | null): Pick<BuiltinHandoff, "issue" | "pull_request"> {
  return {
    issue: { number: String(issue.number), url: issue.url },
    ...(pull !== null && { pull_request: { number: String(pull.number), url: pull.url } }),
  };
}

/** One line, for a summary or the title of a commit. */
export function firstLine(text: string, max = 200): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  return line.length > max ? `${line.slice(0, max - 3)}...` : line;
}

/** The end of an output as one line. */
export function lastWords(output: string, max: number): string {
  const lines = output.split("\n").map((line) => printable(line.trim()));
  return lines
    .filter((line) => line !== "")
    .join(" | ")
    .slice(-max);
}

export function commandLine(command: readonly string[]): string {
  return printable(command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" "));
}

/** What earlier agents said is a claim: the forge is asked what there really is. */
export async function knownIssue({ agentInput }: BuiltinJob, { forge }: BuiltinTools): Promise<Issue> {
  const number = wholeNumber(agentInput.known["issue.number"]);
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

export async function knownPull({ agentInput }: BuiltinJob, { forge }: BuiltinTools): Promise<PullRequest> {
  const number = wholeNumber(agentInput.known["pull_request.number"]);
  if (number === null)
    throw new BuiltinFailure("MissingPullRequest", "the run knows no pull request", "Let the implementer open one");
  const pull = await forge.pullRequest(number);
  if (pull === null)
    throw new BuiltinFailure("MissingPullRequest", `the forge has no pull request ${number}`, "Open it");
  const branch = agentInput.known["branch"];
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

type Git = Pick<BuiltinTools, "git">;

/** Whether something that git follows is not committed. */
export async function isDirty({ git }: Git, workspace: string): Promise<boolean> {
  return (await changes({ git }, workspace, "no")).length > 0;
}

/** Everything that a commit would lack. */
export async function uncommitted({ git }: Git, workspace: string): Promise<string[]> {
  return changes({ git }, workspace, "normal");
}

async function changes({ git }: Git, workspace: string, untracked: "no" | "normal"): Promise<string[]> {
  const args = ["status", "--porcelain", "-z", "--no-renames", `--untracked-files=${untracked}`, "--ignore-submodules"];
  const { output } = await git(workspace, args);
  return output.split("\0").flatMap((entry) => (entry === "" ? [] : [entry.slice(3)]));
}

export async function commitOf({ git }: Git, workspace: string, ref: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { code, output } = await git(workspace, args, [0, 1]);
  return code === 0 ? output.trim() : null;
}

/** The forge's base as it is now, for agents and people to compare with: `forge/main`. Null when the forge has none. */
export async function trackBase(tools: Pick<BuiltinTools, "git" | "forge">, workspace: string): Promise<string | null> {
  const base = await tools.forge.base();
  const commit = await tools.forge.fetchBranch(workspace, base);
  if (commit !== null) await tools.git(workspace, ["update-ref", `refs/remotes/forge/${base}`, commit]);
  return commit;
}
