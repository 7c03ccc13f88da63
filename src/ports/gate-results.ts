import type { Figures } from "../evidence/sightings.ts";

/** What gates have said of a state, so that they need not be asked twice. Losing it costs time and nothing else. */
export interface GateResults {
  find(key: string): Promise<GateResult | null>;
  keep(key: string, result: GateResult): Promise<void>;
}

/** Only of gates that have passed: one that failed may have had bad luck. */
export interface GateResult {
  readonly message: string;
  readonly output: string;
  readonly milliseconds: number;
  readonly figures: Figures | null;
}
