import type { BuiltinTools } from "./builtin-job.ts";

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
