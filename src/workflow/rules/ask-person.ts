import type { Draft } from "../draft.ts";
import type { UntrustedFile } from "../input.ts";
import type { Ask } from "../state.ts";
import { reviewedCommit } from "../reviewed-commit.ts";
import { hasWayOn } from "./take-route.ts";

type NewAsk = Pick<Ask, "kind" | "agent" | "title" | "details" | "choices" | "roundTo" | "files" | "gateRun">;

/** Pauses the task until a person answers. The question survives restarts, and silence is never consent. */
export function askPerson(draft: Draft, task: string, ask: NewAsk): void {
  const id = `q${draft.state.asked + 1}`;
  const { timeout } = draft.workflow.asks;
  const dueAt = timeout === null ? null : draft.at + timeout;
  const commit =
    reviewedCommit(draft.workflow, draft.task(task), ask.kind === "before" ? ask.agent : "")?.commit ?? null;
  const about = commit === null ? {} : { commit, details: [...ask.details, `This is about commit ${commit}.`] };
  draft.record({ kind: "ask-opened", ask: { ...ask, ...about, id, task, openedAt: draft.at, dueAt, reminders: 0 } });
  if (dueAt !== null)
    draft.record({ kind: "timer-set", timer: { id: `ask:${id}`, dueAt, purpose: "ask", subject: id } });
  draft.want({ kind: "notify", who: "person", text: `${id}: ${ask.title}` });
}

/**
 * Asks a person what the workflow cannot decide. `round` is offered where a loop could go on, with the agent that it
 * goes back to; `continue` where the handoff has a route on.
 */
export function escalate(
  draft: Draft,
  task: string,
  why: string,
  details: readonly string[] = [],
  roundTo: string | null = null,
): void {
  const { step, last } = draft.task(task);
  const agent = step?.agent ?? draft.workflow.start;
  const canContinue = step !== null && last?.step === step.id && hasWayOn(draft, task);
  askPerson(draft, task, {
    kind: "escalation",
    agent,
    title: why,
    details,
    choices: [...(roundTo === null ? [] : ["round"]), "retry", ...(canContinue ? ["continue"] : []), "fail"],
    ...(roundTo !== null && { roundTo }),
  });
}

/**
 * An agent or a gate was not started, because files that it runs are not the ones that were trusted. The answer counts for
 * exactly the content that was seen; another one is asked about again.
 */
export function askAboutFiles(
  draft: Draft,
  task: string,
  untrusted: readonly UntrustedFile[],
  gateRun: string | null,
): void {
  const [first, ...more] = untrusted;
  const { agent } = draft.step(task);
  const user = gateRun === null ? agent : `gate ${gateRun.split("/")[1] ?? gateRun}`;
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  askPerson(draft, task, {
    kind: "command",
    agent,
    title: `May ${user} run ${first?.path ?? ""}${others} as it is now? It is not what you trusted.`,
    details: untrusted.flatMap(({ says }) => says.split("\n")),
    choices: ["approve", "reject"],
    files: untrusted.map(({ path, hash }) => ({ path, hash })),
    ...(gateRun !== null && { gateRun }),
  });
}
