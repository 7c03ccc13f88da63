import type { ClaimKind, Judgement, Verdict } from "./claim.ts";

/** What a refuted claim leads to: the handoff is sent back to its author, people are warned, or it is only recorded. */
export const CLAIM_ANSWERS = ["refuse", "warn", "record"] as const;
export type ClaimAnswer = (typeof CLAIM_ANSWERS)[number];
export type ClaimPolicy = Readonly<Record<ClaimKind, ClaimAnswer>>;

/** Claims that the work depends on are refused; claims that may be a slip are warnings. */
export const DEFAULT_POLICY: ClaimPolicy = {
  file: "refuse",
  artifact: "refuse",
  undeclared: "warn",
  commit: "refuse",
  branch: "refuse",
  workspace: "warn",
  merge: "refuse",
  place: "warn",
  ledger: "warn",
  count: "warn",
  test: "refuse",
  coverage: "refuse",
  check: "refuse",
  command: "refuse",
  source: "warn",
  skill: "record",
  phase: "warn",
  time: "warn",
};

/** The judgements for which this policy sends a handoff back. */
export function refusedBy(judgements: readonly Judgement[], policy: ClaimPolicy): Judgement[] {
  return judgements.filter(({ kind, verdict }) => verdict === "refuted" && policy[kind] === "refuse");
}

export type VerdictCounts = Readonly<Record<Verdict, number>>;

export function countVerdicts(judgements: readonly Judgement[]): VerdictCounts {
  const counts: Record<Verdict, number> = { confirmed: 0, refuted: 0, unverifiable: 0 };
  for (const { verdict } of judgements) counts[verdict]++;
  return counts;
}

/** For the author of a refuted claim: what is not true, what was observed, and what to do. */
export function explainRefuted({ kind, says, procedure, evidence }: Judgement): { message: string; hint: string } {
  return { message: `Not true: ${says} ${evidence} (${procedure})`, hint: HINTS[kind] };
}

const HINTS: Readonly<Record<ClaimKind, string>> = {
  file: "Do the work, or list the file with the change and the lines that it really has.",
  artifact: "Make the file, or name the one that is there, with its path from the project root.",
  undeclared: "List every file that you changed, or take back the changes that nobody asked for.",
  commit: "Commit the work, and copy id and message from `git log`.",
  branch: "Name the branch that the work is on, as `git branch --show-current` prints it.",
  workspace: "Give path, type and port of the workspace as they were given to you.",
  merge: "Merge first, then give the id of the commit on the target branch and how it was made.",
  place: "Give the place as file:line, as the file is now.",
  ledger: "Name issues of this run by their ids, and fixes by the places of the issues they answer.",
  count: "Count again, or complete the list.",
  test: "Run the tests and report the numbers they print; when they fail, say so.",
  coverage: "Measure coverage again and report what the tool prints.",
  check: "Run the check and report what it says; when it fails, mend it or say that it fails.",
  command: "Make the command pass, or give one that does; when the work must go back, say so.",
  source: "List only places that exist, as path:start-end.",
  skill: "List only skills that you used.",
  phase: "Give the phase that you were asked to work in.",
  time: "Give the present time in UTC, such as `date -u +%Y-%m-%dT%H:%M:%SZ` prints it.",
};
