import { OUTCOMES } from "../../src/protocol/handoff-words.ts";
import type { Action, AgentDefinition, Route, TaskDefinition, Workflow } from "../../src/workflow/definition.ts";
import { parseCondition } from "../../src/workflow/parse-condition.ts";
import { buildAgent, buildGate, buildWorkflow } from "../workflow/build-workflow.ts";
import type { Random } from "./random.ts";

/** Any workflow the reader could let through, and some it would not: the core must end them all. */
export function randomWorkflow(random: Random): Workflow {
  const names = Array.from({ length: 1 + random.below(5) }, (_, index) => `agent-${index}`);
  const gates = ["lint", "test"].slice(random.below(3));
  const agents = names.map((name) => randomAgent(random, name, names, gates));
  return buildWorkflow(agents, {
    mode: random.pick(["autonomous", "semi", "supervised"]),
    parallel: 1 + random.below(3),
    gates: Object.fromEntries(
      gates.map((name) => [
        name,
        buildGate(name, {
          times: 1 + random.below(2),
          failed: randomAction(random, names, 2),
          require: random.chance(0.2) ? CLEAN : null,
          command: random.chance(0.2) ? [] : ["true"],
        }),
      ]),
    ),
    budget: {
      wall: random.chance(0.5) ? 5_000 + random.below(500_000) : null,
      agent: random.chance(0.5) ? 1_000 + random.below(100_000) : null,
      tokens: random.chance(0.5) ? random.below(50_000) : null,
      money: random.chance(0.5) ? random.below(100) : null,
      steps: 1 + random.below(60),
    },
    asks: { timeout: random.chance(0.5) ? 1_000 : null, silence: random.pick(["remind", "reject", "fail"]) },
    commands: random.pick(["ask", "never"]),
    ...(random.chance(0.3) && { unknown: "continue" }),
    blocked: random.chance(0.5) ? { default: { default: randomAction(random, names, 1) } } : {},
    tasks: randomTasks(random, names),
  });
}

const CLEAN = {
  text: "claims.refuted == 0",
  condition: {
    kind: "compare",
    sign: "==",
    left: { kind: "name", name: "claims.refuted" },
    right: { kind: "literal", value: 0 },
  },
} as const;

function randomAgent(
  random: Random,
  name: string,
  names: readonly string[],
  gates: readonly string[],
): AgentDefinition {
  const routes: Partial<Record<(typeof OUTCOMES)[number], Route[]>> = {};
  for (const outcome of OUTCOMES)
    if (outcome === "done" || random.chance(0.6))
      routes[outcome] = [
        ...(random.chance(0.4) ? [conditionalRoute(random, names)] : []),
        { when: null, action: randomAction(random, names, 2) },
      ];
  return buildAgent(name, {
    routes,
    ...(random.chance(0.1) && { runner: { kind: "human" } }),
    retry: { most: random.below(4), delay: random.below(3_000) },
    repairs: random.below(3),
    timeout: 1 + random.below(20_000),
    gates: gates.filter(() => random.chance(0.3)),
    approve: random.pick([null, null, "before", "after"]),
    hub: random.chance(0.2),
    cost: { tokens: 1 + random.below(3_000), money: 1 + random.below(10) },
    loop: {
      limit: 1 + random.below(4),
      blocking: ["critical", "high"],
      stuck: random.pick(["person", "continue", "fail"]),
      capped: random.pick(["person", "continue", "fail"]),
    },
    onFailure: random.chance(0.3)
      ? {
          retry: random.below(4),
          routeTo: random.chance(0.5) ? random.pick(names) : null,
          notify: random.chance(0.5) ? random.pick(names) : null,
          escalateAfter: random.chance(0.5) ? random.below(4) : null,
          context: null,
          mayRouteTo: names.filter(() => random.chance(0.3)),
        }
      : null,
  });
}

/** The conditions that routes of the simulation have. `evaluate` of the check has an answer of its own for each. */
const CONDITIONS = ["coverage < 80", "open.blocking > 0", "iteration < 3", "metrics.speed > 5"] as const;
export type ConditionText = (typeof CONDITIONS)[number];

function conditionalRoute(random: Random, names: readonly string[]): Route {
  const { condition } = parseCondition(random.pick(CONDITIONS));
  if (condition === null) throw new Error("a condition of the simulation cannot be read");
  const action: Action = random.chance(0.5) ? { kind: "loop", to: random.pick(names) } : randomAction(random, names, 1);
  return { when: condition, action };
}

function randomAction(random: Random, names: readonly string[], depth: number): Action {
  const kind = random.pick([
    "go",
    "go",
    "go",
    "loop",
    "retry",
    "choose",
    "return",
    "end",
    "end",
    "person",
    "fail",
  ] as const);
  switch (kind) {
    case "go":
    case "loop":
      return { kind, to: random.pick(names) };
    case "retry":
      return {
        kind,
        most: random.below(3),
        then: depth === 0 ? { kind: "end" } : randomAction(random, names, depth - 1),
      };
    case "choose":
      return {
        kind,
        from: [...names, "end"],
        otherwise: depth === 0 ? { kind: "end" } : randomAction(random, names, depth - 1),
      };
    case "return":
    case "end":
    case "person":
    case "fail":
      return { kind };
  }
}

function randomTasks(random: Random, names: readonly string[]): TaskDefinition[] {
  const count = random.chance(0.5) ? 0 : 1 + random.below(5);
  const ids = Array.from({ length: count }, (_, index) => `task-${index}`);
  return ids.map((id, index) => ({
    id,
    name: id,
    priority: random.pick(["critical", "high", "medium", "low"]),
    // Mostly earlier tasks; now and then a circle.
    dependsOn: ids.filter((_, other) => (other < index || random.chance(0.02)) && random.chance(0.3)),
    start: random.chance(0.3) ? random.pick(names) : null,
    brief: "",
  }));
}
