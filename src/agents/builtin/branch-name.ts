import type { Issue } from "../../ports/forge.ts";

/** Words that an issue's type or labels may be, and the prefix of its branch. */
const PREFIXES: Readonly<Record<string, string>> = {
  feature: "feature",
  enhancement: "feature",
  bug: "fix",
  fix: "fix",
  refactor: "refactor",
  chore: "chore",
  docs: "docs",
  documentation: "docs",
};

const LONGEST = 50;

/** `fix/issue-71-cents-have-two-digits`: lower case and hyphens, at most 50 characters, whatever the title says. */
export function branchNameOf(
  { number, title, labels }: Pick<Issue, "number" | "title" | "labels">,
  type: string | undefined,
): string {
  const named = [type ?? "", ...labels].map((word) => word.toLowerCase());
  const word = named.find((name) => Object.hasOwn(PREFIXES, name)) ?? "feature";
  const start = `${PREFIXES[word] ?? "feature"}/issue-${number}-`;
  const [first = "work", ...others] = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "");
  let name = (start + first).slice(0, LONGEST);
  for (const part of others) {
    if (name.length + 1 + part.length > LONGEST) break;
    name += `-${part}`;
  }
  return name;
}

/** An agent may have chosen it: the base branch and other runs' branches are none of its. */
export function isBranchOf(branch: string, issue: number): boolean {
  return /^[a-z]+\/issue-(\d+)-[a-z0-9-]+$/.exec(branch)?.[1] === String(issue) && branch.length <= 100;
}
