import type { ClaimKind } from "../../evidence/claim.ts";
import type { Metrics } from "../metrics.ts";
import type { Round } from "../rounds.ts";
import type { RunView } from "../run-view.ts";
import type { StepItem } from "../step-items.ts";
import type { AgentTakeover } from "../takeovers.ts";

/** What a report tells, before it has any format. Plain JSON. */
export interface RunsReport {
  readonly made_at: number;
  /** Only runs that were last heard of since then. */
  readonly since: number | null;
  /** The one run that it is about; null when it is about all of them. */
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
  readonly reason: string | null;
  readonly started_at: number;
  readonly updated_at: number;
}

export interface ReportedRun {
  readonly view: RunView;
  readonly steps: readonly StepItem[];
  readonly rounds: readonly Round[];
  /** Every handoff that was accepted, as it is stored. */
  readonly trail: readonly TrailEntry[];
  readonly refuted: readonly RefutedClaim[];
  /** Where the stored log of the run ends. */
  readonly head: { readonly sequence: number; readonly hash: string } | null;
}

export interface TrailEntry {
  readonly at: number;
  readonly agent: string;
  readonly task: string;
  readonly dialect: string;
  readonly outcome: string;
  /** The dialect's own word. */
  readonly status: string | null;
  readonly summary: string | null;
  readonly repaired: boolean;
  readonly warnings: number;
  /** SHA-256 of the text, under which it is kept. */
  readonly text: string;
}

export interface RefutedClaim {
  readonly at: number;
  readonly agent: string;
  readonly kind: ClaimKind;
  readonly where: string;
  readonly says: string;
  readonly evidence: string;
}
