import type { FactKind, FactStanding, FactStatus, Freshness } from "../../../src/api/answers.ts";
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
const STATUS_WORDS: Readonly<Record<FactStatus, string>> = {
  trusted: "trusted, now or once",
  quarantined: "quarantined",
  retired: "retired",
};

export const KINDS: readonly string[] = Object.keys(KIND_WORDS);
export const STATUSES = Object.entries(STATUS_WORDS).map(([value, label]) => ({ value, label }));

interface StandingLook extends Look {
  /** Whether agents are given it, and why not. */
  readonly about: string;
}

/** One word on each fact. A fact that was trusted once counts for little when its source is gone. */
export const STANDING_LOOKS: Readonly<Record<FactStanding, StandingLook>> = {
  trusted: { meaning: "good", icon: "check", word: "Trusted", about: "It may be given to agents whose work is near." },
  changed: {
    meaning: "warning",
    icon: "warning",
    word: "Changed since",
    about: "It was trusted; agents are not given it while what it cites reads otherwise.",
  },
  gone: {
    meaning: "bad",
    icon: "cross",
    word: "Source gone",
    about: "It was trusted; agents are not given it while the file that it cites is not there.",
  },
  contradicted: {
    meaning: "warning",
    icon: "warning",
    word: "Contradicted",
    about: "Something else says the opposite: agents are given neither until one of them is retired.",
  },
  quarantined: {
    meaning: "warning",
    icon: "hourglass",
    word: "Quarantined",
    about: "Nothing of its handoff was proven: agents are not given it until a person promotes it.",
  },
  retired: { meaning: "plain", icon: "stop", word: "Retired", about: "A person retired it: no agent is given it." },
};

/** What became of the place that it cites. */
export function placeNote(freshness: Freshness): string {
  switch (freshness.is) {
    case "unchanged":
      return "stands as cited";
    case "moved":
      return `moved to ${freshness.path}:${freshness.first}`;
    case "changed":
      return "reads otherwise now";
    case "gone":
      return "no longer there";
  }
}
