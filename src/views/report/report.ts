import type { ClaimKind } from "../../evidence/claim.ts";
import type { Metrics } from "../metrics.ts";
import type { OtherAgent } from "../observed-run.ts";
import type { Round } from "../rounds.ts";
import type { RunView } from "../run-view.ts";
import type { StepItem } from "../step-items.ts";
import type { AgentTakeover } from "../takeovers.ts";
import { cutText } from "../../shared/envelope.ts";
import type { Event } from "../../workflow/event.ts";
import type { RemarkCounts } from "../../workflow/state.ts";
import type { TimedEvent } from "../event-line.ts";

/** The content of a report, independent of its format. Plain JSON. */
export interface RunsReport {
  readonly made_at: number;
  /** Only runs whose last event is at or after this time. */
  readonly since: number | null;
  /** The run that the report is about; null for a report about many runs. */
  readonly run: ReportedRun | null;
  /** Newest first. */
  readonly runs: readonly ListedRun[];
  readonly runs_left_off: number;
  readonly metrics: Metrics;
  readonly takeovers: readonly AgentTakeover[];
}

export interface ListedRun {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  /** Whether it is a session of a client, which is watched. */
  readonly is_observed: boolean;
  readonly reason: string | null;
  readonly remarks: RemarkCounts;
  readonly started_at: number;
  readonly updated_at: number;
}

export interface ReportedRun {
  readonly view: RunView;
  /** When its last event came. */
  readonly updated_at: number;
  /** Agents of a session that owe no handoff. */
  readonly others: readonly OtherAgent[];
  readonly steps: readonly StepItem[];
  readonly rounds: readonly Round[];
  /** All accepted handoffs. */
  readonly trail: readonly TrailEntry[];
  readonly refuted: readonly RefutedClaim[];
  /** The last entry of the run in the log. */
  readonly head: { readonly sequence: number; readonly hash: string } | null;
}

interface TrailEntry {
  readonly at: number;
  readonly agent: string;
  readonly task: string;
  readonly dialect: string;
  readonly outcome: string;
  /** The status word of the dialect. */
  readonly status: string | null;
  readonly summary: string | null;
  readonly repaired: boolean;
  readonly warnings: number;
  /** SHA-256 of the kept text. */
  readonly text: string;
}

interface RefutedClaim {
  readonly at: number;
  readonly agent: string;
  readonly kind: ClaimKind;
  readonly where: string;
  readonly says: string;
  readonly evidence: string;
}

const MAX_TEXT = 500;

/** 002-R20: the handoffs in order, each with the hash of its kept text. */
export function trailOf(events: readonly TimedEvent[]): TrailEntry[] {
  return events.flatMap(({ at, event }) => (event.kind === "handoff-accepted" ? [trailEntry(event, at)] : []));
}

function trailEntry({ agent, task, delivery }: Extract<Event, { kind: "handoff-accepted" }>, at: number): TrailEntry {
  const { handoff, text, repaired, warnings } = delivery;
  const { dialect, outcome, status = null, summary } = handoff;
  const shortened = summary === undefined ? null : cutText(summary, MAX_TEXT);
  return { at, agent, task, dialect, outcome, status, summary: shortened, repaired, warnings, text };
}

/** A claim that is repeated after a repair counts again. */
export function listRefutedClaims(events: readonly TimedEvent[]): RefutedClaim[] {
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
        says: cutText(says, MAX_TEXT),
        evidence: cutText(evidence, MAX_TEXT),
      }));
  });
}
