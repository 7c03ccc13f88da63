import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Repository, agentOrder, examples, ofKind } from "./repository.ts";

const example = examples();

/** The example without its gates, in which a person approves the merge. */
async function untilMerge(repository: Repository): Promise<void> {
  const file = join(repository.folder, "issue.yaml");
  const text = readFileSync(file, "utf8").replaceAll(/^ {4}approve: after\n/gm, "");
  writeFileSync(file, text);
  repository.git("commit", "--quiet", "--all", "--message", "Ask before the merge only");
  await repository.baton("trust", "issue.yaml");
  const first = await repository.baton("run", "issue.yaml", "--mode", "semi", "--brief", "5 cents are shown as 0.5");
  expect(first.stdout + first.stderr).toContain("May validator-agent start?");
}

/** A commit on the branch of the run that no agent of it has made. */
function commitMore(repository: Repository, folder: string): string {
  writeFileSync(join(folder, "src/more.mjs"), "export const more = 1;\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  git("add", "src/more.mjs");
  git("-c", "user.name=m", "-c", "user.email=m@x", "commit", "--quiet", "--message", "Not reviewed");
  return git("rev-parse", "HEAD");
}

function worktreeOf(repository: Repository): string {
  const lines = repository.git("worktree", "list", "--porcelain").split("\n");
  const folders = lines.flatMap((line) => (line.startsWith("worktree ") ? [line.slice("worktree ".length)] : []));
  return folders.find((folder) => folder.includes("/.baton/worktrees/")) ?? "";
}

describe("a merge", () => {
  it(
    "is of the commit that was reviewed and approved: another one goes back to review",
    { timeout: 180_000 },
    async () => {
      const repository = example("issue");
      await untilMerge(repository);
      const worktree = worktreeOf(repository);
      const reviewed = execFileSync("git", ["rev-parse", "HEAD"], { cwd: worktree, encoding: "utf8" }).trim();
      const shown = await repository.baton("status", (await repository.view()).run);
      expect(shown.stdout).toContain(reviewed.slice(0, 12));
      const more = commitMore(repository, worktree);
      await repository.baton("approve");
      await repository.baton("resume");
      const refused = ofKind(await repository.events(), "handoff-accepted").filter(
        ({ agent, delivery }) => agent === "validator-agent" && delivery.handoff.outcome === "needs-fixes",
      );
      const told = JSON.stringify(refused.at(-1)?.delivery.handoff.findings);
      expect(told).toContain(reviewed.slice(0, 12));
      expect(told).toContain(more.slice(0, 12));
      const merges = (): string =>
        repository.git("-C", ".git/baton/forge/repository.git", "log", "--format=%s", "main");
      expect(merges()).not.toContain("(#2)");
      const order = agentOrder(await repository.events());
      expect(order.slice(order.lastIndexOf("validator-agent") + 1)).toContain("reviewer-agent");
      // The person is asked again, about the commit that the reviewer saw now.
      const [ask] = (await repository.view()).asks;
      expect(ask).toMatchObject({ agent: "validator-agent" });
      expect(JSON.stringify(ask)).not.toContain(reviewed);
      await repository.baton("approve");
      expect(await repository.baton("resume")).toMatchObject({ code: 0 });
      expect(merges()).toContain("(#2)");
    },
  );
});
