import type { JsonRecord } from "../../../shared/json-value.ts";
import { sameWordOtherSpelling } from "../../../shared/nearest-word.ts";
import type { Filling } from "../../dialect.ts";
import { atName as atNameFormat } from "../../format.ts";
import type { Handoff } from "../../handoff.ts";
import { fits } from "../../unfilled-template.ts";
import { type AgentRole, roleOf } from "../agent-role.ts";
import { loopTargetOf } from "../blocked-reason.ts";
import { isDone, isSaid, remarkOf } from "../say-parts.ts";
import { compact, present, withExtensions, UNKNOWN_AGENT, kebabCase } from "../lift-and-lower.ts";
import { nameParts } from "./named-context.ts";
import { PHASES } from "./shape.ts";
import { WORDS, isUnfilledFigure } from "./words.ts";

export function lower(handoff: Handoff, filling: Filling): JsonRecord {
  const document = {
    handoff: present({
      phase: lowerPhase(handoff, filling),
      from: atName(author(handoff, filling)),
      to: receiver(handoff, filling),
      status: WORDS[handoff.outcome],
      retry_count: handoff.attempt ?? (handoff.iteration === undefined ? undefined : handoff.iteration - 1),
      metrics: lowerMetrics(handoff),
      dependencies: handoff.depends_on ?? waitingTasks(handoff),
      on_failure: lowerOnFailure(handoff),
      timestamp: handoff.at,
      context: lowerContext(handoff),
    }) as JsonRecord,
  };
  return withExtensions(document, handoff, "phase-yaml");
}

function waitingTasks({ blockers = [] }: Handoff): string[] | undefined {
  const tasks = new Set(blockers.flatMap((blocker) => blocker.blocks ?? []));
  return tasks.size === 0 ? undefined : [...tasks];
}

/** Whoever takes a failure over is told why. */
function lowerOnFailure(handoff: Handoff): JsonRecord | undefined {
  const failure = handoff.routing?.on_failure ?? failureOf(handoff);
  if (failure === undefined) return undefined;
  return present({
    ...failure,
    route_to: failure.route_to && atName(failure.route_to),
    notify: failure.notify && atName(failure.notify),
  });
}

function failureOf(handoff: Handoff): NonNullable<Handoff["routing"]>["on_failure"] {
  if (isDone(handoff)) return undefined;
  const reasons = [handoff.routing?.loop?.reason, handoff.error?.suggested_action, handoff.blockers?.[0]?.resolution];
  return compact({ route_to: loopTargetOf(handoff), context: reasons.find(isSaid) });
}

/** Parts without a field of their own stand in the context, which is an open map, under a name each. */
function lowerContext(handoff: Handoff): JsonRecord | undefined {
  const data = handoff.context?.data;
  const isLacking = ["done-with-warnings", "needs-review", "skipped"].includes(handoff.outcome);
  const named = { ...(isLacking && { remark: remarkOf(handoff) }), ...nameParts(handoff) };
  return Object.keys(named).length === 0 ? data : { ...named, ...data };
}

function author(handoff: Handoff, filling: Filling): string {
  if (handoff.from !== undefined) return handoff.from;
  const name = filling.from ?? UNKNOWN_AGENT;
  filling.filledIn("handoff.from", atName(name), "the source names no author");
  return name;
}

function receiver(handoff: Handoff, filling: Filling): string {
  if (typeof handoff.to === "string") return atName(handoff.to);
  if (handoff.to === null) return "None";
  const to = filling.to === undefined ? "None" : atName(filling.to);
  filling.filledIn("handoff.to", to, "the source names no next agent, so control returns to whoever delegated");
  return to;
}

function lowerPhase(handoff: Handoff, filling: Filling): string {
  const same = handoff.phase === undefined ? null : sameWordOtherSpelling(handoff.phase, PHASES);
  if (same !== null) return same;
  if (handoff.final === true) return "Complete";
  const known = FOREIGN_PHASES[handoff.phase ?? ""] ?? ROLE_PHASES[roleOf(handoff.from ?? filling.from) ?? "none"];
  if (known !== undefined) return known;
  const why =
    handoff.phase === undefined
      ? "the source names no phase, and the name of its author none either"
      : `the format has no phase "${handoff.phase}"`;
  filling.filledIn("handoff.phase", "Implementation", why);
  return "Implementation";
}

const FOREIGN_PHASES: Readonly<Record<string, string>> = { architecture: "Planning", design: "Planning", review: "QA" };
const ROLE_PHASES: Readonly<Record<AgentRole | "none", string | undefined>> = {
  research: "Research",
  planning: "Planning",
  infrastructure: "Infrastructure",
  implementation: "Implementation",
  testing: "Testing",
  review: "QA",
  integration: "Integration",
  none: undefined,
};

/** A value that would look like an unfilled template here is carried, or reported as a loss. */
function lowerMetrics({ metrics: stated, checks }: Handoff): JsonRecord | undefined {
  const results = checks?.results;
  const metrics = results === undefined ? stated : { ...results, ...stated };
  if (metrics === undefined || !Object.values(metrics).some(isUnfilledFigure)) return metrics;
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => !isUnfilledFigure(value)));
}

function atName(name: string): string {
  const written = name.startsWith("@") ? name : `@${name}`;
  return fits(written, atNameFormat) ? written : `@${kebabCase(name)}`;
}
