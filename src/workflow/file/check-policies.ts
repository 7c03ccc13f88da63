import type { AgentDefinition, Workflow } from "../definition.ts";
import type { Problems } from "./problems.ts";

/** What is allowed but does not do what it seems to. */
export function checkPolicies(workflow: Workflow, problems: Problems): void {
  checkBudget(workflow, problems);
  checkSteps(workflow, problems);
  checkAsks(workflow, problems);
  checkBuiltins(workflow, problems);
  checkFiles(workflow, problems);
}

/** Nobody can tell who wrote a file that several tasks write at once: one would be taken for another's. */
function checkFiles({ agents, parallel }: Workflow, problems: Problems): void {
  if (parallel === 1) return;
  for (const { name, file } of Object.values(agents)) {
    if (file === null || file.includes(TASK_IN_FILE)) continue;
    problems.add({
      code: "inconsistent",
      path: ["agents", name, "file"],
      message: `Tasks that are worked on at once would take each other's handoff: \`file\` is the same for all of them.`,
      hint: `Put \`${TASK_IN_FILE}\` into its name, for example \`handoffs/${TASK_IN_FILE}/${name}\`, or write \`parallel: 1\`.`,
    });
  }
}

const TASK_IN_FILE = "{task}";

function checkBuiltins({ agents, forge }: Workflow, problems: Problems): void {
  for (const { name, runner, dialect } of Object.values(agents)) {
    if (runner.kind !== "builtin") continue;
    if (forge === null)
      problems.add({
        code: "inconsistent",
        path: ["agents", name, "run", "builtin"],
        message: `\`${runner.name}\` works with issues and pull requests, but the workflow names no \`forge\`.`,
        hint: "Add `forge: { local: ../forge }` or `forge: { github: owner/name }`.",
      });
    if (dialect !== "issue-xml")
      problems.add({
        code: "inconsistent",
        path: ["agents", name, "dialect"],
        message: `\`${runner.name}\` hands over in issue-xml only.`,
        hint: "Write `dialect: issue-xml`.",
      });
  }
}

/** They cost neither tokens nor money. */
const FREE: ReadonlySet<string> = new Set(["human", "builtin"]);

function checkBudget({ agents, budget }: Workflow, problems: Problems): void {
  for (const kind of ["tokens", "money"] as const) {
    if (budget[kind] === null) continue;
    const unsure = Object.values(agents).filter((agent) => !FREE.has(agent.runner.kind) && agent.cost[kind] === null);
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

/** Every task takes a step at the least: the run could not but fail. */
function checkSteps({ tasks, budget }: Workflow, problems: Problems): void {
  if (tasks.length <= budget.steps) return;
  problems.add({
    code: "inconsistent",
    path: ["tasks"],
    atKey: true,
    message: `${tasks.length} tasks take at least as many steps, and \`budget.steps\` allows ${budget.steps}.`,
    hint: "Raise it, so that there is room for retries, too.",
  });
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
