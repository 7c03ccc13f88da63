import { realpathSync } from "node:fs";
import type { Repository } from "../src/ports/repository.ts";

/** For machines whose folders are not looked into. */
export const NO_REPOSITORY: Repository = {
  snapshot: () => Promise.resolve(null),
  mark: () => Promise.resolve(null),
  chooseBase: () => Promise.resolve(null),
  look: (directory) =>
    Promise.resolve({
      isRepository: false,
      base: null,
      head: { commit: null, branch: null },
      changes: new Map(),
      files: new Map(),
      matches: new Map(),
      commits: new Map(),
      branches: new Map(),
      commitsSinceBase: null,
      target: null,
      workspace: { path: realpathSync(directory), isLinkedWorktree: false },
    }),
  head: () => Promise.resolve(null),
  renamesSince: () => Promise.resolve(new Map()),
  checkOut: () => Promise.resolve(),
};
