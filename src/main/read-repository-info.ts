import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { type GitAnswer, type GitCall, gitWith } from "../git/run-git.ts";
import type { RepositoryInfo } from "../runtime/engine.ts";
import { findRoot, repositoryMark } from "./state-folder.ts";

/** Asks git only when it is needed: most workflows are checked without it. */
export function readRepositoryInfo(directory: string): RepositoryInfo {
  const root = findRoot(directory);
  const git = async (call: Omit<GitCall, "directory">): Promise<GitAnswer | null> =>
    gitWith({ environment: cleanEnvironment(["XDG_CONFIG_HOME"]) })({ ...call, directory: root }).catch(() => null);
  return {
    root,
    get mark() {
      return repositoryMark(root);
    },
    async committed(paths) {
      const asked = new Set(paths.flatMap((path) => [path, ...foldersOf(path)]));
      const answer = await git({ args: ["ls-tree", "-z", "HEAD", "--", ...asked] });
      if (answer === null) return null;
      // Without a commit, or a repository, nothing is in one.
      if (answer.code !== 0) return /object name HEAD|not a git repository/i.test(answer.complaint) ? new Map() : null;
      const modes = new Map(
        [...answer.output.matchAll(/(\d+) \S+ \S+\t([^\0]+)\0/g)].map(([, mode = "", path = ""]) => [path, mode]),
      );
      // Git looks behind no link: what is there, it does not tell.
      const isBehindLink = (path: string): boolean => foldersOf(path).some((folder) => modes.get(folder) === LINK);
      return new Map([...modes, ...paths.filter(isBehindLink).map((path) => [path, LINK] as const)]);
    },
    async ignored(paths) {
      const inside = paths.filter((path) => !/^(?:\/|\.\.(?:\/|$))/.test(path));
      if (inside.length === 0) return new Set();
      const answer = await git({ args: ["check-ignore", "-z", "--stdin"], input: inside.join("\0") });
      // 1 is that it ignores none of them; a single path that it cannot judge ends it.
      if (answer === null || (answer.code > 1 && !/not a git repository/i.test(answer.complaint))) return null;
      return new Set(answer.output.split("\0"));
    },
  };
}

const LINK = "120000";

/** `a` and `a/b` of `a/b/c`. */
function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}
