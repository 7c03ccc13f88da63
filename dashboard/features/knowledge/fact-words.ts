import type { FactKind, FactStatus } from "../../../src/knowledge/fact.ts";
import type { Freshness } from "../../../src/knowledge/freshness.ts";
import type { Look } from "../../components/badge.tsx";

/** Complete by their types: a new kind has to be named here. */
const KIND_WORDS: Readonly<Record<FactKind, true>> = {
  pattern: true,
  gotcha: true,
  decision: true,
  limitation: true,
  assumption: true,
  question: true,
  blocker: true,
  issue: true,
  "next-step": true,
};
const STATUS_WORDS: Readonly<Record<FactStatus, true>> = { trusted: true, quarantined: true, retired: true };

export const KINDS: readonly string[] = Object.keys(KIND_WORDS);
export const STATUSES: readonly string[] = Object.keys(STATUS_WORDS);

/** Whether what it cites still stands; null when it cites nothing. */
export function freshnessLook(freshness: Freshness | null): Look | null {
  if (freshness === null) return null;
  switch (freshness.is) {
    case "unchanged":
      return { meaning: "good", icon: "check", word: "Stands as cited" };
    case "moved":
      return { meaning: "active", icon: "arrow", word: `Moved to ${freshness.path}:${freshness.first}` };
    case "changed":
      return { meaning: "warning", icon: "warning", word: "Changed since" };
    case "gone":
      return { meaning: "bad", icon: "cross", word: "Gone" };
  }
}
