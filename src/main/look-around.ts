import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { type GitAnswer, type GitCall, gitWith } from "../git/run-git.ts";
import type { Surroundings } from "../runtime/surroundings.ts";
import { findRoot } from "./find-root.ts";

/** Asks git only when it is needed: most workflows are checked without it. */
export function lookAround(directory: string): Surroundings {
  const root = findRoot(directory);
  const git = async (call: Omit<GitCall, "directory">): Promise<GitAnswer | null> =>
    gitWith(cleanEnvironment(["XDG_CONFIG_HOME"]))({ ...call, directory: root }).catch(() => null);
  return {
    root,
    async committed(paths) {
      const answer = await git({ args: ["ls-tree", "-z", "HEAD", "--", ...paths] });
      if (answer === null) return null;
      // Without a commit, or a repository, nothing is in one.
      if (answer.code !== 0) return /object name HEAD|not a git repository/i.test(answer.complaint) ? new Map() : null;
      return new Map(
        [...answer.output.matchAll(/(\d+) \S+ \S+\t([^\0]+)\0/g)].map(([, mode = "", path = ""]) => [path, mode]),
      );
    },
    async ignored(paths) {
      const inside = paths.filter((path) => !/^(?:\/|\.\.(?:\/|$))/.test(path));
      if (inside.length === 0) return new Set();
      const answer = await git({ args: ["check-ignore", "-z", "--stdin"], input: inside.join("\0") });
      return new Set(answer?.code === 0 ? answer.output.split("\0") : []);
    },
  };
}
