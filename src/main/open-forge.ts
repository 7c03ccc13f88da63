import { resolve } from "node:path";
import type { Git } from "../forges/git.ts";
import { openGithubForge } from "../forges/github/github-forge.ts";
import { openLocalForge } from "../forges/local/local-forge.ts";
import { type Forge, ForgeError } from "../ports/forge.ts";
import type { ForgeDefinition } from "../workflow/definition.ts";

export interface ForgeSurroundings {
  /** Root of the repository. */
  readonly root: string;
  readonly token: string | null;
  readonly git: Git;
}

export async function openForge(
  definition: ForgeDefinition | null,
  { root, token, git }: ForgeSurroundings,
): Promise<Forge> {
  if (definition === null) throw new ForgeError("the workflow names no forge");
  if (definition.kind === "local")
    return openLocalForge({ folder: resolve(root, definition.folder), source: root, base: definition.base, git });
  if (token === null || token === "")
    throw new ForgeError(`the environment variable ${definition.token} holds no token for GitHub`);
  return openGithubForge({ ...definition, token, git });
}
