import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { decide } from "../../workflow/decide.ts";
import type { Budget, Workflow } from "../../workflow/definition.ts";
import { budgetOf } from "../../workflow/rules/budget.ts";
import type { RunState } from "../../workflow/state.ts";
import { readInbox } from "../read-log.ts";
import { readRun } from "../read-run.ts";

export { parseDuration } from "../../workflow/file/words.ts";

/** A run as it will be once it has taken in the limits that were raised and wait in its inbox. */
export async function readRaised(
  ports: Ports,
  row: RunRow,
): Promise<{ readonly workflow: Workflow; readonly state: RunState }> {
  const { workflow, state } = await readRun(ports, row);
  const messages = await readInbox(ports.log, row.run);
  const at = ports.clock.now();
  const raised = messages.reduce(
    (now, { message }) => (message.kind === "raise-budget" ? decide(workflow, now, { ...message, at }).state : now),
    state,
  );
  return { workflow, state: raised };
}

/** Null where there is no limit. */
export type BudgetLimits = Readonly<Record<keyof Budget, number | null>>;

interface RunBudget {
  readonly limits: BudgetLimits;
  readonly used: Readonly<Record<keyof Budget, number>>;
}

/** What a run may use, as it was raised last, and what it has used. */
export async function readBudget(ports: Ports, row: RunRow): Promise<RunBudget> {
  const { workflow, state } = await readRaised(ports, row);
  const { spent, steps, startedAt, endedAt } = state;
  return {
    limits: budgetOf(workflow, state),
    used: {
      steps,
      tokens: spent.tokens,
      money: spent.money,
      agent: spent.agent,
      wall: (endedAt ?? ports.clock.now()) - startedAt,
    },
  };
}
