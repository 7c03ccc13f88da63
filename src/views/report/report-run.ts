import { cutText } from "../../shared/envelope.ts";
import type { Event } from "../../workflow/event.ts";
import type { TimedEvent } from "../timed-event.ts";
import type { RefutedClaim, TrailEntry } from "./report.ts";

const LONGEST_TEXT = 500;

/** 002-R20: what was handed over, in order, with the hash under which its text is kept. */
export function trailOf(events: readonly TimedEvent[]): TrailEntry[] {
  return events.flatMap(({ at, event }) => (event.kind === "handoff-accepted" ? [trailEntry(event, at)] : []));
}

function trailEntry({ agent, task, delivery }: Extract<Event, { kind: "handoff-accepted" }>, at: number): TrailEntry {
  const { handoff, text, repaired, warnings } = delivery;
  const { dialect, outcome, status = null, summary } = handoff;
  const shortened = summary === undefined ? null : cutText(summary, LONGEST_TEXT);
  return { at, agent, task, dialect, outcome, status, summary: shortened, repaired, warnings, text };
}

/** A claim that is made again in a repair is another one. */
export function refutedClaims(events: readonly TimedEvent[]): RefutedClaim[] {
  return events.flatMap(({ at, event }) => {
    if (event.kind !== "claims-verified") return [];
    const { agent, judgements } = event;
    return judgements
      .filter(({ verdict }) => verdict === "refuted")
      .map(({ kind, where, says, evidence }) => ({
        at,
        agent,
        kind,
        where,
        says: cutText(says, LONGEST_TEXT),
        evidence: cutText(evidence, LONGEST_TEXT),
      }));
  });
}
