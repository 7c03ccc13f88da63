import { ForgeError } from "../../ports/forge.ts";
import type { MergeStrategy } from "../../workflow/file/builtin-options.ts";
import type { ForgeGit } from "../git.ts";

interface MergePlan {
  /** A bare repository. */
  readonly repository: string;
  readonly base: string;
  readonly head: string;
  readonly strategy: MergeStrategy;
  readonly title: string;
}

type ComposedMerge =
  | { readonly kind: "composed"; readonly sha: string }
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Makes the commit that a branch would become, without a checkout and without moving any branch. */
export async function composeMerge(git: ForgeGit, plan: MergePlan): Promise<ComposedMerge> {
  const { repository: directory, base, head, title } = plan;
  const merged = await mergeTrees(git, directory, base, head);
  if (merged.files !== null) return { kind: "conflict", files: merged.files };
  switch (plan.strategy) {
    case "squash": {
      const author = await authorOf(git, directory, head);
      const sha = await commitTree(git, directory, merged.tree, [base], title, author);
      return { kind: "composed", sha };
    }
    case "merge":
      return { kind: "composed", sha: await commitTree(git, directory, merged.tree, [base, head], title) };
    case "rebase":
      return rebase(git, plan, merged.tree);
  }
}

/** Commit by commit; refused where that does not lead to what a merge gives, as when merges were resolved by hand. */
async function rebase(git: ForgeGit, plan: MergePlan, wanted: string): Promise<ComposedMerge> {
  const { repository: directory, base, head } = plan;
  const { code } = await git({ directory, args: ["merge-base", "--is-ancestor", base, head], accepts: [0, 1] });
  if (code === 0) return { kind: "composed", sha: head };
  const range = ["rev-list", "--reverse", "--topo-order", "--no-merges", head, `^${base}`, "--"];
  const commits = lines((await git({ directory, args: range })).output);
  let onto = base;
  for (const commit of commits) {
    const picked = await pick(git, directory, commit, onto);
    if (picked.files !== null) return { kind: "conflict", files: picked.files };
    const message = (await git({ directory, args: ["log", "-1", "--format=%B", commit, "--"] })).output.trim();
    onto = await commitTree(git, directory, picked.tree, [onto], message, await authorOf(git, directory, commit));
  }
  if ((await treeOf(git, directory, onto)) === wanted) return { kind: "composed", sha: onto };
  return { kind: "refused", reason: "the commits one by one do not lead to the same files as a merge: squash it" };
}

/**
 * One commit on another: a merge whose base is the commit's parent. Old versions of git cannot be told a base, so
 * commits are made that have it.
 */
async function pick(git: ForgeGit, directory: string, commit: string, onto: string): Promise<Merged> {
  const parent = await commitTree(git, directory, await treeOf(git, directory, `${commit}^`), [], "parent");
  const ours = await commitTree(git, directory, await treeOf(git, directory, onto), [parent], "ours");
  const theirs = await commitTree(git, directory, await treeOf(git, directory, commit), [parent], "theirs");
  return mergeTrees(git, directory, ours, theirs);
}

interface Merged {
  readonly tree: string;
  /** Files in conflict; null when there are none. */
  readonly files: readonly string[] | null;
}

async function mergeTrees(git: ForgeGit, directory: string, base: string, head: string): Promise<Merged> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", base, head];
  const { code, output } = await git({ directory, args, accepts: [0, 1] }).catch((error: unknown) => {
    const hint = " (git 2.38 or newer is needed, and branches with a common commit)";
    throw new ForgeError(`${error instanceof Error ? error.message : String(error)}${hint}`, false, { cause: error });
  });
  const [tree = "", ...files] = output.split("\0").filter((part) => part !== "");
  return { tree, files: code === 0 ? null : [...new Set(files)] };
}

interface Author {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}

async function authorOf(git: ForgeGit, directory: string, commit: string): Promise<Author> {
  const { output } = await git({ directory, args: ["log", "-1", "--format=%an%x00%ae%x00%aI", commit, "--"] });
  const [name = "", email = "", date = ""] = output.trim().split("\0");
  return { name: name === "" ? "unknown" : name, email, date };
}

async function commitTree(
  git: ForgeGit,
  directory: string,
  tree: string,
  parents: readonly string[],
  message: string,
  author?: Author,
): Promise<string> {
  const environment = {
    GIT_COMMITTER_NAME: "Baton",
    GIT_COMMITTER_EMAIL: "baton@localhost",
    GIT_AUTHOR_NAME: author?.name ?? "Baton",
    GIT_AUTHOR_EMAIL: author?.email ?? "baton@localhost",
    ...(author !== undefined && { GIT_AUTHOR_DATE: author.date }),
  };
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return (await git({ directory, args, environment, input: `${message}\n` })).output.trim();
}

async function treeOf(git: ForgeGit, directory: string, commit: string): Promise<string> {
  const { output } = await git({ directory, args: ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`] });
  return output.trim().split("\n").at(-1) ?? "";
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
