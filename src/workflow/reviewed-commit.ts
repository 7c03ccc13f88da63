import type { AgentDefinition, Workflow } from "./definition.ts";
import type { TaskState } from "./state.ts";

/** The commit that was handed on to an agent, as the agent before it left and saw it. */
export interface ReviewedCommit {
  readonly by: string;
  /** Null when no commit can be called reviewed. */
  readonly commit: string | null;
  /** Why not; null when there is a commit. */
  readonly why: string | null;
}

/**
 * What an agent may merge: the commit at which the agent before it began and ended. Where that one reviews, the commit
 * must be the same all the while: what was added meanwhile was not looked at. Null when there was no agent before it.
 */
export function reviewedCommit(
  { agents }: Pick<Workflow, "agents">,
  { trail, heads = {} }: Pick<TaskState, "trail" | "heads">,
  agent: string,
): ReviewedCommit | null {
  const before = trail.filter((each) => each !== agent).toReversed();
  const [last] = before;
  if (last === undefined) return null;
  // A person who is an agent has no attempt: the commit before is the one that was shown.
  const by = before.find((each) => Object.hasOwn(heads, each));
  const seen = by === undefined ? undefined : heads[by];
  if (by === undefined || seen === undefined)
    return { by: last, commit: null, why: `it is not known which commit ${last} saw` };
  if (seen.from === seen.to || !isReviewer(agents[by])) return { by, commit: seen.to, why: null };
  return { by, commit: null, why: `the branch moved from ${seen.from} to ${seen.to} while ${by} reviewed it` };
}

/** One that can send the work to another agent for fixes. */
function isReviewer(agent: AgentDefinition | undefined): boolean {
  const routes = agent?.routes["needs-fixes"] ?? [];
  return routes.some(({ action }) => (action.kind === "go" || action.kind === "loop") && action.to !== agent?.name);
}
