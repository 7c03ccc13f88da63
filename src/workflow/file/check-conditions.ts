import { OUTCOMES, type Outcome } from "../../protocol/handoff-words.ts";
import { type JsonPath, ownValue } from "../../shared/json-value.ts";
import type { Condition, Operand } from "../../shared/condition.ts";
import type { AgentDefinition, GateDefinition, Workflow } from "../definition.ts";
import { neverHolds } from "../never-holds.ts";
import type { Problems } from "../../protocol/file-problems.ts";

/** Conditions that can never hold, and figures that nothing measures. */
export function checkConditions(workflow: Workflow, problems: Problems): void {
  for (const agent of Object.values(workflow.agents)) checkRoutes(agent, workflow, problems);
  for (const gate of Object.values(workflow.gates)) {
    if (gate.require === null) continue;
    const path: JsonPath = ["gates", gate.name, "require"];
    const never = neverHolds(gate.require.condition);
    if (never !== null) tellNever(never, path, `the gate \`${gate.name}\` can never be passed`, problems);
    checkFigures(gate.require.condition, gatesBefore(gate, workflow), path, problems);
  }
}

function checkRoutes(agent: AgentDefinition, workflow: Workflow, problems: Problems): void {
  const gates = agent.gates.flatMap((name) => ownValue(workflow.gates, name) ?? []);
  for (const outcome of OUTCOMES) {
    const routes = agent.routes[outcome] ?? [];
    if (outcome !== "done" && routes === agent.routes.done) continue;
    for (const [index, { when }] of routes.entries()) {
      if (when === null) continue;
      const path: JsonPath = ["agents", agent.name, "routes", outcome, index, "when"];
      const never = neverHolds(when, { outcome: { words: outcomesWith(agent, outcome) } });
      if (never !== null) tellNever(never, path, "this route is never taken", problems);
      checkFigures(when, gates, path, problems);
    }
  }
}

/** Outcomes that share the routes of `done`, and that one itself. */
function outcomesWith({ routes }: AgentDefinition, outcome: Outcome): readonly string[] {
  return OUTCOMES.filter((other) => other === outcome || routes[other] === routes[outcome]);
}

function tellNever(name: string, path: JsonPath, so: string, problems: Problems): void {
  problems.add({
    code: "unreachable",
    path,
    message: `This condition can never hold: no value of \`${name}\` fits all of it, so ${so}.`,
    hint: "Join the parts with `or` if one of them is enough, or correct the values.",
  });
}

/** Gates whose figures a gate can ask for: its own, and those that run before it. */
function gatesBefore(gate: GateDefinition, { agents, gates }: Workflow): readonly GateDefinition[] {
  const before = Object.values(agents).flatMap((agent) => {
    const place = agent.gates.indexOf(gate.name);
    return place === -1 ? [] : agent.gates.slice(0, place).flatMap((name) => ownValue(gates, name) ?? []);
  });
  return [gate, ...before];
}

function checkFigures(
  condition: Condition,
  gates: readonly GateDefinition[],
  path: JsonPath,
  problems: Problems,
): void {
  const reports = gates.flatMap((gate) => gate.reports);
  for (const name of new Set(namesIn(condition))) {
    const shows = FIGURES[name];
    if (shows === undefined || reports.some((report) => mayShow(report, shows))) continue;
    const [what, example] = shows === "coverage" ? ["coverage", "coverage/lcov.info"] : ["tests", "reports/junit.xml"];
    problems.add({
      code: "inconsistent",
      severity: "warning",
      path,
      message: `Nothing measures \`${name}\`: no gate that runs before has a report of ${what}.`,
      hint: `Give the gate that runs them \`reports: [${example}]\`.`,
    });
  }
}

type Measured = "coverage" | "tests";

const FIGURES: Readonly<Record<string, Measured | undefined>> = {
  "measured.coverage": "coverage",
  "measured.branches": "coverage",
  "measured.functions": "coverage",
  "measured.statements": "coverage",
  "measured.passed": "tests",
  "measured.failed": "tests",
};

/** Only a name that says that it is the other kind of report rules it out. */
function mayShow(report: string, what: Measured): boolean {
  const isCoverage = /cov|clover|istanbul/i.test(report);
  const isOfTests = /junit|\btests?\b|test-results|\btap\b/i.test(report);
  if (isCoverage === isOfTests) return true;
  return what === "coverage" ? isCoverage : isOfTests;
}

function* namesIn(condition: Condition): Iterable<string> {
  switch (condition.kind) {
    case "and":
    case "or":
      yield* namesIn(condition.left);
      yield* namesIn(condition.right);
      return;
    case "not":
      yield* namesIn(condition.of);
      return;
    case "in":
      yield* nameIn(condition.left);
      return;
    case "value":
      yield* nameIn(condition.of);
      return;
    case "compare":
      yield* nameIn(condition.left);
      yield* nameIn(condition.right);
  }
}

function* nameIn(operand: Operand): Iterable<string> {
  if (operand.kind === "name") yield operand.name;
}
