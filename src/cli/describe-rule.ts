import { CATALOG } from "../protocol/diagnostic-catalog.ts";
import { DIALECTS } from "../protocol/dialects/registry.ts";
import type { Rule } from "../protocol/dialect.ts";
import type { RuleDescription } from "./formats/report.ts";
import type { ClaimKind } from "../runtime/operations/verify-files.ts";
import { ownValue } from "../shared/json-value.ts";

export function findRule(id: string): Rule | null {
  return (
    Object.values(DIALECTS)
      .find((dialect) => id.startsWith(`${dialect.number}-`))
      ?.rules.find((rule) => rule.id === id) ?? null
  );
}

export function describeRule(id: string): RuleDescription | null {
  const rule = findRule(id);
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
  place: ["an issue is at this file and line", "the file has this line"],
  ledger: [
    "these issues are resolved, these places fixed",
    "the record of the run; without a run it cannot be checked",
  ],
  count: ["there are so many of something", "counting"],
  test: ["so many tests passed and failed", "the report of a gate that was run"],
  coverage: ["so many percent are covered", "the report of a gate that was run; the claim is a floor"],
  check: ["a check passes: lint, build, types, audit", "the exit code of a gate that was run"],
  command: ["the validation command passes", "the exit code of the same command, as a gate"],
  source: ["these ranges of files were read", "the files have these lines"],
  skill: ["these skills were used", "it cannot be checked"],
  phase: ["the work was done in this phase", "the workflow; without a run it cannot be checked"],
  time: ["it was written at this time", "not in the future, and in a run not before the step began"],
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
