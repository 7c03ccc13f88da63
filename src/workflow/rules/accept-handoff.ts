import type { Judgement } from "../../evidence/claim.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import type { Draft } from "../draft.ts";
import type { Delivery, Problem } from "../input.ts";
import { checkContent } from "./check-content.ts";
import { contradictions, learnFacts } from "./known-facts.ts";
import { updateLedger } from "./issue-ledger.ts";
import { sameAgent } from "./same-agent.ts";
import { blockTasks } from "./block-tasks.ts";
import { refutedClaims } from "./judge-handoff.ts";
import type { Turn } from "./turn.ts";

/** Believes a handoff that its author may give, and that says nothing against what is known. */
export function acceptHandoff(draft: Draft, task: string, delivery: Delivery, judgements: readonly Judgement[]): Turn {
  const { handoff } = delivery;
  const { agent, id } = draft.step(task);
  const problems = [
    ...wrongAuthor(handoff, agent),
    ...contradictions(draft.state, handoff),
    ...refutedClaims(draft, agent, judgements),
    ...checkContent(handoff, draft.agent(agent).gives[handoff.outcome] ?? null, handoff.outcome),
  ];
  if (problems.length > 0) return { do: "send-back", problems };
  draft.record({ kind: "handoff-accepted", task, step: id, agent, delivery });
  learnFacts(draft, agent, handoff);
  updateLedger(draft, task, agent, handoff);
  blockTasks(draft, task, handoff);
  return { do: "pass-gates" };
}

/** We started the agent ourselves, so we know who wrote this (ruling 32). */
function wrongAuthor({ from }: Handoff, agent: string): Problem[] {
  if (from === undefined || sameAgent(from, agent)) return [];
  const message = `The handoff says that ${from} wrote it, but ${agent} did.`;
  return [{ message, hint: `Name ${agent} as its author.`, where: "from", rule: null }];
}
