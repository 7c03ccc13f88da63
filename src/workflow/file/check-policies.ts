import type { AgentDefinition, Workflow } from "../definition.ts";
import type { Problems } from "./problems.ts";

/** What is allowed but does not do what it seems to. */
export function checkPolicies(workflow: Workflow, problems: Problems): void {
  checkBudget(workflow, problems);
  checkAsks(workflow, problems);
}

function checkBudget({ agents, budget }: Workflow, problems: Problems): void {
  for (const kind of ["tokens", "money"] as const) {
    if (budget[kind] === null) continue;
    const unsure = Object.values(agents).filter((agent) => agent.runner.kind !== "human" && agent.cost[kind] === null);
    if (unsure.length > 0)
      problems.add({
        code: "unsure-budget",
        severity: "warning",
        path: ["budget", kind],
        message: `The budget of ${kind} cannot be promised: nobody knows what an attempt of ${listed(unsure)} costs at most.`,
        hint: `Give each of them \`cost: { ${kind}: ... }\`.`,
      });
  }
}

function listed(agents: readonly AgentDefinition[]): string {
  const names = agents.slice(0, 5).map((agent) => agent.name);
  return agents.length > names.length
    ? `${names.join(", ")} and ${agents.length - names.length} more`
    : names.join(", ");
}

function checkAsks({ asks }: Workflow, problems: Problems): void {
  if (asks.timeout !== null) return;
  problems.add({
    code: "waits-for-ever",
    severity: "warning",
    path: ["asks", "timeout"],
    message: `Without a timeout a question to a person waits for ever${asks.silence === "remind" ? "" : ` and never ends in \`${asks.silence}\``}.`,
    hint: "Write a duration, for example 24h.",
  });
}
