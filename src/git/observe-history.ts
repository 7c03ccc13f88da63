import type { NeededObservations, NewCommit, ObservedHistory } from "../evidence/observations.ts";
import type { Base } from "../ports/repository.ts";
import type { GitPlace } from "./git-place.ts";
import { filesOf, targetAmong } from "./observe-commits.ts";
import { type Git, OPERATOR_SETTINGS } from "./run-git.ts";
import type { Shadow } from "./shadow.ts";

/** Null where it is not needed or there is no commit to count from. */
export async function observeHistory(
  shadow: Shadow,
  base: Base | null,
  { history, commits }: NeededObservations,
): Promise<ObservedHistory | null> {
  const { head } = shadow.place;
  if (history !== true || base === null || base.commit === null || head === null) return null;
  const known = { since: base.noted?.at ?? null, accounts: base.noted?.accounts ?? [], now: Date.now() };
  if (base.commit === head) return { ...known, isBaseKept: true, commits: [], isWhole: true };
  const [isBaseKept, found] = await Promise.all([
    base.noted === undefined ? null : isKept(shadow, base, base.commit, head),
    newCommits(shadow, { ...base, commit: base.commit }, head),
  ]);
  const listed = found.slice(0, MAX_NEW);
  return {
    ...known,
    isBaseKept,
    commits: commits.length > 0 ? await withFiles(shadow, listed) : listed,
    isWhole: found.length === listed.length,
  };
}

const MAX_NEW = 1000;

/**
 * On another branch, such as the target after a merge, HEAD need not contain the commit: it is lost only when no branch
 * has it any more.
 */
async function isKept(shadow: Shadow, base: Base, commit: string, head: string): Promise<boolean | null> {
  const { place } = shadow;
  const { code } = await shadow.git({ args: ["merge-base", "--is-ancestor", commit, head] });
  if (code !== 1) return code === 0 ? true : null;
  if (place.branch === base.branch) return false;
  const branches = await place.branches();
  const isOnTarget = await isWithin(shadow, head, targetAmong(branches)?.commits ?? []);
  return isOnTarget || (await isWithin(shadow, commit, [...branches.refs.values()])) ? null : false;
}

/** One of the tips contains the commit. */
async function isWithin(shadow: Shadow, commit: string, tips: readonly string[]): Promise<boolean> {
  const input = [commit, ...tips.map((tip) => `^${tip}`), ""].join("\n");
  const { code, output } = await shadow.git({ args: ["rev-list", "--stdin", "--max-count=1"], input });
  return code === 0 && output.trim() === "";
}

/**
 * The work's own commits: those that HEAD has by its first parents. What the repository had before, and what is on the
 * target branch of the remote, was merged in or fetched. Without a note of what was there, and when all is on the
 * target, the work was merged, and all of it counts.
 */
async function newCommits(
  shadow: Shadow,
  { commit, noted }: Base & { readonly commit: string },
  head: string,
): Promise<NewCommit[]> {
  const branches = await shadow.place.branches();
  const target = targetAmong(branches);
  if (noted !== undefined) {
    const merged = branches.refs.get(`refs/remotes/origin/${target?.name ?? ""}`);
    return readNew(shadow, head, [commit, ...noted.tips, ...(merged === undefined ? [] : [merged])]);
  }
  const own = await readNew(shadow, head, [commit, ...(target?.commits ?? [])]);
  return own.length > 0 ? own : readNew(shadow, head, [commit]);
}

async function readNew(shadow: Shadow, head: string, without: readonly string[]): Promise<NewCommit[]> {
  const args = ["rev-list", "--stdin", "--first-parent", "--no-merges", `--max-count=${MAX_NEW + 1}`, FORMAT];
  const input = [head, ...without.map((tip) => `^${tip}`), ""].join("\n");
  // A tip may be gone, and one that git does not know would have it refuse all.
  const { code, output } = await shadow.git({ args: [...args, "--ignore-missing"], input });
  if (code !== 0) throw new Error("git does not tell which commits are new");
  const commits: NewCommit[] = [];
  const lines = output.split("\n");
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const [author = "", committer = "", authored = "", committed = "", subject = ""] = (lines[at + 1] ?? "").split(
      "\0",
    );
    commits.push({
      sha: (lines[at] ?? "").replace(/^commit /, ""),
      author,
      committer,
      authoredAt: Number(authored) * 1000,
      committedAt: Number(committed) * 1000,
      subject,
      files: null,
    });
  }
  return commits;
}

const FORMAT = "--format=%ae%x00%ce%x00%at%x00%ct%x00%s";

async function withFiles(shadow: Shadow, commits: readonly NewCommit[]): Promise<readonly NewCommit[]> {
  if (commits.length === 0) return commits;
  const files = await filesOf(shadow, new Set(commits.map(({ sha }) => sha)));
  return files === null ? commits : commits.map((commit) => ({ ...commit, files: files.get(commit.sha) ?? [] }));
}

/** As the repository and the operator have configured it: an agent can change the one, so it is read before it starts. */
export async function readAccounts(git: Git, { directory }: GitPlace): Promise<string[]> {
  const args = ["config", "-z", "--get-regexp", "^(user|author|committer)\\.email$"];
  const { code, output } = await git({ args, directory, environment: OPERATOR_SETTINGS });
  if (code !== 0) return [];
  const values = output.split("\0").map((entry) => entry.slice(entry.indexOf("\n") + 1).trim());
  return [...new Set(values.filter((value) => value !== ""))];
}
