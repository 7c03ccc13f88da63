import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { READY_WORKFLOWS } from "../../src/workflow/ready/ready-workflows.ts";
import { diagnose, unmark } from "./marked-text.ts";

const GATES = {
  none: "",
  tests: "gates: { unit: { command: [npm, test], reports: [reports/junit.xml] } }\n",
  coverage: "gates: { unit: { command: [npm, test], reports: [coverage/lcov.info] } }\n",
};

interface Parts {
  readonly done?: string;
  readonly failed?: string;
  readonly more?: string;
  readonly gates?: keyof typeof GATES;
  readonly lead?: string;
}

function workflow({ done = "end", failed = "person", more = "", gates = "none", lead = "tester" }: Parts): string {
  const named = gates === "none" ? "" : "    gates: [unit]\n";
  const builder = `  builder:\n    run: { process: [build] }\n    dialect: pipeline-json\n    routes: { done: ${lead} }\n`;
  const tester = `  tester:\n    run: { process: [check] }\n    dialect: pipeline-json\n${named}${more}    routes: { done: ${done}, failed: ${failed} }\n`;
  return `baton: 1\nname: sample\nstart: builder\n${GATES[gates]}agents:\n${builder}${tester}`;
}

function when(condition: string): string {
  return `[{ when: «"${condition}"», loop: builder }, end]`;
}

describe("what can never happen is told", () => {
  it.each([
    "coverage > 100 and coverage < 50",
    "coverage > 100",
    "failure == 'FLAKY'",
    "not (coverage <= 100)",
    "open.blocking < 0",
    "iteration < 1",
    "score > 5 and score <= 5",
    "(coverage > 90 or score > 9) and (coverage < 10 and score < 1)",
    "metrics.a == 3 and metrics.a == 4",
    "metrics.a in [1, 2] and metrics.a > 2",
    "phase == 'a' and phase == 'b'",
    "loop.required and not loop.required",
    "outcome == 'failed'",
    "outcome in ['failed', 'blocked'] or coverage < 0",
  ])("the condition %s", (condition) => {
    const { text, spans } = unmark(workflow({ done: when(condition) }));
    const told = diagnose(text);
    expect(told.found).toEqual([`unreachable ${spans[0]}`]);
    expect(told.words).toContain("can never hold");
  });

  it.each([
    "coverage >= 100",
    "coverage > 50 and coverage < 100",
    "coverage < 50 or coverage > 90",
    "not (coverage > 100)",
    "score > 5 and score <= 6",
    "metrics.a == 3 or metrics.a == 4",
    "metrics.a != 3 and metrics.a != 4",
    "metrics.a == 'x' and metrics.b == 'y'",
    "outcome == 'done' or outcome == 'skipped'",
    "iteration < 2",
    "metrics.a < metrics.b and metrics.b < metrics.a",
    "outcome != 'failed'",
  ])("but not the condition %s", (condition) => {
    expect(diagnose(unmark(workflow({ done: when(condition) })).text).found).toEqual([]);
  });

  it.each([
    ["measured.coverage < 80", "none", 1],
    ["measured.coverage < 80", "tests", 1],
    ["measured.coverage < 80", "coverage", 0],
    ["measured.failed > 0", "none", 1],
    ["measured.failed > 0", "coverage", 1],
    ["measured.failed > 0", "tests", 0],
    ["coverage < 80", "none", 0],
  ] as const)("a figure that no gate measures: %s with a report of %s", (condition, gates, findings) => {
    const { text, spans } = unmark(workflow({ done: when(condition), gates }));
    const told = diagnose(text);
    expect(told.found).toEqual(findings === 0 ? [] : [`inconsistent ${spans[0]}`]);
    if (findings > 0) expect(told.words).toContain("Nothing measures");
  });

  it("a gate that can never be passed, or asks for what it does not measure", () => {
    const gate = (require: string): string =>
      unmark(workflow({ more: "    gates: [sure]\n" })).text.replace(
        "agents:\n",
        `gates: { sure: { require: "${require}" } }\nagents:\n`,
      );
    expect(diagnose(gate("claims.refuted < 0")).words).toContain("the gate `sure` can never be passed");
    expect(diagnose(gate("measured.branches > 50")).words).toContain("Nothing measures `measured.branches`");
    expect(diagnose(gate("claims.refuted == 0")).found).toEqual([]);
  });

  it.each([
    ["{ route_to: «builder» }", "`retry` is 0"],
    ["{ retry: 0, route_to: «builder», escalate_after: 2 }", "`retry` is 0"],
    ["{ retry: 3, route_to: builder, escalate_after: «2» }", "Failure 2 already goes back"],
    ["{ retry: 1, escalate_after: «1» }", "Failure 1 already goes back"],
  ])("a failure policy that contradicts itself: %s", (policy, words) => {
    const { text, spans } = unmark(workflow({ more: `    on_failure: ${policy}\n` }));
    const told = diagnose(text);
    expect(told.found).toEqual([`inconsistent ${spans[0]}`]);
    expect(told.words).toContain(words);
  });

  it.each(["{ retry: 2, route_to: builder, escalate_after: 3 }", "{ escalate_after: 1 }", "{ retry: 1 }"])(
    "but not one that does not: %s",
    (policy) => {
      expect(diagnose(workflow({ more: `    on_failure: ${policy}\n` })).found).toEqual([]);
    },
  );

  it.each(["fail", "person", "{ retry: 2, then: person }", "{ loop: builder }"])(
    "a done route that can only be a dead end: %s",
    (done) => {
      const told = diagnose(workflow({ done, failed: "end" }));
      expect(told.found.map((line) => line.split(" ")[0])).toEqual(["no-way-out"]);
      expect(told.words).toContain("is done, the work can only stop");
    },
  );

  it("two spellings of one name", () => {
    const text = workflow({ lead: "Builder" }).replaceAll("tester", "Builder");
    const told = diagnose(text);
    expect(told.found.map((line) => line.split(" ")[0])).toEqual(["inconsistent"]);
    expect(told.words).toContain("`Builder` and `builder` are two spellings of one name");
  });

  it("but not one of which a condition leads to the end", () => {
    expect(diagnose(workflow({ done: '[{ when: "score > 5", to: end }, person]', failed: "end" })).found).toEqual([]);
  });
});

describe("nothing is told", () => {
  it.each(Object.keys(READY_WORKFLOWS))("of the ready workflow %s", (name) => {
    expect(diagnose(READY_WORKFLOWS[name as keyof typeof READY_WORKFLOWS].text).words).toBe("");
  });

  const examples = new URL("../../examples/", import.meta.url);
  const files = readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(new URL(`${name}/`, examples))
        .filter((file) => file.endsWith(".yaml"))
        .map((file) => `${name}/${file}`),
    )
    .filter((file) => readFileSync(new URL(file, examples), "utf8").includes("baton: 1"));

  it.each(files)("of the example %s", (file) => {
    expect(diagnose(readFileSync(new URL(file, examples), "utf8")).words).toBe("");
  });
});
