import { realpathSync } from "node:fs";
import { NOTHING_SEEN } from "../src/evidence/observations.ts";
import type { Repository } from "../src/ports/repository.ts";

/** For machines whose folders are not looked into. */
export const NO_REPOSITORY: Repository = {
  snapshot: () => Promise.resolve(null),
  mark: () => Promise.resolve(null),
  chooseBase: () => Promise.resolve(null),
  look: (directory) =>
    Promise.resolve({ ...NOTHING_SEEN, workspace: { path: realpathSync(directory), isLinkedWorktree: false } }),
  isRepository: () => Promise.resolve(false),
  head: () => Promise.resolve(null),
  renamesSince: () => Promise.resolve(new Map()),
  texts: () => Promise.resolve([]),
  checkOut: () => Promise.resolve(),
  moveBases: () => Promise.resolve([]),
};
