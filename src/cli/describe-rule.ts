import { CATALOG } from "../protocol/diagnostic-catalog.ts";
import { DIALECTS, type Formats, NO_FORMATS } from "../protocol/dialects/registry.ts";
import type { Dialect, Rule } from "../protocol/dialect.ts";
import type { RuleDescription } from "./formats/report.ts";
import type { ClaimKind } from "../runtime/operations/verify-files.ts";
import { ownValue } from "../shared/json-value.ts";

export function findRule(id: string, formats: Formats = NO_FORMATS): Rule | null {
  return dialectOfRule(id, formats)?.rules.find((rule) => rule.id === id) ?? null;
}

/** `000-R07` is a rule of the first of the five, `relay-note/author` one of a format of the team's own. */
export function dialectOfRule(id: string, formats: Formats): Dialect | undefined {
  const own = formats.find((format) => id.startsWith(`${format.number}/`));
  return own ?? Object.values(DIALECTS).find((dialect) => id.startsWith(`${dialect.number}-`));
}

export function describeRule(id: string, formats?: Formats): RuleDescription | null {
  const rule = findRule(id, formats);
  if (rule !== null) return { title: rule.says, help: rule.hint ?? rule.says };
  const entry = Object.entries(CATALOG).find(([code]) => code === id)?.[1];
  return entry === undefined ? null : { title: entry.title, help: entry.about };
}

/** What each kind of claim says, and how it is judged. `claim/KIND` is how reports and `baton explain` name it. */
const CLAIMS: Readonly<Record<ClaimKind, readonly [says: string, how: string]>> = {
  file: ["files were created, modified or deleted, and in which lines", "git diff: the file differs in this way"],
  artifact: ["outputs were made, by path, folder or pattern", "they are there, and new or changed"],
  undeclared: ["no other file was changed than the listed ones", "git diff; what git ignores is not seen"],
  commit: ["commits were made, with these messages, or so many", "the history of HEAD since the base"],
  branch: ["the work is on this branch", "git knows the branch, and it has the work"],
  workspace: ["the work was done at this path, in this kind of workspace, with this port", "this workspace itself"],
  merge: ["the work was merged, by this commit and in this way", "the commit is on the target branch and has the work"],
  history: [
    "the history was kept: what was there before is still in it, commits are by this account and of this step, all are listed",
    "git; told only when something does not fit",
  ],
  place: ["an issue is at this file and line", "the file has this line"],
  ledger: ["these issues of the run are resolved", "the record of the run; without a run it cannot be checked"],
  fix: ["an issue was fixed at this place", "git diff since the issue was found: the file changed near the place"],
  count: ["there are so many of something", "counting"],
  figure: ["the work has so many lines, commits or rounds, or took so long", "git, and in a run its clock"],
  test: ["so many tests passed and failed", "the report of a gate that was run"],
  coverage: ["so many percent are covered", "the report of a gate that was run; the claim is a floor"],
  check: ["a check passes: lint, build, types, audit", "the exit code of a gate that was run"],
  command: ["the validation command passes", "the exit code of the same command, as a gate"],
  source: ["these ranges of files were read", "the files have these lines"],
  skill: ["these skills were used", "it cannot be checked"],
  phase: ["the work was done in this phase", "the workflow; without a run it cannot be checked"],
  time: ["it was written at this time", "not in the future, and in a run not before the step began"],
  "gate-files": [
    "no file that defines a gate was changed: scripts, settings of runners and coverage, CI files, .gitignore",
    "git diff; of package.json only what gates use. No handoff has to say it",
  ],
  "test-files": [
    "existing test files were changed only by agents that write tests",
    "git diff, and `writes_tests` of the workflow. No handoff has to say it",
  ],
  lockfile: ["the lockfile was not changed", "git diff. No handoff has to say it"],
  "tests-kept": [
    "no test was removed, skipped or weakened",
    "the same gate on the state before the work, test by test. No handoff has to say it",
  ],
  "gate-folders": [
    "no installed package that gates use was changed",
    "the times at which files of the folder were last changed, in a run. No handoff has to say it",
  ],
  exclusions: [
    "no comment takes lines out of coverage, lint or type checks",
    "the changed files before and now. No handoff has to say it",
  ],
};

/** Null for what is no kind of claim. */
export function describeClaim(id: string): RuleDescription | null {
  if (!id.startsWith("claim/")) return null;
  const known = ownValue<readonly [string, string]>(CLAIMS, id.slice("claim/".length));
  if (known === undefined) return null;
  const [says, how] = known;
  return { title: `A claim that ${says}`, help: `How it is judged: ${how}. baton verify shows what was seen instead.` };
}

export function claimRules(): string[] {
  return Object.keys(CLAIMS).map((kind) => `claim/${kind}`);
}
