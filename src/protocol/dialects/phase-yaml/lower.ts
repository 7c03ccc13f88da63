import type { JsonRecord } from "../../../shared/json-value.ts";
import { sameWordOtherSpelling } from "../../../shared/nearest-word.ts";
import type { Filling } from "../../dialect.ts";
import { atName as atNameFormat } from "../../format.ts";
import type { Handoff } from "../../handoff.ts";
import { fits } from "../../unfilled-template.ts";
import { present, withExtensions, UNKNOWN_AGENT, kebabCase } from "../lift-and-lower.ts";
import { PHASES } from "./shape.ts";
import { WORDS, isUnfilledFigure } from "./words.ts";

export function lower(handoff: Handoff, filling: Filling): JsonRecord {
  const failure = handoff.routing?.on_failure;
  const document = {
    handoff: present({
      phase: lowerPhase(handoff, filling),
      from: atName(author(handoff, filling)),
      to: receiver(handoff, filling),
      status: WORDS[handoff.outcome],
      retry_count: handoff.attempt,
      metrics: lowerMetrics(handoff.metrics),
      dependencies: handoff.depends_on,
      on_failure:
        failure &&
        present({
          ...failure,
          route_to: failure.route_to && atName(failure.route_to),
          notify: failure.notify && atName(failure.notify),
        }),
      timestamp: handoff.at,
      context: handoff.context?.data,
    }) as JsonRecord,
  };
  return withExtensions(document, handoff, "phase-yaml");
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
  const phase = handoff.final === true ? "Complete" : (FOREIGN_PHASES[handoff.phase ?? ""] ?? "Implementation");
  filling.filledIn(
    "handoff.phase",
    phase,
    handoff.phase === undefined ? "the source names no phase" : `the format has no phase "${handoff.phase}"`,
  );
  return phase;
}

/** A value that would look like an unfilled template here is carried, or reported as a loss. */
function lowerMetrics(metrics: JsonRecord | undefined): JsonRecord | undefined {
  if (metrics === undefined || !Object.values(metrics).some(isUnfilledFigure)) return metrics;
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => !isUnfilledFigure(value)));
}

const FOREIGN_PHASES: Readonly<Record<string, string>> = { architecture: "Planning", design: "Planning", review: "QA" };

function atName(name: string): string {
  const written = name.startsWith("@") ? name : `@${name}`;
  return fits(written, atNameFormat) ? written : `@${kebabCase(name)}`;
}
