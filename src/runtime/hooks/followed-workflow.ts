import { join } from "node:path";
import { AppError } from "../../shared/app-error.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { type LoadedWorkflow, loadWorkflow, readyNames } from "../operations/load-workflow.ts";
import { isTrusted, trustSubject } from "../operations/trust-workflow.ts";

interface FollowedPlace {
  readonly root: string;
  readonly mark: () => string;
  readonly configFolder: string;
}

type FollowedWorkflow =
  | { readonly is: "found"; readonly workflow: Workflow }
  | { readonly is: "not-trusted" }
  | { readonly is: "wrong"; readonly why: string };

/** The workflow whose expectations hold for sessions. One that comes with baton is ours, and nothing of it is run here. */
export function findFollowed(name: string, { root, mark, configFolder }: FollowedPlace): FollowedWorkflow {
  let loaded: LoadedWorkflow;
  try {
    loaded = loadWorkflow(readyNames().some((ready) => ready === name) ? name : join(root, name));
  } catch (error) {
    if (error instanceof AppError) return { is: "wrong", why: error.message };
    throw error;
  }
  const { workflow, isShipped } = loaded;
  if (workflow === null) return { is: "wrong", why: `${name} holds no workflow that can be used` };
  if (!isShipped && !isTrusted(trustSubject(loaded, { root, mark: mark() }), configFolder))
    return { is: "not-trusted" };
  return { is: "found", workflow };
}
