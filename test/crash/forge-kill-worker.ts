// Takes one issue through the forge, from its opening to its closing, and is killed on the way.
import { cleanEnvironment } from "../../src/agents/process-group/clean-environment.ts";
import { forgeGit } from "../../src/forges/git.ts";
import { openLocalForge } from "../../src/forges/local/local-forge.ts";

const [folder = "", source = "", name = "", head = ""] = process.argv.slice(2);
const git = forgeGit({ environment: cleanEnvironment(), isOurs: (path) => path.startsWith(folder) });
// Named, because other workers' branches are made in the source meanwhile: which one is checked out changes.
const forge = await openLocalForge({ folder, source, base: "main", git });
const branch = `fix/issue-1-${name}`;

const issue = await forge.openIssue({ key: name, title: `Issue ${name}`, body: "", labels: [] });
const known = await forge.pullRequest(await pullNumber());
if (known?.merged === null) await merge(known.number);
await forge.comment(issue.number, { key: "closing", body: "Done" });
await forge.closeIssue(issue.number);
await forge.deleteBranch(branch);

/** As an agent that was told the number would know it: a merged pull request is not opened again. */
async function pullNumber(): Promise<number> {
  for (let number = 1; number < 1000; number += 1) {
    const pull = await forge.pullRequest(number);
    if (pull?.branch === branch) return number;
    if (pull === null && (await forge.issue(number)) === null) break;
  }
  await forge.pushBranch(source, branch);
  return (await forge.openPullRequest({ branch, title: `Pull ${name}`, body: "" })).number;
}

async function merge(number: number): Promise<void> {
  await forge.pushBranch(source, branch);
  const merged = await forge.merge(number, { head, strategy: "squash", title: `Merge ${name}` });
  if (merged.kind !== "merged") throw new Error(JSON.stringify(merged));
}
