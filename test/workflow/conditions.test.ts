import { expect, it } from "vitest";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { parseCondition } from "../../src/workflow/parse-condition.ts";
import { HandDrivenRun, always, buildAgent, buildWorkflow, type ListedIssue } from "./build-workflow.ts";

/** Whether a condition holds where a route asks it. */
function holds(text: string, handoff: Partial<Handoff>): boolean {
  const { condition } = parseCondition(text);
  if (condition === null) throw new Error(text);
  const routes = { done: [{ when: condition, action: { kind: "end" } as const }, ...always({ kind: "fail" })] };
  return new HandDrivenRun(buildWorkflow([buildAgent("One", { routes })])).handIn(handoff).state.status === "completed";
}

/** Words are compared without regard to case, also those that no dialect lets through. */
const issues = [
  { id: "A", severity: "critical", description: "a", status: "open" },
  { id: "B", severity: "Important", description: "b", status: "open" },
  { id: "C", severity: "low", description: "c", status: "open" },
  { id: "D", severity: "critical", description: "d", status: "fixed" },
] as ListedIssue[];

it.each<[string, Partial<Handoff>]>([
  ['outcome == "done" and iteration == 1 and retries == 0', {}],
  ['status == "PASS" and phase == "testing"', { status: "PASS", phase: "testing" }],
  ["metrics.bundle_kb <= 200 and metrics.fast == true", { metrics: { bundle_kb: 180, fast: true } }],
  ['metrics.grade == "A"', { metrics: { grade: "A" } }],
  ["loop.required == false and loop.target == null and loop.reason == null", {}],
  ["loop.required and loop.target == null", { routing: { loop: { required: true } } }],
  ["open.critical == 1 and open.high == 1 and open.low == 1 and open.medium == 0", { findings: { issues } }],
  ["open.total == 3 and open.blocking == 2", { findings: { issues } }],
  ["coverage == 96.5", { metrics: { coverage: " 96.5 %" } }],
  ["coverage == 91", { metrics: { coverage: { lines: 91, branches: 80 } } }],
  ["coverage == 88", { metrics: { test_coverage: null }, checks: { results: { coverage: "88%" } } }],
  ["score >= 8", { metrics: { quality_score: 8 } }],
  ['review.status == "approved"', { findings: { review: { review_status: "approved" } } }],
])("a condition may ask: %s", (text, handoff) => {
  expect(holds(text, handoff)).toBe(true);
  expect(holds(`not (${text})`, handoff)).toBe(false);
});

it.each<[string, Partial<Handoff>]>([
  ["metrics.bundle_kb > 0", {}],
  ["metrics.constructor != 1", { metrics: {} }],
  ["metrics.files != 1", { metrics: { files: ["a"] } }],
  ["coverage > 0", { metrics: { coverage: "almost 90%" } }],
  ['status != "PASS"', {}],
])("what is not known decides nothing, neither way: %s", (text, handoff) => {
  expect(holds(text, handoff)).toBe(false);
  expect(holds(`not (${text})`, handoff)).toBe(false);
});
