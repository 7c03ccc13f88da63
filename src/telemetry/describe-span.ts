import type { VerdictCounts } from "../evidence/policy.ts";
import type { AttemptSpan, GateSpan, RunSpan, TracedRun, TracedSpan } from "../views/run-trace.ts";
import { ATTRIBUTES, OPERATIONS, PROVIDERS } from "./conventions.ts";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

interface DescribedSpan {
  readonly name: string;
  /** It asks another program. */
  readonly isClient: boolean;
  readonly hasFailed: boolean;
  readonly attributes: Attributes;
}

/** Closed words, names out of the workflow, ids and counts: nothing that an agent wrote as prose. */
export function describeSpan(traced: TracedRun, span: TracedSpan): DescribedSpan {
  switch (span.kind) {
    case "run":
      return describeRun(traced, span);
    case "attempt":
      return describeAttempt(traced, span);
    case "gate":
      return describeGate(traced, span);
  }
}

function describeRun({ run }: TracedRun, { workflow, status, steps, iteration }: RunSpan): DescribedSpan {
  return {
    name: `${OPERATIONS.workflow} ${workflow}`,
    isClient: false,
    hasFailed: status !== "completed",
    attributes: known({
      [ATTRIBUTES.operation]: OPERATIONS.workflow,
      [ATTRIBUTES.workflow]: workflow,
      [ATTRIBUTES.run]: run,
      [ATTRIBUTES.status]: status,
      [ATTRIBUTES.steps]: steps,
      [ATTRIBUTES.iteration]: iteration,
      [ATTRIBUTES.error]: status === "completed" ? null : status,
    }),
  };
}

function describeAttempt({ run }: TracedRun, span: AttemptSpan): DescribedSpan {
  const error = errorOf(span);
  return {
    name: `${OPERATIONS.agent} ${span.agent}`,
    isClient: true,
    hasFailed: error !== null,
    attributes: known({
      [ATTRIBUTES.operation]: OPERATIONS.agent,
      [ATTRIBUTES.provider]: providerOf(span),
      [ATTRIBUTES.agent]: span.agent,
      [ATTRIBUTES.conversation]: sessionName(span.session),
      [ATTRIBUTES.model]: span.model,
      [ATTRIBUTES.run]: run,
      [ATTRIBUTES.task]: span.task,
      [ATTRIBUTES.step]: span.step,
      [ATTRIBUTES.attempt]: span.attempt,
      [ATTRIBUTES.iteration]: span.iteration,
      [ATTRIBUTES.reason]: span.reason,
      [ATTRIBUTES.end]: span.end,
      [ATTRIBUTES.tokens]: span.usage?.tokens ?? null,
      [ATTRIBUTES.money]: span.usage?.money ?? null,
      [ATTRIBUTES.error]: error,
      ...handoffAttributes(span),
      ...claimAttributes(span.claims),
    }),
  };
}

function describeGate({ run }: TracedRun, span: GateSpan): DescribedSpan {
  const tool = toolOf(span);
  return {
    name: `${OPERATIONS.tool} ${tool}`,
    isClient: false,
    hasFailed: !span.passed,
    attributes: known({
      [ATTRIBUTES.operation]: OPERATIONS.tool,
      [ATTRIBUTES.tool]: tool,
      [ATTRIBUTES.agent]: span.agent,
      [ATTRIBUTES.run]: run,
      [ATTRIBUTES.task]: span.task,
      [ATTRIBUTES.passed]: span.passed,
      [ATTRIBUTES.error]: span.passed ? null : "gate_failed",
      ...claimAttributes(span.claims),
    }),
  };
}

export function providerOf({ runner }: AttemptSpan): string {
  return PROVIDERS[runner];
}

/** What a handoff brought has no name of its own, and its text is not told. */
export function toolOf({ gate }: GateSpan): string {
  return gate ?? "validation command";
}

export function errorOf({ end, handoff }: AttemptSpan): string | null {
  if (end !== "finished") return end;
  return handoff?.isAccepted === false ? "handoff_refused" : null;
}

/** Ids of sessions come from clients: one that does not look like an id is left out. */
function sessionName(session: string | null): string | null {
  const [id = ""] = session?.split("?") ?? [];
  return /^\w[\w.:-]{0,127}$/.test(id) ? id : null;
}

function handoffAttributes({ handoff }: AttemptSpan): Record<string, string | boolean | null> {
  if (handoff === null) return {};
  const { isAccepted, delivery } = handoff;
  return {
    [ATTRIBUTES.result]: isAccepted ? "accepted" : "refused",
    [ATTRIBUTES.dialect]: delivery?.dialect ?? null,
    [ATTRIBUTES.outcome]: delivery?.outcome ?? null,
    [ATTRIBUTES.source]: delivery?.source ?? null,
    [ATTRIBUTES.repaired]: delivery?.repaired ?? null,
  };
}

function claimAttributes(claims: VerdictCounts | null): Record<string, number> {
  if (claims === null) return {};
  return {
    [ATTRIBUTES.confirmed]: claims.confirmed,
    [ATTRIBUTES.refuted]: claims.refuted,
    [ATTRIBUTES.unverifiable]: claims.unverifiable,
  };
}

/** What is not known is left out: it is not zero. */
function known(attributes: Readonly<Record<string, string | number | boolean | null>>): Attributes {
  const kept: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== null) kept[name] = value;
  return kept;
}
