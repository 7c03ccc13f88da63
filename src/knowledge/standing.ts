import type { Fact } from "./fact.ts";
import type { Freshness } from "./freshness.ts";

export const STANDINGS = ["trusted", "changed", "gone", "contradicted", "quarantined", "retired"] as const;

/** What is to be thought of a fact now, in one word: `trusted` is passed on, any other says why it is not. */
export type Standing = (typeof STANDINGS)[number];

/** Stale memory is worse than none: whoever was trusted once is so only while what it cites still stands. */
export function standingOf({ status, opposes }: Pick<Fact, "status" | "opposes">, cited: Freshness | null): Standing {
  if (status !== "trusted") return status;
  if (opposes.length > 0) return "contradicted";
  return cited?.is === "changed" || cited?.is === "gone" ? cited.is : "trusted";
}
