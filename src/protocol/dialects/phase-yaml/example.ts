import type { JsonRecord } from "../../../shared/json-value.ts";

export const example: JsonRecord = {
  handoff: {
    phase: "Testing",
    from: "@checkout-tester",
    to: "@checkout-lead",
    status: "complete",
    retry_count: 1,
    metrics: { tests_total: 31, tests_passed: 31, coverage: "94%", execution_time: "1m 12s" },
    dependencies: ["task-4", "task-7.2"],
    on_failure: {
      retry: 2,
      route_to: "@checkout-builder",
      notify: "@checkout-lead",
      escalate_after: 3,
      context: "Start with the cart totals",
    },
    timestamp: "2026-03-09T14:05:00Z",
    context: { browser: "headless", flaky_tests: 0 },
  },
};
