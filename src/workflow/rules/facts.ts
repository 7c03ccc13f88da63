import type { Figures } from "../../evidence/observations.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Facts, Literal } from "../../shared/condition.ts";
import type { LoopPolicy } from "../definition.ts";
import type { RunState, TaskState } from "../state.ts";
import { classifyFailure, coverageFigure, figureOf, fromMap } from "./failures.ts";
import { isAsSevere, isBlocking, openIssues } from "./issue-ledger.ts";

/** The names that conditions can use. A value that is missing from the handoff is unknown. */
export function factsOf(
  state: RunState,
  task: TaskState,
  handoff: Handoff | null,
  loop: LoopPolicy,
  latest: Figures | null = null,
): Facts {
  const figures = latest ?? task.step?.figures ?? null;
  return (name) => {
    const ask = ownValue(FACTS, name);
    if (ask !== undefined) return ask({ state, task, handoff, loop, figures });
    return name.startsWith("metrics.") ? literal(metric(handoff, name.slice("metrics.".length))) : undefined;
  };
}

interface ConditionContext {
  readonly state: RunState;
  readonly task: TaskState;
  readonly handoff: Handoff | null;
  readonly loop: LoopPolicy;
  /** Figures measured by the gates of this step. */
  readonly figures: Figures | null;
}

type Fact = (context: ConditionContext) => Literal | undefined;

const FACTS: Readonly<Record<string, Fact>> = {
  outcome: ({ handoff }) => handoff?.outcome ?? "failed",
  status: ({ handoff }) => handoff?.status,
  phase: ({ handoff }) => handoff?.phase,
  iteration: ({ task }) => task.round,
  "run.iteration": ({ state }) => state.iteration,
  retries: ({ task }) => task.retries,
  failure: ({ handoff }) => (handoff === null ? "UNKNOWN" : classifyFailure(handoff)),
  blocked_reason: ({ handoff }) => handoff?.routing?.blocked_reason,
  "loop.required": ({ handoff }) => handoff?.routing?.loop?.required ?? false,
  "loop.target": ({ handoff }) => handoff?.routing?.loop?.target ?? null,
  "loop.reason": ({ handoff }) => handoff?.routing?.loop?.reason ?? null,
  "open.blocking": ({ state, task, loop }) =>
    openIssues(state, task.id).filter((issue) => isBlocking(issue, loop)).length,
  "open.critical": (context) => countOpen(context, "critical"),
  "open.high": (context) => countOpen(context, "high"),
  "open.medium": (context) => countOpen(context, "medium"),
  "open.low": (context) => countOpen(context, "low"),
  "open.total": ({ state, task }) => openIssues(state, task.id).length,
  // A gate's figure if there is one, otherwise the handoff's.
  coverage: ({ handoff, figures }) => figures?.coverage?.lines ?? coverageFigure(handoff),
  "measured.coverage": ({ figures }) => figures?.coverage?.lines,
  "measured.branches": ({ figures }) => figures?.coverage?.branches,
  "measured.functions": ({ figures }) => figures?.coverage?.functions,
  "measured.statements": ({ figures }) => figures?.coverage?.statements,
  "measured.passed": ({ figures }) => figures?.tests?.passed,
  "measured.failed": ({ figures }) => figures?.tests?.failed,
  "claims.confirmed": ({ task }) => task.step?.claims.confirmed,
  "claims.refuted": ({ task }) => task.step?.claims.refuted,
  "claims.unverifiable": ({ task }) => task.step?.claims.unverifiable,
  score: ({ handoff }) => figureOf(metric(handoff, "quality_score")),
  "review.status": ({ handoff }) => literal(fromMap(handoff?.findings?.review, ["status", "review_status"])),
  "checks.status": ({ handoff }) => handoff?.checks?.status,
};

export const FACT_NAMES: readonly string[] = Object.keys(FACTS);

function countOpen({ state, task }: ConditionContext, severity: string): number {
  return openIssues(state, task.id).filter((issue) => isAsSevere(issue, severity)).length;
}

function metric(handoff: Handoff | null, name: string): unknown {
  return handoff?.metrics === undefined ? undefined : ownValue(handoff.metrics, name);
}

function literal(value: unknown): Literal | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null
    ? value
    : undefined;
}
