import { isRecord } from "../../../shared/json-value.ts";
import type { ReportFinding, Rule } from "../../dialect.ts";
import { changed, FILLED_TEXT, hasContent, lacking, listOf, unchanged } from "../rule-parts.ts";

const full = {
  blocker: "No key for the card service",
  impact: "Cards cannot be tested",
  suggested_resolution: "Ask for a key",
  blocking_tasks: ["task-9"],
};

export const rules: readonly Rule[] = [
  {
    id: "003-R01",
    kind: "T",
    severity: "error",
    says: "The handoff stands in the section `## Handoff` of the task file, as YAML, bare or in a yaml fence.",
    right: { text: "# Task 7: Cards\n\n## Handoff\n\noutcome: completed\n" },
    wrong: { text: "# Task 7: Cards\n\n## Handoff\n\noutcome: [completed\n" },
  },
  {
    id: "003-R02",
    kind: "Q,E",
    severity: "error",
    says: "`outcome` is completed, partial, failed or blocked.",
    right: unchanged,
    wrong: changed({ outcome: "SUCCEEDED" }),
  },
  {
    id: "003-R03",
    kind: "C",
    severity: "error",
    says: "`files_created` lists every created file with path, purpose and lines.",
    right: changed({ files_created: undefined }),
    wrong: changed({ "files_created.0.purpose": undefined }),
  },
  {
    id: "003-R04",
    kind: "C",
    severity: "error",
    says: "`files_modified` lists every changed file with path, lines, change_type and description.",
    hint: "Add lines: N-M, or all. A deleted file needs none.",
    check(document, report) {
      for (const [index, file] of listOf(document["files_modified"]).entries()) {
        if (!isRecord(file) || file["lines"] !== undefined || file["change_type"] === "delete") continue;
        const path = ["files_modified", index];
        report(path, `\`files_modified[${index}].lines\` is missing.`, lacking([...path, "lines"]));
      }
    },
    schema: {
      if: { required: ["files_modified"] },
      then: {
        properties: {
          files_modified: {
            items: {
              if: { not: { properties: { change_type: { const: "delete" } }, required: ["change_type"] } },
              then: { required: ["lines"] },
            },
          },
        },
      },
    },
    right: changed({ "files_modified.0.lines": "all" }),
    wrong: changed({ "files_modified.0.lines": undefined }),
  },
  {
    id: "003-R05",
    kind: "E",
    severity: "error",
    says: "`change_type` is add, modify, delete or refactor.",
    right: changed({ "files_modified.0.change_type": "refactor" }),
    wrong: changed({ "files_modified.0.change_type": "rewrite" }),
  },
  {
    id: "003-R06",
    kind: "C",
    severity: "error",
    says: "If any file changed, at least one of files_created and files_modified is there.",
  },
  {
    id: "003-R07",
    kind: "F",
    severity: "error",
    says: "A pattern has the pattern, its location and the tags it applies to.",
    right: unchanged,
    wrong: changed({ "patterns_discovered.0.location": undefined }),
  },
  {
    id: "003-R08",
    kind: "F",
    severity: "error",
    says: "A gotcha has issue, discovered_in, mitigation and severity.",
    right: unchanged,
    wrong: changed({ "gotchas.0.mitigation": undefined }),
  },
  {
    id: "003-R09",
    kind: "F",
    severity: "error",
    says: "Ids of patterns and gotchas may be left out; they are then made.",
    hint: "Leave the id out.",
    check(document, report) {
      for (const key of ["patterns_discovered", "gotchas"]) {
        for (const [index, item] of listOf(document[key]).entries()) {
          if (isRecord(item) && typeof item["id"] === "string" && item["id"].endsWith("-XXX")) {
            report([key, index, "id"], `\`${key}[${index}].id\` still holds the template's ${item["id"]}.`, {
              code: "unfilled-template",
            });
          }
        }
      }
    },
    right: changed({ "patterns_discovered.0.id": undefined, "gotchas.0.id": undefined }),
    wrong: changed({ "gotchas.0.id": "gotcha-XXX" }),
  },
  {
    id: "003-R10",
    kind: "F",
    severity: "error",
    says: "`dependencies_for_next` names files and why to read them.",
    right: unchanged,
    wrong: changed({ "dependencies_for_next.0.reason": undefined }),
  },
  {
    id: "003-R11",
    kind: "F",
    severity: "error",
    says: "A question has its context, a recommendation, and says whether it blocks.",
    right: unchanged,
    wrong: changed({ "open_questions.0.blocking": "maybe" }),
  },
  {
    id: "003-R12",
    kind: "F",
    severity: "error",
    says: "A next step has step, priority and depends_on.",
    right: changed({ "suggested_next_steps.0.depends_on": [] }),
    wrong: changed({ "suggested_next_steps.0.step": undefined }),
  },
  {
    id: "003-R13",
    kind: "C",
    severity: "error",
    says: "Blocked or partial work says what blocks it.",
    hint: "Add blockers: what blocks, its impact, a suggested resolution and the blocked tasks.",
    check(document, report) {
      if (document["outcome"] === "blocked" || document["outcome"] === "partial")
        demandSome(document, "blockers", report);
    },
    schema: whenOutcome(["blocked", "partial"], ["blockers"], { blockers: { minItems: 1 } }),
    right: changed({ outcome: "partial", blockers: [full] }),
    wrong: changed({ outcome: "partial" }),
  },
  {
    id: "003-R14",
    kind: "C",
    severity: "error",
    says: "Partial work also says what to do next.",
    hint: "Add suggested_next_steps.",
    check(document, report) {
      if (document["outcome"] === "partial") demandSome(document, "suggested_next_steps", report);
    },
    schema: whenOutcome(["partial"], ["suggested_next_steps"], { suggested_next_steps: { minItems: 1 } }),
    right: changed({ outcome: "partial", blockers: [full] }),
    wrong: changed({ outcome: "partial", blockers: [full], suggested_next_steps: undefined }),
  },
  {
    id: "003-R15",
    kind: "C",
    severity: "error",
    says: "Failed work has blockers, each with a suggested resolution.",
    hint: "Say in suggested_resolution what would help.",
    check(document, report) {
      const failed = document["outcome"] === "failed";
      if (failed) demandSome(document, "blockers", report);
      demandOfEach(document, "suggested_resolution", failed, report);
    },
    schema: whenOutcome(["failed"], ["blockers"], {
      blockers: {
        minItems: 1,
        items: { required: ["suggested_resolution"], properties: { suggested_resolution: FILLED_TEXT } },
      },
    }),
    right: changed({ outcome: "failed", blockers: [full] }),
    wrong: changed({ outcome: "failed", blockers: [{ ...full, suggested_resolution: undefined }] }),
  },
  {
    id: "003-R16",
    kind: "C",
    severity: "error",
    says: "Blocked work has blockers, each with the tasks it blocks.",
    hint: "List the waiting tasks in blocking_tasks.",
    check(document, report) {
      demandOfEach(document, "blocking_tasks", document["outcome"] === "blocked", report);
    },
    schema: whenOutcome(["blocked"], ["blockers"], {
      blockers: {
        minItems: 1,
        items: { required: ["blocking_tasks"], properties: { blocking_tasks: { contains: FILLED_TEXT } } },
      },
    }),
    right: changed({ outcome: "blocked", blockers: [full] }),
    wrong: changed({ outcome: "blocked", blockers: [{ ...full, blocking_tasks: undefined }] }),
  },
  {
    id: "003-R17",
    kind: "F",
    severity: "error",
    says: "All paths are relative to the project root.",
    right: unchanged,
    wrong: changed({ "files_created.0.path": "/home/me/src/redeem.ts" }),
  },
  {
    id: "003-R18",
    kind: "F",
    severity: "error",
    says: "Line ranges are `N-M` or `all`.",
    right: changed({ "files_created.0.lines": "all" }),
    wrong: changed({ "files_created.0.lines": "the first ten" }),
  },
  {
    id: "003-R19",
    kind: "F",
    severity: "error",
    says: "Tags are lower case with hyphens.",
    right: changed({ "patterns_discovered.0.applies_to": ["price-rules"] }),
    wrong: changed({ "patterns_discovered.0.applies_to": ["Price Rules"] }),
  },
  {
    id: "003-R20",
    kind: "E",
    severity: "error",
    says: "A gotcha's severity is high, medium or low; without one it counts as medium.",
    right: changed({ "gotchas.0.severity": "low" }),
    wrong: changed({ "gotchas.0.severity": "critical" }),
  },
  {
    id: "003-R21",
    kind: "E",
    severity: "error",
    says: "A next step's priority is high, medium or low.",
    right: unchanged,
    wrong: changed({ "suggested_next_steps.0.priority": "urgent" }),
  },
  {
    id: "003-R29",
    kind: "T",
    severity: "info",
    says: "The task file runs: title, Metadata, Objective, Acceptance Criteria, Context Provided, Execution Log, Handoff, footer.",
    hint: "Move the section to its place.",
    right: { text: "# Task 7: Cards\n\n## Metadata\n\n## Objective\n\n## Handoff\n\noutcome: completed\n" },
    wrong: { text: "# Task 7: Cards\n\n## Handoff\n\noutcome: completed\n\n## Objective\n\nCards\n" },
  },
  { id: "003-R30", kind: "I", severity: "warning", says: "This is version 1.0 of the format." },
];

/** A value that is no list is reported as a wrong type. */
function demandSome(document: Readonly<Record<string, unknown>>, key: string, report: ReportFinding): void {
  const list = document[key];
  const but = `The outcome is ${String(document["outcome"])}, but \`${key}\` is`;
  if (list === undefined) report([], `${but} missing.`, lacking([key]));
  else if (Array.isArray(list) && !hasContent(list)) report([key], `${but} empty.`, { code: "missing-field" });
}

/** A warning; an error where the outcome demands it. */
function demandOfEach(
  document: Readonly<Record<string, unknown>>,
  key: string,
  demanded: boolean,
  report: ReportFinding,
): void {
  for (const [index, blocker] of listOf(document["blockers"]).entries()) {
    if (!isRecord(blocker) || !(demanded ? lacksContent(blocker[key]) : blocker[key] === undefined)) continue;
    report(["blockers", index], `\`blockers[${index}].${key}\` is missing.`, {
      ...lacking(["blockers", index, key]),
      severity: demanded ? "error" : "warning",
    });
  }
}

/** Ruling 35; values of another type than the field has are reported as such. */
function lacksContent(value: unknown): boolean {
  return (value === undefined || typeof value === "string" || Array.isArray(value)) && !hasContent(value);
}

function whenOutcome(outcomes: string[], required: string[], properties: Record<string, Record<string, unknown>>) {
  return {
    if: { properties: { outcome: { enum: outcomes } }, required: ["outcome"] },
    then: { required, properties },
  } as NonNullable<Rule["schema"]>;
}
