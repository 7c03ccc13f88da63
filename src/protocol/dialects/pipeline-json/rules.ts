import { isRecord, shown } from "../../../shared/json-value.ts";
import type { Rule } from "../../dialect.ts";
import { changed as set, listOf, unchanged as whole, lacking } from "../rule-parts.ts";

const loop = {
  to_agent: "DesignAgent",
  status: "PASS_WITH_FIXES",
  loop_required: true,
  loop_target: "DesignAgent",
  loop_reason: "BUGS_FOUND_IN_TESTS",
};
const FILE_NAME = /(?:^|[/\\])handoff-(.+?)(?:-iteration-(\d+))?\.json$/;

export const rules: readonly Rule[] = [
  {
    id: "000-R01",
    kind: "T",
    severity: "warning",
    says: "The file is called `handoff-{Agent}.json`, or `handoff-{Agent}-iteration-{n}.json` after a loop, and stands in the project root.",
    hint: "Rename the file: handoff-{from_agent}.json.",
    check(document, report, origin) {
      if (origin.path === undefined || FILE_NAME.test(origin.path) || !/\.json$/i.test(origin.path)) return;
      report([], `The file is not called handoff-${shown(document["from_agent"] ?? "{Agent}")}.json.`, {
        code: "wrong-file-name",
      });
    },
    right: set({}, "handoff-BackendBuilder.json"),
    wrong: set({}, "result.json"),
  },
  {
    id: "000-R02",
    kind: "T",
    severity: "error",
    says: "The file is valid JSON.",
    right: whole,
    wrong: { text: '{ "from_agent": "BackendBuilder", status }' },
  },
  {
    id: "000-R03",
    kind: "I",
    severity: "error",
    says: "The top level is one object.",
    right: whole,
    wrong: {
      text: '[{ "from_agent": "BackendBuilder", "to_agent": "TestAgent" }]',
      path: "handoff-BackendBuilder.json",
    },
  },
  {
    id: "000-R04",
    kind: "Q",
    severity: "error",
    says: "`from_agent` names the agent that wrote the handoff, and the file carries the same name.",
    hint: "The agent signs with its own name, in the field and in the file name.",
    check(document, report, origin) {
      const named = origin.path === undefined ? undefined : FILE_NAME.exec(origin.path)?.[1];
      const from = document["from_agent"];
      if (named === undefined || typeof from !== "string" || from === named) return;
      report(["from_agent"], `\`from_agent\` is "${from}", but the file belongs to ${named}.`, {
        code: "inconsistent",
      });
    },
    right: set({}, "handoff-BackendBuilder.json"),
    wrong: set({}, "handoff-TestAgent.json"),
  },
  {
    id: "000-R05",
    kind: "Q",
    severity: "error",
    says: "`to_agent` names the next agent, or is COMPLETE.",
    right: set({ to_agent: "COMPLETE" }),
    wrong: set({ to_agent: undefined }),
  },
  {
    id: "000-R06",
    kind: "Q,F",
    severity: "error",
    says: "`timestamp` is ISO 8601.",
    right: set({ timestamp: "2026-03-09T14:05:00Z" }),
    wrong: set({ timestamp: "9 March 2026" }),
  },
  {
    id: "000-R07",
    kind: "Q,E",
    severity: "error",
    says: "`status` is PASS, PASS_WITH_WARNINGS, PASS_WITH_FIXES or FAIL, in capitals.",
    right: set({ status: "PASS_WITH_WARNINGS" }),
    wrong: set({ status: "passed" }),
  },
  {
    id: "000-R08",
    kind: "Q,F",
    severity: "error",
    says: "`iteration` is a whole number from 1; it grows by one with every loop back.",
    right: set({ iteration: 2 }),
    wrong: set({ iteration: 0 }),
  },
  {
    id: "000-R09",
    kind: "Q,F",
    severity: "error",
    says: "`loop_required` is true or false.",
    right: set({ loop_required: false }),
    wrong: set({ loop_required: "no" }),
  },
  {
    id: "000-R10",
    kind: "C",
    severity: "error",
    says: "`loop_target` is null when no loop is required.",
    hint: "Set loop_required to true, or loop_target to null.",
    check(document, report) {
      if (document["loop_required"] !== true && isGiven(document["loop_target"])) {
        report(["loop_target"], `\`loop_target\` names ${shown(document["loop_target"])}, but no loop is required.`, {
          code: "inconsistent",
        });
      }
    },
    schema: noLoop("loop_target"),
    right: set({ loop_target: null }),
    wrong: set({ loop_target: "BackendBuilder" }),
  },
  {
    id: "000-R11",
    kind: "C",
    severity: "error",
    says: "`loop_reason` is null when no loop is required.",
    hint: "Set loop_required to true, or loop_reason to null.",
    check(document, report) {
      if (document["loop_required"] !== true && isGiven(document["loop_reason"])) {
        report(["loop_reason"], "`loop_reason` is given, but no loop is required.", { code: "inconsistent" });
      }
    },
    schema: noLoop("loop_reason"),
    right: set({ loop_reason: null }),
    wrong: set({ loop_reason: "BUGS_FOUND_IN_TESTS" }),
  },
  {
    id: "000-R12",
    kind: "I",
    severity: "error",
    says: "A required loop names its target and its reason.",
    hint: "Say who must work again (loop_target) and why (loop_reason).",
    check(document, report) {
      if (document["loop_required"] !== true) return;
      for (const key of ["loop_target", "loop_reason"]) {
        if (document[key] === undefined || document[key] === null)
          report([key], `A loop is required, but \`${key}\` is not given.`, lacking([key]));
      }
    },
    schema: {
      if: { properties: { loop_required: { const: true } }, required: ["loop_required"] },
      then: {
        properties: { loop_target: { type: "string" }, loop_reason: { type: "string" } },
        required: ["loop_target", "loop_reason"],
      },
    },
    right: set(loop),
    wrong: set({ ...loop, loop_reason: null }),
  },
  {
    id: "000-R13",
    kind: "I",
    severity: "error",
    says: "A required loop goes to its target: `to_agent` equals `loop_target`, an earlier agent.",
    hint: "Write the same name in to_agent and loop_target.",
    check(document, report) {
      const target = document["loop_target"];
      if (document["loop_required"] !== true || !isGiven(target)) return;
      if (document["to_agent"] !== target)
        report(["to_agent"], `The loop goes back to ${target}, but \`to_agent\` says ${shown(document["to_agent"])}.`, {
          code: "inconsistent",
        });
      const isEnd = target === "COMPLETE";
      if (isEnd || document["from_agent"] === target)
        report(["loop_target"], isEnd ? "COMPLETE ends the run." : `${target} cannot loop back to itself.`, {
          code: "inconsistent",
          hint: "Name an earlier agent.",
        });
    },
    right: set(loop),
    wrong: set({ ...loop, to_agent: "CodeReviewer" }),
  },
  {
    id: "000-R14",
    kind: "Q",
    severity: "error",
    says: "`artifacts` lists the files this agent created.",
    right: set({ artifacts: [] }),
    wrong: set({ artifacts: undefined }),
  },
  {
    id: "000-R15",
    kind: "E",
    severity: "error",
    says: "An artifact's type is source_file, test_file, documentation, config_file or report.",
    right: set({ "artifacts.0.type": "report" }),
    wrong: set({ "artifacts.0.type": "specification" }),
  },
  {
    id: "000-R16",
    kind: "F",
    severity: "error",
    says: "An artifact's path is relative to the project root; globs are allowed.",
    right: set({ "artifacts.0.path": "tests/unit/*.test.ts" }),
    wrong: set({ "artifacts.0.path": "/etc/passwd" }),
  },
  {
    id: "000-R17",
    kind: "F",
    severity: "error",
    says: "An artifact's purpose is a short text.",
    right: set({ "artifacts.0.purpose": "Adds up the cart" }),
    wrong: set({ "artifacts.0.purpose": 7 }),
  },
  {
    id: "000-R18",
    kind: "E",
    severity: "error",
    says: "An artifact's priority is critical, high, medium or low.",
    right: set({ "artifacts.0.priority": "low" }),
    wrong: set({ "artifacts.0.priority": "urgent" }),
  },
  {
    id: "000-R19",
    kind: "Q",
    severity: "error",
    says: "`context` is an object.",
    right: set({ context: {} }),
    wrong: set({ context: "see the chat" }),
  },
  {
    id: "000-R20",
    kind: "F",
    severity: "error",
    says: "Decisions, limitations and assumptions are lists of texts.",
    right: set({ "context.assumptions": [] }),
    wrong: set({ "context.assumptions": "one currency" }),
  },
  {
    id: "000-R21",
    kind: "C",
    severity: "warning",
    says: "From BackendBuilder to TestAgent the handoff says what must be tested.",
    hint: "Add test_requirements with coverage, critical_paths and edge_cases_to_test.",
    check(document, report) {
      if (
        document["from_agent"] === "BackendBuilder" &&
        document["to_agent"] === "TestAgent" &&
        document["test_requirements"] === undefined
      ) {
        report(
          [],
          "`test_requirements` is missing: TestAgent is not told what to test.",
          lacking(["test_requirements"]),
        );
      }
    },
    right: whole,
    wrong: set({ test_requirements: undefined }),
  },
  {
    id: "000-R22",
    kind: "F",
    severity: "error",
    says: "`issues`, when given, is a list.",
    right: set({ issues: [] }),
    wrong: set({ issues: { id: "CART-1" } }),
  },
  {
    id: "000-R23",
    kind: "F,I",
    severity: "error",
    says: "Each issue has an id that no other issue of the run has.",
    hint: "Give each issue its own id.",
    check(document, report) {
      const seen = new Set<unknown>();
      for (const [index, issue] of listOf(document["issues"]).entries()) {
        if (!isRecord(issue) || issue["id"] === undefined) continue;
        const before = seen.size;
        if (seen.add(issue["id"]).size === before)
          report(["issues", index, "id"], `The id ${shown(issue["id"])} is used twice.`, { code: "inconsistent" });
      }
    },
    right: whole,
    wrong: set({ "issues.0.id": undefined }),
  },
  {
    id: "000-R24",
    kind: "E",
    severity: "error",
    says: "An issue's severity is critical, high, medium or low.",
    right: set({ "issues.0.severity": "critical" }),
    wrong: set({ "issues.0.severity": "blocker" }),
  },
  {
    id: "000-R25",
    kind: "E",
    severity: "error",
    says: "An issue's category is bug, security, performance or quality.",
    right: set({ "issues.0.category": "quality" }),
    wrong: set({ "issues.0.category": "style" }),
  },
  {
    id: "000-R26",
    kind: "F",
    severity: "error",
    says: "An issue's location is `file:line`.",
    right: set({ "issues.0.location": "src/cart/total.ts:42" }),
    wrong: set({ "issues.0.location": "in the cart" }),
  },
  {
    id: "000-R27",
    kind: "F",
    severity: "error",
    says: "An issue says what is wrong and how to fix it.",
    right: whole,
    wrong: set({ "issues.0.remediation": undefined }),
  },
  {
    id: "000-R28",
    kind: "E",
    severity: "error",
    says: "An issue's status is open, fixed or wontfix.",
    right: set({ "issues.0.status": "wontfix" }),
    wrong: set({ "issues.0.status": "closed" }),
  },
  {
    id: "000-R29",
    kind: "I",
    severity: "warning",
    says: "An issue may say whether code must change, which test failed and what was expected.",
    right: set({ "issues.0.requires_code_change": true }),
    wrong: set({ "issues.0.requires_code_change": "yes" }),
  },
  {
    id: "000-R30",
    kind: "F",
    severity: "error",
    says: "Metrics: execution_time is text, lines_of_code a whole number, test_coverage a percentage, quality_score from 0 to 10; other keys are free.",
    right: set({ "metrics.tests_passed": 85 }),
    wrong: set({ "metrics.quality_score": 82 }),
  },
  {
    id: "000-R31",
    kind: "Q",
    severity: "error",
    says: "`validation` has command, expected_result and checklist.",
    right: whole,
    wrong: set({ "validation.checklist": undefined }),
  },
  {
    id: "000-R32",
    kind: "F",
    severity: "error",
    says: "After a loop: fixes_applied, issues_resolved and new_issues are lists of texts.",
    right: set({
      iteration: 2,
      fixes_applied: ["CART-1: refuse negative quantities"],
      issues_resolved: ["CART-1"],
      new_issues: [],
    }),
    wrong: set({ fixes_applied: "CART-1" }),
  },
  {
    id: "000-R34",
    kind: "B",
    severity: "warning",
    says: "Who reports an open problem does not say PASS.",
    hint: "Use PASS_WITH_WARNINGS or PASS_WITH_FIXES while an issue is open.",
    check(document, report) {
      if (document["status"] !== "PASS") return;
      const open = listOf(document["issues"]).findIndex((issue) => isRecord(issue) && issue["status"] === "open");
      if (open !== -1) report(["status"], "`status` is PASS, but an issue is still open.", { code: "inconsistent" });
    },
    right: set({ status: "PASS_WITH_WARNINGS", "issues.0.status": "open" }),
    wrong: set({ "issues.0.status": "open" }),
  },
  { id: "000-R38", kind: "I", severity: "warning", says: "Keys the format does not name are kept." },
];

/** An empty text is reported by the shape. */
function isGiven(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function noLoop(key: string) {
  return {
    if: { not: { properties: { loop_required: { const: true } }, required: ["loop_required"] } },
    then: { properties: { [key]: { type: "null" } } },
  };
}
