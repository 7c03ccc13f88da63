import type { Draft } from "../draft.ts";
import { askPerson } from "./ask-person.ts";
import { NOTHING, type Turn } from "./turn.ts";

/** What a person has to say before the work goes on: first the blocking questions, then the approval. */
export function reviewHandoff(draft: Draft, task: string): Turn {
  const { last } = draft.task(task);
  const { agent, routeAs } = draft.step(task);
  const questions = (last?.handoff.questions ?? []).filter((question) => question.blocking === true);
  // After a loop has ended they were answered already.
  if (questions.length === 0 || routeAs !== null) return { do: "approve" };
  askPerson(draft, task, {
    kind: "question",
    agent,
    title: questions.map(({ question }) => question ?? "a question without words").join(" / "),
    details: questions.flatMap(({ context, recommendation }) => [
      ...(context === undefined ? [] : [context]),
      ...(recommendation === undefined ? [] : [`${agent} recommends: ${recommendation}`]),
    ]),
    choices: ["answer", "fail"],
  });
  return NOTHING;
}

export function approveHandoff(draft: Draft, task: string): Turn {
  const { agent, routeAs } = draft.step(task);
  const { outcome: own, summary } = draft.handoff(task) ?? { outcome: "failed" };
  const outcome = routeAs ?? own;
  const wanted = outcome === "needs-review";
  const marked = draft.workflow.mode !== "autonomous" && draft.agent(agent).approve === "after";
  const isDone = outcome === "done" || outcome === "done-with-warnings" || outcome === "skipped";
  if (!wanted && !(marked && isDone)) return { do: "route" };
  askPerson(draft, task, {
    kind: wanted ? "review" : "after",
    agent,
    title: wanted ? `${agent} asks for a review of its work.` : `Is the work of ${agent} accepted?`,
    details: summary === undefined ? [] : [summary],
    choices: ["approve", "reject"],
  });
  return NOTHING;
}
