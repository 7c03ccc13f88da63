import type { ClaimKind, Judgement, Verdict } from "./claim.ts";

/**
 * What a refuted claim leads to: the handoff is sent back to its author, a person is asked before the work goes on,
 * people are warned, or it is only recorded.
 */
export const CLAIM_ANSWERS = ["refuse", "ask", "warn", "record"] as const;
export type ClaimAnswer = (typeof CLAIM_ANSWERS)[number];
/** The answer for each kind of claim. A policy that was stored before a kind existed says nothing about it. */
export type ClaimPolicy = Readonly<Partial<Record<ClaimKind, ClaimAnswer>>>;

export function answerTo(policy: ClaimPolicy, kind: ClaimKind): ClaimAnswer {
  return policy[kind] ?? "warn";
}

/** Claims that the work depends on are refused; claims that may be a slip are warnings. */
export const DEFAULT_POLICY: Readonly<Record<ClaimKind, ClaimAnswer>> = {
  file: "refuse",
  artifact: "refuse",
  undeclared: "refuse",
  commit: "refuse",
  branch: "refuse",
  workspace: "warn",
  merge: "refuse",
  history: "warn",
  place: "warn",
  ledger: "warn",
  fix: "refuse",
  count: "warn",
  figure: "warn",
  test: "refuse",
  coverage: "refuse",
  check: "refuse",
  command: "refuse",
  source: "warn",
  skill: "record",
  phase: "warn",
  time: "warn",
  "gate-files": "ask",
  "test-files": "warn",
  lockfile: "warn",
  "tests-kept": "ask",
  "gate-folders": "warn",
  exclusions: "warn",
};

/** The judgements for which this policy sends a handoff back. */
export function refusedBy(judgements: readonly Judgement[], policy: ClaimPolicy): Judgement[] {
  return judgements.filter(({ kind, verdict }) => verdict === "refuted" && answerTo(policy, kind) === "refuse");
}

/** The judgements about which a person is asked. Where there is no run that could ask, they count as refused. */
export function askedBy(judgements: readonly Judgement[], policy: ClaimPolicy): Judgement[] {
  return judgements.filter(({ kind, verdict }) => verdict === "refuted" && answerTo(policy, kind) === "ask");
}

/** What is wrong with a refuted claim, in a sentence. */
export function refutedInWords({
  isImplied,
  says,
  evidence,
}: Pick<Judgement, "isImplied" | "says" | "evidence">): string {
  return isImplied === true ? evidence : `Not true: ${says} ${evidence}`;
}

export type VerdictCounts = Readonly<Record<Verdict, number>>;

export function countVerdicts(judgements: readonly Judgement[]): VerdictCounts {
  const counts: Record<Verdict, number> = { confirmed: 0, refuted: 0, unverifiable: 0 };
  for (const { verdict } of judgements) counts[verdict]++;
  return counts;
}

/** For the author of a refuted claim: what is not true, what was observed, and what to do. */
export function explainRefuted(judgement: Judgement): { message: string; hint: string } {
  return { message: `${refutedInWords(judgement)} (${judgement.procedure})`, hint: HINTS[judgement.kind] };
}

const HINTS: Readonly<Record<ClaimKind, string>> = {
  file: "Do the work, or list the file with the change and the lines that it really has.",
  artifact: "Make the file, or name the one that is there, with its path from the project root.",
  undeclared: "List every file that you changed, or take back the changes that nobody asked for.",
  commit: "Commit the work, and copy id and message from `git log`.",
  branch: "Name the branch that the work is on, as `git branch --show-current` prints it.",
  workspace: "Give path, type and port of the workspace as they were given to you.",
  merge: "Merge first, then give the id of the commit on the target branch and how it was made.",
  history: "Keep the commits that were there, commit as yourself and now, and list every commit that you made.",
  place: "Give the place as file:line, as the file is now.",
  ledger: "Name issues of this run by their ids, and fixes by the places of the issues they answer.",
  fix: "Fix the issue where it is, and name the place that you changed, also when it is in another file; what you have not fixed, leave out.",
  count: "Count again, or complete the list.",
  figure: "Give the figure as git and the clock show it, or leave it out.",
  test: "Run the tests and report the numbers they print; when they fail, say so.",
  coverage: "Measure coverage again and report what the tool prints.",
  check: "Run the check and report what it says; when it fails, mend it or say that it fails.",
  command: "Make the command pass, or give one that does; when the work must go back, say so.",
  source: "List only places that exist, as path:start-end.",
  skill: "List only skills that you used.",
  phase: "Give the phase that you were asked to work in.",
  time: "Give the present time in UTC, such as `date -u +%Y-%m-%dT%H:%M:%SZ` prints it.",
  "gate-files": "Take back the change of the gate, or say why it must be so: a person decides.",
  "test-files": "Leave existing tests to the agents that write them, or say why they must change.",
  lockfile: "Change the lockfile only with the dependencies, and by the package manager.",
  "tests-kept": "Bring the tests back as they were, or say why they must go: a person decides.",
  "gate-folders": "Install packages from the lockfile again, and change no file of them by hand.",
  exclusions: "Let the check see the lines, or say why it cannot.",
};
