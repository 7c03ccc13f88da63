import type { Outcome } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Draft } from "../draft.ts";
import type { Answer } from "../input.ts";
import type { Workflow } from "../definition.ts";
import type { Ask, AskKind } from "../state.ts";
import { decideClaims } from "./ask-about-claims.ts";
import { advance } from "./advance.ts";
import { runRules } from "./run-rules.ts";
import { commandRun } from "./gates.ts";
import { isBlocking, openIssues, stillToFix } from "./issue-ledger.ts";
import { NOTHING, type NextRule } from "./next-rule.ts";

type Choice = Pick<Answer, "choice" | "text" | "by">;

export function takeAnswer(draft: Draft, answer: Answer): void {
  const { ask: id, choice, text, by } = answer;
  const ask = ownValue(draft.state.asks, id);
  const refusal = refuse(ask, id, choice, text);
  if (ask === undefined || refusal !== null) {
    draft.record({ kind: "input-ignored", input: "answer", why: refusal ?? "" });
    return;
  }
  if (ask.dueAt !== null) draft.record({ kind: "timer-cleared", timer: `ask:${id}` });
  draft.record({ kind: "ask-answered", ask: id, choice, text, by, at: draft.at });
  chooseForAsk(draft, ask, { choice, text, by });
}

/**
 * Whether an answer came after the time for it, whenever it is processed. A question that is only asked again stays
 * open, so no answer to it is late.
 */
export function isLate(ask: Ask, { silence }: Workflow["asks"], givenAt: number | undefined): boolean {
  return silence !== "remind" && ask.dueAt !== null && givenAt !== undefined && givenAt >= ask.dueAt;
}

/**
 * Whether a person may answer in a client of their own. Consent to run something is given where its exact bytes can be
 * looked at, whatever the workflow says.
 */
export function isAnsweredInClient(ask: Ask, { asks, agents }: Pick<Workflow, "asks" | "agents">): boolean {
  if (ask.kind === "command" || ask.files !== undefined) return false;
  return asks.where === undefined && ownValue(agents, ask.agent)?.asksWhere === undefined;
}

function refuse(ask: Ask | undefined, id: string, choice: string, text: string | null): string | null {
  if (ask === undefined) return `Nothing is asked under ${id}.`;
  if (!ask.choices.includes(choice)) return `${id} can be answered with ${ask.choices.join(", ")}, not with ${choice}.`;
  return choice === "answer" && (text ?? "").trim() === "" ? `${id} asks for an answer in words.` : null;
}

/** What a choice means for each kind of question. */
export function chooseForAsk(draft: Draft, ask: Ask, choice: Choice): void {
  const isNo = choice.choice === "reject" && (ask.kind === "before" || ask.files !== undefined);
  if (choice.choice === "fail" || isNo) failTask(draft, ask, choice);
  else runRules(draft, ask.task, CHOICES[ask.kind](draft, ask, choice));
}

function failTask(draft: Draft, { task, title }: Ask, { by, text }: Choice): void {
  const reason = `${by} said no to: ${title}${text === null ? "" : ` (${text})`}`;
  draft.record({ kind: "task-finished", task, status: "failed", reason });
}

const CHOICES: Readonly<Record<AskKind, (draft: Draft, ask: Ask, choice: Choice) => NextRule>> = {
  before: letStart,
  after: judgeWork,
  review: judgeWork,
  question: () => ({ do: "approve" }),
  escalation: (draft, ask, choice) => {
    if (choice.choice === "round" && ask.roundTo !== undefined) return grantRound(draft, ask, ask.roundTo, choice);
    return choice.choice === "continue" ? waive(draft, ask, choice) : again(draft, ask, choice);
  },
  blocked: unblock,
  human: handInForPerson,
  command: letCommandRun,
  claims: (draft, { task }, choice) => decideClaims(draft, task, choice),
};

/** One more round beyond what the workflow allows. The person's words come first for the agent that gets it. */
function grantRound(draft: Draft, { task, title, details }: Ask, to: string, { by, text }: Choice): NextRule {
  draft.record({ kind: "round-granted", task, to, by });
  const why = text ?? `${by} grants one more round.`;
  return { do: "loop", to, occasion: { why, details: [title, ...details], isGranted: true } };
}

/** The work continues as it is: what speaks against it is recorded with the name of the person. */
function waive(draft: Draft, { task }: Ask, { by }: Choice): NextRule {
  const { id: step, agent, gate, gateFailed } = draft.step(task);
  const { loop, gates } = draft.agent(agent);
  const name = gates[gate];
  // The person was asked about the gate, and has said nothing about issues.
  if (gateFailed && name !== undefined) {
    draft.record({ kind: "gate-waived", task, step, agent, gate: name, by });
    return { do: "pass-gates" };
  }
  const open = openIssues(draft.state, task).filter((issue) => isBlocking(issue, loop));
  if (open.length > 0) draft.record({ kind: "issues-waived", task, issues: open.map(({ id }) => id), by });
  return { do: "take-route", outcome: "done-with-warnings", why: `${by} lets it go on`, isAllowed: true };
}

function letStart(draft: Draft, { task }: Ask): NextRule {
  const { next, callers } = draft.task(task);
  if (next !== null) draft.record({ kind: "task-advanced", task, next: { ...next, approved: true }, callers });
  return NOTHING;
}

function judgeWork(draft: Draft, ask: Ask, choice: Choice): NextRule {
  return choice.choice === "approve" ? { do: "route" } : again(draft, ask, choice);
}

/** Runs the same agent again with the person's words. */
function again(draft: Draft, { task, agent }: Ask, { by, text }: Choice): NextRule {
  const { callers, step } = draft.task(task);
  const issues = stillToFix(draft.state, step?.reason.issues ?? []);
  const why = text ?? `${by} asks for another try`;
  advance(draft, task, agent, callers, { why }, { kind: "person", from: by, issues });
  return NOTHING;
}

/** Releases a task that never started; it then waits for its dependencies like any other. */
function unblock(draft: Draft, { task }: Ask): NextRule {
  for (const by of new Set(draft.task(task).blockers.map((blocker) => blocker.by)))
    draft.record({ kind: "task-released", task, by });
  return NOTHING;
}

/** The approval covers exactly these bytes; a different command is asked about again. */
function letCommandRun(draft: Draft, ask: Ask, { choice, by }: Choice): NextRule {
  const { task } = ask;
  if (ask.files !== undefined) return letFilesRun(draft, ask, ask.files, by);
  const command = draft.handoff(task)?.checks?.command;
  if (command === undefined) return { do: "review" };
  if (choice !== "approve") {
    draft.record({ kind: "command-skipped", task, command, why: `${by} said no.` });
    return { do: "review" };
  }
  draft.record({ kind: "command-approved", task, command, by });
  return { do: "check-command" };
}

/** The agent or the gate that was not started is started again. */
function letFilesRun(draft: Draft, { task, gateRun }: Ask, files: NonNullable<Ask["files"]>, by: string): NextRule {
  const now = files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  const gone = files.flatMap(({ path, hash }) => (hash === null ? [path] : []));
  draft.record({ kind: "files-trusted", files: now, gone, by, ...(gateRun !== undefined && { gatesOf: task }) });
  const step = draft.step(task);
  if (gateRun !== undefined) return { do: gateRun === commandRun(step) ? "check-command" : "pass-gates" };
  return { do: "start-attempt", reason: step.reason, session: step.reason.kind === "repair" ? step.session : null };
}

/** The handoff of a person: the choice is the outcome, the words are the summary. */
function handInForPerson(draft: Draft, { agent }: Ask, { choice, text, by }: Choice): NextRule {
  const summary = text ?? `${by}: ${choice}`;
  const handoff = { dialect: draft.agent(agent).dialect, from: agent, outcome: choice as Outcome, summary };
  const delivery = { handoff, text: "", source: "message", repaired: false, warnings: 0 } as const;
  return { do: "accept", delivery, judgements: [] };
}
