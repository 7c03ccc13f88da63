import { setTimeout as sleep } from "node:timers/promises";
import { type Issue, type MergeResult, type PullRequest, ForgeError } from "../../ports/forge.ts";
import {
  CHECK_NAMES,
  type CheckName,
  MERGE_STRATEGIES,
  type MergeStrategy,
} from "../../workflow/file/builtin-options.ts";
import { textsOr, wordOr } from "../../workflow/file/loose-values.ts";
import {
  BuiltinFailure,
  type BuiltinJob,
  type BuiltinTools,
  type BuiltinHandoff,
  commandLine,
  lastWords,
  firstLine,
  references,
  commandOption,
  knownIssue,
  knownPull,
  timeOption,
  commitOf,
  isDirty,
  trackBase,
  uncommitted,
} from "./builtin-job.ts";
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { type JsonRecord, isRecord } from "../../shared/json-value.ts";

/** Checks in order, then the merge. What fails goes to the fixer. */
export async function validate(job: BuiltinJob, tools: BuiltinTools): Promise<BuiltinHandoff> {
  const subject = { issue: await knownIssue(job, tools), pull: await knownPull(job, tools) };
  const { pull } = subject;
  if (pull.merged !== null) {
    await trackBase(tools, job.workspace);
    return mergedBefore(job, subject, pull.merged);
  }
  if (pull.state === "closed")
    throw new BuiltinFailure("PullRequestClosed", `pull request ${pull.number} is closed`, "Open it again");
  const head = await commitOf(tools, job.workspace, `refs/heads/${pull.branch}`);
  if (head === null)
    throw new BuiltinFailure("MissingBranch", `${job.workspace} has no branch ${pull.branch}`, "See what became of it");
  const unreviewed = await whyUnreviewed(job, tools, pull, head);
  if (unreviewed !== null) return sendBack(job, subject, [unreviewed]);
  const { failures, results } = await checkAll(job, tools, pull.branch, head);
  if (failures.length > 0) return sendBack(job, subject, failures);
  await tools.forge.pushBranch(job.workspace, pull.branch);
  const foreign = [...(await askedChanges(tools, pull)), ...(await foreignChecks(job, tools, head))];
  if (foreign.length > 0) return sendBack(job, subject, foreign);
  const note = { head, results };
  await writeNote(job.stateFolder, job.agentInput.run, note);
  const title = `${firstLine(subject.issue.title, 100)} (#${pull.number})`;
  tools.tell(`merge: ${strategyOf(job)} of ${head}`);
  const merge = await tools.forge.merge(pull.number, { head, strategy: strategyOf(job), title });
  return afterMerge(job, tools, subject, note, merge);
}

/** What is merged must be what was reviewed and approved. */
async function whyUnreviewed(
  { agentInput: { reviewed }, workspace }: BuiltinJob,
  tools: BuiltinTools,
  { branch, head: pushed, number }: PullRequest,
  head: string,
): Promise<Failure | null> {
  const again = (why: string): Failure => ({ type: "test", description: `${why}: have ${branch} reviewed again` });
  if (reviewed === null) return null;
  if (reviewed.commit === null) return again(reviewed.why ?? "no commit was reviewed");
  if (reviewed.commit !== head)
    return again(`${reviewed.by} handed on ${reviewed.commit}, but ${branch} is at ${head} now`);
  // A commit that the workspace does not have was pushed by somebody else: to push ours would remove it.
  if (pushed === null || (await commitOf(tools, workspace, pushed)) !== null) return null;
  return again(`pull request ${number} has ${pushed} in the forge, which nobody here has seen, after ${head}`);
}

interface Subject {
  readonly issue: Issue;
  readonly pull: PullRequest;
}

interface Failure {
  readonly type: "test" | "lint" | "type_check";
  /** The same words for the same failure: by them it is known again. */
  readonly description: string;
  readonly details?: string;
}

/** The format knows three types of failures. */
const TYPES: Readonly<Record<CheckName, Failure["type"]>> = {
  lint: "lint",
  type_check: "type_check",
  unit: "test",
  integration: "test",
  e2e: "test",
  audit: "test",
  build: "type_check",
};

interface Checked {
  readonly failures: readonly Failure[];
  readonly results: Readonly<Record<string, string>>;
}

async function checkAll(job: BuiltinJob, tools: BuiltinTools, branch: string, head: string): Promise<Checked> {
  const { workspace, options } = job;
  const problem = await whyNotJudged(tools, workspace, branch, head);
  if (problem !== null) return { failures: [{ type: "test", ...problem }], results: {} };
  const failures: Failure[] = [];
  const results: Record<string, string> = {};
  const timeout = timeOption(options["timeout"], MAX_CHECK);
  for (const name of CHECK_NAMES) {
    const command = commandOption(options, name);
    if (command === null) continue;
    tools.tell(`${name}: ${commandLine(command)}`);
    const network = textsOr(options["network"], WITH_NETWORK).includes(name);
    const check = { name, command, directory: workspace, timeout, network };
    const { passed, message, output, sandbox } = await tools.runHeld(check);
    if (sandbox !== "bubblewrap") tools.tell(`${name} was held by: ${sandbox ?? "nothing"}`);
    results[name] = passed ? "passed" : `failed (${message})`;
    const description = `${name} failed: ${commandLine(command)} (${message})`;
    if (!passed) failures.push({ type: TYPES[name], description, details: lastWords(output, 2000) });
  }
  const isSame = (await commitOf(tools, workspace, "HEAD")) === head && !(await isDirty(tools, workspace));
  if (!isSame) failures.push({ type: "test", description: "the checks themselves changed files that git follows" });
  return { failures, results };
}

const MAX_CHECK = 900_000;
/** It asks a registry which versions have holes. */
const WITH_NETWORK = ["audit"];

/** What is checked must be what is merged: the files of the branch, all of them and nothing else. */
async function whyNotJudged(
  tools: BuiltinTools,
  workspace: string,
  branch: string,
  head: string,
): Promise<Omit<Failure, "type"> | null> {
  if ((await commitOf(tools, workspace, "HEAD")) !== head)
    return { description: `the workspace is not on ${branch}: switch to it` };
  const files = await uncommitted(tools, workspace);
  if (files.length === 0) return null;
  const description = "files are not committed: commit them, remove them, or have git ignore them";
  return { description, details: firstLine(files.slice(0, 20).join(", "), 1000) };
}

async function askedChanges({ forge }: BuiltinTools, { number }: PullRequest): Promise<Failure[]> {
  const asked = await forge.requestedChanges(number);
  return asked.map((words) => ({ type: "test", description: `changes are requested by ${firstLine(words, 1000)}` }));
}

/** What others check, as continuous integration does. */
async function foreignChecks(job: BuiltinJob, { forge, tell }: BuiltinTools, head: string): Promise<Failure[]> {
  const wait = timeOption(job.options["wait"], MAX_WAIT);
  for (const giveUpAt = Date.now() + wait; ; await sleep(FOREIGN_PAUSE)) {
    const { state, failed } = await forge.checks(head);
    if (state === "failing")
      return failed.map((name) => ({ type: "test", description: `the forge's check failed: ${firstLine(name)}` }));
    if (state !== "pending") return [];
    if (Date.now() > giveUpAt)
      throw new ForgeError(`checks of the forge are pending after ${Math.round(wait / 1000)} s`, true);
    tell("the forge is still checking");
  }
}

const MAX_WAIT = 600_000;
const FOREIGN_PAUSE = 5_000;

async function afterMerge(
  job: BuiltinJob,
  tools: BuiltinTools,
  subject: Subject,
  note: ValidationNote,
  merge: MergeResult,
): Promise<BuiltinHandoff> {
  const { pull } = subject;
  switch (merge.kind) {
    case "merged":
      await trackBase(tools, job.workspace);
      return merged(job, subject, merge.sha, note.results);
    case "conflict": {
      // So that the fixer has them at hand.
      const theirs = await trackBase(tools, job.workspace);
      const description = `${pull.branch} conflicts with ${pull.base}: ${firstLine(merge.files.join(", "), 500)}`;
      return sendBack(job, subject, [
        { type: "test", description, details: `merge ${theirs ?? pull.base} and resolve` },
      ]);
    }
    case "moved":
      throw new ForgeError(`${pull.branch} was moved to ${merge.head ?? "nothing"} during the merge`, true);
    case "refused":
      throw new BuiltinFailure("MergeRefused", `the forge refuses the merge: ${merge.reason}`, "Merge it by hand");
  }
}

function sendBack(job: BuiltinJob, { issue, pull }: Subject, failures: readonly Failure[]): BuiltinHandoff {
  return {
    to: job.agentInput.next["needs-fixes"] ?? "fixer-agent",
    outcome: "needs-fixes",
    status: "blocked",
    summary: `The validation failed: ${failures.length === 1 ? "1 failure" : `${failures.length} failures`}`,
    ...references(issue, pull),
    work: { branch: pull.branch },
    checks: { status: "failed" },
    findings: { failures: failures.map((failure) => ({ ...failure })) },
  };
}

function merged(
  job: BuiltinJob,
  { issue, pull }: Subject,
  sha: string,
  results: ValidationNote["results"],
): BuiltinHandoff {
  return {
    to: job.agentInput.next["done"] ?? "closer-agent",
    outcome: "done",
    status: "success",
    summary: `Pull request ${pull.number} is merged into ${pull.base}`,
    ...references(issue, pull),
    work: { branch: pull.branch, merge: { status: "merged", sha, strategy: strategyOf(job) } },
    checks: {
      results: {
        tests: together([results["unit"], results["integration"], results["e2e"]]),
        coverage: job.agentInput.known["coverage"] ?? "not measured",
        lint: results["lint"] ?? "skipped",
        type_check: results["type_check"] ?? "skipped",
        security: results["audit"] ?? "skipped",
        build: results["build"] ?? "skipped",
      },
    },
  };
}

/** Only what was run counts, and all of it passed. */
function together(results: readonly (string | undefined)[]): string {
  return results.find((result) => result !== undefined) ?? "skipped";
}

/** An attempt before this one merged it and could not hand over, or somebody else did. */
async function mergedBefore(
  job: BuiltinJob,
  subject: Subject,
  merge: NonNullable<PullRequest["merged"]>,
): Promise<BuiltinHandoff> {
  const note = await readNote(job.stateFolder, job.agentInput.run);
  const isOurs = note !== null && (merge.head === null || merge.head === note.head);
  if (isOurs) return merged(job, subject, merge.sha, note.results);
  const expected = job.agentInput.reviewed?.commit ?? null;
  if (expected !== null && merge.head !== null && merge.head !== expected)
    throw new BuiltinFailure(
      "MergedUnreviewed",
      `pull request ${subject.pull.number} was merged by somebody else at ${merge.head}, but ${expected} was reviewed`,
      "Look at what was merged, and revert it if need be",
    );
  const not = "not run: it was merged by somebody else";
  return merged(job, subject, merge.sha, { unit: not, lint: not, type_check: not, audit: not, build: not });
}

function strategyOf({ options }: BuiltinJob): MergeStrategy {
  return wordOr(options["merge"], MERGE_STRATEGIES, "squash");
}

/** What was found of a commit before it was merged. */
interface ValidationNote {
  readonly head: string;
  readonly results: Readonly<Record<string, string>>;
}

/** Lets a repeated attempt after the merge report the recorded results instead of making them again. */
async function writeNote(stateFolder: string, run: string, note: ValidationNote): Promise<void> {
  const folder = join(stateFolder, "validations");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(JSON.stringify(note));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, pathOf(folder, run));
}

async function readNote(stateFolder: string, run: string): Promise<ValidationNote | null> {
  try {
    const note: unknown = JSON.parse(await readFile(pathOf(join(stateFolder, "validations"), run), "utf8"));
    return isNote(note) ? note : null;
  } catch {
    return null;
  }
}

function isNote(note: unknown): note is ValidationNote & JsonRecord {
  if (!isRecord(note) || typeof note["head"] !== "string" || !isRecord(note["results"])) return false;
  return Object.values(note["results"]).every((result) => typeof result === "string");
}

/** Ids of runs are ours, and still no path. */
function pathOf(folder: string, run: string): string {
  return join(folder, `${encodeURIComponent(run)}.json`);
}
