import type { Judgement } from "../../evidence/claim.ts";
import { sameAgent } from "../../protocol/agent-names.ts";
import type { Handoff, Outcome } from "../../protocol/handoff.ts";
import type { Draft } from "../draft.ts";
import type { Problem } from "../input.ts";
import { checkContent } from "./check-content.ts";
import { checkDependencies } from "./check-dependencies.ts";
import { updateLedger, stillToFix } from "./issue-ledger.ts";
import { requiredLoop } from "./requested-next.ts";
import { blockTasks } from "./schedule-tasks.ts";
import { type NextRule, NOTHING } from "./next-rule.ts";
import type { RunState } from "../state.ts";
import { explainRefuted, refusedBy } from "../../evidence/policy.ts";
import { countFailure } from "./failures.ts";
import { askAboutClaims } from "./ask-about-claims.ts";
import { askPerson } from "./ask-person.ts";

/** Accepts a handoff if its author, its claims and its content agree with what the run knows. */
export function acceptHandoff(
  draft: Draft,
  task: string,
  { delivery, judgements, tree }: Extract<NextRule, { do: "accept" }>,
): NextRule {
  const { handoff } = delivery;
  const { agent, id, iteration } = draft.step(task);
  const problems = [
    ...wrongAuthor(handoff, agent),
    ...contradictions(draft.state, handoff),
    ...unknownTasks(draft.state, handoff),
    ...refutedClaims(draft, agent, judgements),
    ...checkContent(handoff, draft.agent(agent).gives[handoff.outcome] ?? null, handoff.outcome),
  ];
  if (problems.length > 0) return { do: "send-back", problems };
  draft.record({ kind: "handoff-accepted", task, step: id, agent, delivery });
  const { iteration: said = iteration } = handoff;
  if (said !== iteration) draft.record({ kind: "round-misstated", task, agent, said, round: iteration });
  checkDependencies(draft, task, agent, handoff);
  recordKnownFacts(draft, agent, handoff);
  updateLedger(draft, { task, agent, ...(tree !== undefined && { tree }) }, handoff);
  blockTasks(draft, task, handoff);
  return askAboutClaims(draft, task, judgements) ?? { do: "pass-gates" };
}

/** Baton started the agent, so it knows the author (ruling 32). */
function wrongAuthor({ from }: Handoff, agent: string): Problem[] {
  if (from === undefined || sameAgent(from, agent)) return [];
  const message = `The handoff says that ${from} wrote it, but ${agent} did.`;
  return [{ message, hint: `Name ${agent} as its author.`, where: "from", rule: null }];
}

/** Fields that stay with the run once an agent has delivered them (001-R23), and what the run calls them. */
const FIELDS: Readonly<Record<string, (handoff: Handoff) => string | undefined>> = {
  "issue.number": ({ issue }) => issue?.number,
  "issue.url": ({ issue }) => issue?.url,
  "issue.title": ({ issue }) => issue?.title,
  "issue.type": ({ issue }) => issue?.type,
  "issue.priority": ({ issue }) => issue?.priority,
  "pull_request.number": ({ pull_request }) => pull_request?.number,
  "pull_request.url": ({ pull_request }) => pull_request?.url,
  branch: ({ work }) => work?.branch,
  "workspace.path": ({ work }) => work?.workspace?.path,
  "workspace.type": ({ work }) => work?.workspace?.type,
  "workspace.port": ({ work }) => work?.workspace?.port,
  "merge.sha": ({ work }) => work?.merge?.sha,
  directory: ({ work }) => work?.directory,
  tests_added: ({ metrics }) => figure(metrics?.["tests_added"]),
  coverage: ({ metrics }) => figure(metrics?.["coverage"]),
};

function figure(value: unknown): string | undefined {
  return typeof value === "number" || typeof value === "string" ? String(value) : undefined;
}

/** Fields that have one value for the whole run; a different value belongs to another run. */
const FIXED = ["issue.number", "pull_request.number", "branch"];

function contradictions(state: RunState, handoff: Handoff): Problem[] {
  return FIXED.flatMap((name) => {
    const known = state.known[name];
    const value = FIELDS[name]?.(handoff);
    if (known === undefined || value === undefined || value === known.value) return [];
    const message = `${name} is ${value} here, but ${known.value} since ${known.by}.`;
    return [
      { message, hint: "One run is about one issue, one pull request and one branch.", where: name, rule: "001-R24" },
    ];
  });
}

/** A blocker holds up the tasks that it names (003-R16), so it must name tasks of the run. */
function unknownTasks({ tasks }: RunState, { blockers = [] }: Handoff): Problem[] {
  const names = Object.keys(tasks);
  if (names.length === 1) return [];
  return blockers.flatMap(({ blocks = [] }, at) =>
    blocks
      .filter((name) => !Object.hasOwn(tasks, name))
      .map((name) => ({
        message: `A blocker names task ${name}, which the run does not have.`,
        hint: `The tasks of the run are ${names.slice(0, MAX_SHOWN).join(", ")}.`,
        where: `blockers.${at}.blocks`,
        rule: "003-R16",
      })),
  );
}

/** Values that stay with the run once an agent has delivered them. */
export function recordKnownFacts(draft: Draft, agent: string, handoff: Handoff): void {
  for (const [name, read] of Object.entries(FIELDS)) {
    const value = read(handoff);
    if (value === undefined || value === "" || draft.state.known[name]?.value === value) continue;
    draft.record({ kind: "fact-learned", name, value, by: agent });
  }
}

/** Records the judgements even when the handoff is refused. */
export function noteJudgements(
  draft: Draft,
  task: string,
  gate: string | null,
  judgements: readonly Judgement[],
): void {
  if (judgements.length === 0) return;
  const { id, agent, attempt } = draft.step(task);
  draft.record({ kind: "claims-verified", task, step: id, agent, attempt, gate, judgements });
}

/** Refuted claims that the workflow's policy refuses, with the evidence for their author. */
export function refutedClaims(draft: Draft, agent: string, judgements: readonly Judgement[]): Problem[] {
  const policy = draft.agent(agent).verify ?? null;
  if (policy === null) return [];
  const refused = refusedBy(judgements, policy);
  const problems = refused
    .slice(0, MAX_SHOWN)
    .map((judgement) => ({ ...explainRefuted(judgement), where: judgement.where, rule: null }));
  return refused.length <= MAX_SHOWN ? problems : [...problems, moreRefuted(refused.length - MAX_SHOWN)];
}

function moreRefuted(count: number): Problem {
  const message = `${count} more claims were refuted, which are not listed here.`;
  return { message, hint: "Check every claim of the handoff before you hand over again.", where: null, rule: null };
}

/** Bounds the list that is sent back to the author. */
const MAX_SHOWN = 50;

/** Sends an unusable handoff back to its author with the problems, a bounded number of times. */
export function sendBack(draft: Draft, task: string, problems: readonly Problem[], isDemanded?: true): NextRule {
  const { id, agent, attempt, repairs, session, reason: before } = draft.step(task);
  draft.record({ kind: "handoff-refused", task, step: id, agent, attempt, problems });
  if (draft.agent(agent).runner.kind === "human") return askAbout(agent, problems);
  if (isDemanded === true || repairs < draft.agent(agent).repairs) {
    const issues = stillToFix(draft.state, before.issues);
    const reason = { kind: "repair", from: agent, note: null, issues, problems } as const;
    return { do: "start-attempt", reason, session };
  }
  const why = `${agent} gave no usable handoff: ${problems[0]?.message ?? "nothing was found"}`;
  countFailure(draft, task, null, why);
  return { do: "take-route", outcome: "failed", why, isUnusable: true };
}

/** A person's handoff is not sent back for repair: asking again cannot add the missing fields. The person decides. */
function askAbout(agent: string, problems: readonly Problem[]): NextRule {
  const occasion = {
    why: `What ${agent} handed in is not all that the workflow asks for.`,
    details: problems.map(({ message }) => message),
  };
  return { do: "act", action: { kind: "person" }, occasion };
}

/** Asks a person before the work continues: first the blocking questions, then the approval. */
export function reviewHandoff(draft: Draft, task: string): NextRule {
  const { last } = draft.task(task);
  const { agent, routeAs } = draft.step(task);
  const questions = (last?.handoff.questions ?? []).filter((question) => question.blocking === true);
  // When a loop has just ended, the questions were answered before.
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

const DONE: readonly Outcome[] = ["done", "done-with-warnings", "skipped"];

export function approveHandoff(draft: Draft, task: string): NextRule {
  const { agent, routeAs } = draft.step(task);
  const { outcome: own, summary } = draft.handoff(task) ?? { outcome: "failed" };
  const outcome = routeAs ?? own;
  const wanted = outcome === "needs-review";
  const marked = draft.workflow.mode !== "autonomous" && draft.agent(agent).approve === "after";
  const isDone = DONE.includes(outcome) && (routeAs !== null || requiredLoop(draft.handoff(task)) === null);
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
