import type { JsonRecord } from "../../../shared/json-value.ts";

export const example: JsonRecord = {
  from_agent: "BackendBuilder",
  to_agent: "TestAgent",
  timestamp: "2026-03-09T14:05:00.000Z",
  status: "PASS",
  iteration: 1,
  loop_required: false,
  loop_target: null,
  loop_reason: null,
  artifacts: [{ type: "source_file", path: "src/cart/total.ts", purpose: "Adds up the cart", priority: "critical" }],
  context: {
    design_decisions: ["Amounts are integers of the smallest unit, so that sums are exact"],
    known_limitations: ["Discounts are not handled yet"],
    assumptions: ["One currency per cart"],
  },
  test_requirements: {
    coverage: 90,
    critical_paths: ["Sum of several lines"],
    edge_cases_to_test: ["Empty cart", "A quantity of zero"],
  },
  issues: [
    {
      id: "CART-1",
      severity: "medium",
      category: "bug",
      location: "src/cart/total.ts:42",
      description: "A negative quantity is accepted",
      remediation: "Refuse it when the line is added",
      status: "fixed",
    },
  ],
  metrics: { execution_time: "6m 10s", lines_of_code: 120, test_coverage: 0, quality_score: 8.5 },
  validation: {
    command: "npm run lint && npm test",
    expected_result: "No lint errors, all tests pass",
    checklist: ["Totals are exact", "No debug output is left"],
  },
};
