import { type Infer, data } from "../protocol/shape.ts";
import type { LoopPolicy } from "../workflow/definition.ts";
import { isBlocking } from "../workflow/rules/issue-ledger.ts";
import type { LedgerIssue } from "../workflow/state.ts";
import type { TimedEvent } from "./event-line.ts";

export const roundShape = data.record({
  iteration: data.count(),
  at: data.count(),
  open: data.count(),
  open_blocking: data.count(),
  opened: data.count(),
  fixed: data.count(),
  reopened: data.count(),
});
/** The issue ledger at the end of each round, which shows whether the loop converges. */
export type Round = Infer<typeof roundShape>;

/** The last round is the current one. There is no round before the first step. */
export function roundsOf(events: readonly TimedEvent[], policy: LoopPolicy): Round[] {
  const rounds: Round[] = [];
  const open = new Map<string, LedgerIssue>();
  const known = new Map<string, LedgerIssue>();
  let counted = NOTHING;
  let iteration = 1;
  let last = 0;
  const close = (at: number): void => {
    const blocking = [...open.values()].filter((issue) => isBlocking(issue, policy)).length;
    rounds.push({ iteration, at, open: open.size, open_blocking: blocking, ...counted });
    counted = NOTHING;
  };
  for (const { at, event } of events) {
    last = at;
    if (event.kind === "issue-opened") {
      known.set(event.issue.id, event.issue);
      if (event.issue.status === "open") open.set(event.issue.id, event.issue);
      counted = { ...counted, opened: counted.opened + 1 };
    } else if (event.kind === "issue-changed") {
      const issue = known.get(event.id);
      const isOpen = event.status === "reopened";
      if (!isOpen) open.delete(event.id);
      else if (issue !== undefined) open.set(event.id, issue);
      const key = isOpen ? "reopened" : "fixed";
      counted = { ...counted, [key]: counted[key] + 1 };
    } else if (event.kind === "loop-began") {
      close(at);
      iteration = event.loop.iteration;
    }
  }
  if (events.some(({ event }) => event.kind === "step-started")) close(last);
  return rounds;
}

const NOTHING = { opened: 0, fixed: 0, reopened: 0 };
