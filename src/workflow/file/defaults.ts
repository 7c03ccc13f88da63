import type { Outcome } from "../../protocol/handoff-words.ts";
import type { Action, LoopPolicy, Route } from "../definition.ts";

/** Defaults of the workflow file. The schema, the reader and docs/spec/workflow.md state the same values. */

export const DEFAULT_LOOP: LoopPolicy = {
  limit: 3,
  blocking: ["critical", "high"],
  stuck: "person",
  capped: "person",
};

/** In the notation of a workflow file. */
export const DEFAULTS = {
  mode: "semi",
  parallel: 1,
  workspace: "in-place",
  steps: 100,
  asks: { timeout: "24h", silence: "remind", where: "anywhere" },
  gate: {
    timeout: "10m",
    times: 1,
    definitions: "work",
    retry: 2,
    place: "copy",
    bring: ["node_modules"],
    memory: "4GB",
    processes: 512,
    disk: "2GB",
  },
  unknown: "person",
  commands: "never",
  context: { tokens: 4000, complexity: "normal" },
  agent: { timeout: "30m", output: "16MB", repairs: 2, retry: { most: 3, delay: "1s" } },
  priority: "medium",
  schedule: { timezone: "UTC", overlap: "skip", missed: "skip" },
  retryUnfinished: 3,
  forge: { api: "https://api.github.com", token: "GITHUB_TOKEN" },
} as const;

export const PERSON: Action = { kind: "person" };

const UNFINISHED: readonly Route[] = [
  { when: null, action: { kind: "retry", most: DEFAULTS.retryUnfinished, then: PERSON } },
];
const ASK: readonly Route[] = [{ when: null, action: PERSON }];

/** Outcomes that take the route of `done` unless they have their own. */
export const LIKE_DONE: readonly Outcome[] = ["done-with-warnings", "needs-review", "skipped"];

/** Without `blocked`, which is routed by the table of reasons. */
export const DEFAULT_ROUTES: Readonly<Partial<Record<Outcome, readonly Route[]>>> = {
  "needs-fixes": ASK,
  failed: ASK,
  "in-progress": UNFINISHED,
  pending: UNFINISHED,
};

/** Reasons that only a person can resolve, whatever the default of the table is. */
export const REASONS_FOR_A_PERSON = ["missing_requirements", "out_of_scope", "unknown"] as const;
