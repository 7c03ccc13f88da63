import type { Base } from "../ports/repository.ts";
import { AppError } from "../shared/app-error.ts";
import type { GitPlace } from "./git-place.ts";
import { lookAtChanges } from "./look-changes.ts";
import { targetOf } from "./look-commits.ts";
import type { Git } from "./run-git.ts";
import type { Shadow } from "./shadow.ts";

/** What claims are compared with when no run noted it: what the operator says, or the point where the work began. */
export async function chooseBase(git: Git, shadow: Shadow, revision: string | null): Promise<Base> {
  const { place } = shadow;
  const { directory, head, branch } = place;
  const ask = async (...args: string[]): Promise<string | null> => {
    const { code, output } = await git({ args, directory });
    return code === 0 ? output.trim() : null;
  };
  if (revision !== null) return named(await resolve(ask, revision), `${revision}, as you said`);
  if (head === null) return { tree: emptyTree(place), commit: null, name: "the empty repository" };
  const target = targetOf(place);
  const [tip] = target?.commits ?? [];
  if (target !== null && tip !== undefined && branch !== target.name) {
    const fork = await ask("merge-base", "--end-of-options", tip, head);
    if (fork !== null && fork !== head) return named(fork, `where the branch left ${target.name}`);
  }
  if ((await lookAtChanges(shadow, head, false)).changes.size > 0)
    return named(head, "the last commit, because there are changes that are not committed");
  const parent = await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${head}^1`);
  if (parent === null) return { tree: emptyTree(place), commit: null, name: "before the first commit" };
  return named(parent, "the last commit but one, because everything is committed");
}

type Ask = (...args: string[]) => Promise<string | null>;

async function resolve(ask: Ask, revision: string): Promise<string> {
  const commit = await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
  if (commit !== null) return commit;
  const hint = "Name a commit, a branch or a tag of this repository; `git log` shows them.";
  throw new AppError("wrong-usage", `There is no commit ${revision} in this repository.`, hint);
}

function named(commit: string, why: string): Base {
  return { tree: commit, commit, name: `commit ${commit.slice(0, 8)} (${why})` };
}

/** Every repository has it without its being stored. */
function emptyTree({ objectFormat }: GitPlace): string {
  return objectFormat === "sha256"
    ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}
