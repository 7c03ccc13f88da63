import { agentName, fileLine, relativePath, timestamp } from "../../format.ts";
import { type Infer, field, shape } from "../../shape.ts";

const SEVERITIES = ["critical", "high", "medium", "low"] as const;
const texts = shape.list(shape.text());

const artifact = shape.record({
  type: field.required(shape.oneOf(["source_file", "test_file", "documentation", "config_file", "report"]), {
    rule: "000-R15",
    about: "What the file is: source_file, test_file, documentation, config_file or report.",
  }),
  path: field.required(shape.formatted(relativePath), {
    rule: "000-R16",
    about: "Path from the project root; a glob is allowed.",
  }),
  purpose: field.required(shape.text(), { rule: "000-R17", about: "What the file is for, in a few words." }),
  priority: field.required(shape.oneOf(SEVERITIES), {
    rule: "000-R18",
    about: "How thoroughly it must be tested: critical, high, medium or low.",
    alsoCalled: ["test_priority"],
  }),
});

const issue = shape.record({
  id: field.required(shape.filledText(), {
    rule: "000-R23",
    about: "A name for the issue, unique in the run; later handoffs resolve it by this name.",
  }),
  severity: field.required(shape.oneOf(SEVERITIES), { rule: "000-R24", about: "critical, high, medium or low." }),
  category: field.required(shape.oneOf(["bug", "security", "performance", "quality"]), {
    rule: "000-R25",
    about: "bug, security, performance or quality.",
  }),
  location: field.required(shape.formatted(fileLine), { rule: "000-R26", about: "Where it is, as file:line." }),
  description: field.required(shape.text(), { rule: "000-R27", about: "What is wrong." }),
  remediation: field.required(shape.text(), { rule: "000-R27", about: "How to fix it." }),
  status: field.required(shape.oneOf(["open", "fixed", "wontfix"]), {
    rule: "000-R28",
    about: "open, fixed or wontfix.",
  }),
  requires_code_change: field.optional(shape.boolean(), {
    rule: "000-R29",
    about: "Whether the code under test must change.",
  }),
  test_that_failed: field.optional(shape.text(), {
    rule: "000-R29",
    about: "The test that shows the issue, as file:line.",
  }),
  expected_behavior: field.optional(shape.text(), { rule: "000-R29", about: "What should happen instead." }),
});

const metrics = shape.openRecord({
  execution_time: field.optional(shape.text(), {
    rule: "000-R30",
    about: "How long the agent worked, such as 5m 12s.",
  }),
  lines_of_code: field.optional(shape.integer(0), { rule: "000-R30", about: "Lines of code written." }),
  test_coverage: field.optional(shape.number({ minimum: 0, maximum: 100 }), {
    rule: "000-R30",
    about: "Percent of lines covered.",
  }),
  quality_score: field.optional(shape.number({ minimum: 0, maximum: 10 }), { rule: "000-R30", about: "From 0 to 10." }),
});

export const pipelineShape = shape.record({
  from_agent: field.required(shape.formatted(agentName), {
    rule: "000-R04",
    about: "The agent that writes this handoff; the same name as in the file name.",
  }),
  to_agent: field.required(shape.formatted(agentName), {
    rule: "000-R05",
    about: "The next agent, or COMPLETE when this was the last one.",
  }),
  timestamp: field.required(shape.formatted(timestamp), {
    rule: "000-R06",
    about: "When it was written, as new Date().toISOString() gives it.",
  }),
  status: field.required(
    shape.outcome(["PASS", "PASS_WITH_WARNINGS", "PASS_WITH_FIXES", "FAIL"], { done: "PASS", failed: "FAIL" }),
    {
      rule: "000-R07",
      about: "PASS, PASS_WITH_WARNINGS (nothing blocks), PASS_WITH_FIXES (fix first) or FAIL.",
    },
  ),
  iteration: field.optional(shape.integer(1), {
    rule: "000-R08",
    about: "Round of the run: 1 at first, one more after each loop back.",
    default: 1,
  }),
  loop_required: field.optional(shape.boolean(), {
    rule: "000-R09",
    about: "true when an earlier agent must work again.",
    default: false,
  }),
  loop_target: field.optional(shape.nullable(shape.formatted(agentName)), {
    rule: "000-R10",
    about: "The agent to go back to; null when no loop is asked for.",
  }),
  loop_reason: field.optional(shape.nullable(shape.filledText()), {
    rule: "000-R11",
    about: "Why, such as BUGS_FOUND_IN_TESTS; null when no loop is asked for.",
  }),
  artifacts: field.required(shape.list(artifact), { rule: "000-R14", about: "The files this agent created." }),
  context: field.required(
    shape.record({
      design_decisions: field.optional(texts, { rule: "000-R20", about: "Decisions and why they were taken." }),
      known_limitations: field.optional(texts, { rule: "000-R20", about: "What could not be done now." }),
      assumptions: field.optional(texts, { rule: "000-R20", about: "What was taken for granted." }),
    }),
    { rule: "000-R19", about: "What the next agent must know." },
  ),
  test_requirements: field.optional(
    shape.record({
      coverage: field.required(shape.number({ minimum: 0, maximum: 100 }), {
        rule: "000-R21",
        about: "Percent of lines the tests must cover.",
      }),
      critical_paths: field.required(texts, { rule: "000-R21", about: "What must be tested." }),
      edge_cases_to_test: field.required(texts, { rule: "000-R21", about: "Edge cases to test." }),
    }),
    { rule: "000-R21", about: "What the tests must cover; expected from the builder to the tester." },
  ),
  issues: field.optional(shape.list(issue), { rule: "000-R22", about: "Problems found." }),
  metrics: field.optional(metrics, { rule: "000-R30", about: "Figures about the work; other keys are welcome." }),
  validation: field.required(
    shape.record({
      command: field.required(shape.text(), { rule: "000-R31", about: "The command that shows the work is done." }),
      expected_result: field.required(shape.text(), { rule: "000-R31", about: "What success looks like." }),
      checklist: field.required(texts, { rule: "000-R31", about: "Completion criteria." }),
    }),
    { rule: "000-R31", about: "How the next agent checks this work." },
  ),
  fixes_applied: field.optional(texts, {
    rule: "000-R32",
    about: "Fixes made in this round, each with the issue's id.",
  }),
  issues_resolved: field.optional(texts, { rule: "000-R32", about: "Ids of the issues that are now resolved." }),
  new_issues: field.optional(texts, { rule: "000-R32", about: "Problems the fixes brought." }),
});

export type PipelineDocument = Infer<typeof pipelineShape>;
