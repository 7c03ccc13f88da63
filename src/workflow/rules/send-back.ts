import type { Draft } from "../draft.ts";
import type { Problem } from "../input.ts";
import { countFailure } from "./count-failure.ts";
import { stillToFix } from "./issue-ledger.ts";
import type { Turn } from "./turn.ts";

/** A handoff that cannot be used goes back to its author with what is wrong, a bounded number of times. */
export function sendBack(draft: Draft, task: string, problems: readonly Problem[]): Turn {
  const { id, agent, attempt, repairs, session, reason: before } = draft.step(task);
  draft.record({ kind: "handoff-refused", task, step: id, agent, attempt, problems });
  if (draft.agent(agent).runner.kind === "human") return askAbout(agent, problems);
  if (repairs < draft.agent(agent).repairs) {
    const issues = stillToFix(draft.state, before.issues);
    const reason = { kind: "repair", from: agent, note: null, issues, problems } as const;
    return { do: "start-attempt", reason, session };
  }
  const why = `${agent} gave no usable handoff: ${problems[0]?.message ?? "nothing was found"}`;
  countFailure(draft, task, null, why);
  return { do: "take-route", outcome: "failed", why, isUnusable: true };
}

/** A person hands in a choice and words: to ask for them again brings nothing that is missing. What follows is theirs to say. */
function askAbout(agent: string, problems: readonly Problem[]): Turn {
  const occasion = {
    why: `What ${agent} handed in is not all that the workflow asks for.`,
    details: problems.map(({ message }) => message),
  };
  return { do: "act", action: { kind: "person" }, occasion };
}
