import type { NewRunOptions } from "../../ports/driver.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { lastHandedOver } from "../../workflow/rules/expectations.ts";
import { routesFor } from "../../workflow/rules/take-route.ts";
import { readRun } from "../read-run.ts";
import { findRun } from "./send-input.ts";

type Beginning = Pick<NewRunOptions, "brief" | "tasks" | "continues">;

/**
 * Where a run begins that continues another one, such as a session that was watched: with what that was about, with its
 * last handoff, and at the agent to which the workflow sends the work after it.
 */
export async function continueRun(ports: Pick<Ports, "log">, workflow: Workflow, name: string): Promise<Beginning> {
  const row = await findRun(ports, name);
  const { state, events } = await readRun(ports, row);
  const last = lastHandedOver(state);
  const accepted = events.findLast(
    ({ event }) => event.kind === "handoff-accepted" && event.delivery.handoff === last?.handoff,
  )?.event;
  if (last === null || accepted?.kind !== "handoff-accepted") {
    const hint = "Start without --from, and say what is to be done with --brief.";
    throw new AppError("no-match", `Run ${row.run} has accepted no handoff to begin with.`, hint);
  }
  const { agent, delivery } = accepted;
  const start = agentAfter(workflow, agent, delivery.handoff.outcome);
  const main = { id: "main", name: "main", priority: "medium", dependsOn: [], start, brief: "" } as const;
  return { brief: state.brief, tasks: [main], continues: { run: row.run, agent, delivery } };
}

/** Null for the start of the workflow: where it has no such agent, or its route is decided by what is not known here. */
function agentAfter(workflow: Workflow, name: string, outcome: Parameters<typeof routesFor>[1]): string | null {
  const agent = ownValue(workflow.agents, name);
  const [route] = agent === undefined ? [] : routesFor(agent, outcome);
  return route?.when === null && (route.action.kind === "go" || route.action.kind === "loop") ? route.action.to : null;
}
