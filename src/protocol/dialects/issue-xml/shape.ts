import {
  booleanText,
  fileLine,
  integerText,
  kebabName,
  oneLine,
  percentText,
  utcTimestamp,
  webAddress,
  word,
} from "../../format.ts";
import { type Infer, field, shape } from "../../shape.ts";

const STATUSES = [
  "success",
  "failure",
  "blocked",
  "pending",
  "skipped",
  "ready",
  "ready-for-re-review",
  "approved",
  "completed",
  "merged",
] as const;
const count = shape.formatted(integerText);

const blockingIssue = shape.record({
  "@location": field.required(shape.formatted(fileLine), { rule: "001-R14", about: "Where, as file:line." }),
  "@severity": field.required(shape.oneOf(["critical", "important"]), {
    rule: "001-R14",
    about: "critical or important.",
  }),
  "#text": field.required(shape.filledText(), { rule: "001-R14", about: "What is wrong." }),
});

const fix = shape.record({
  "@location": field.required(shape.formatted(fileLine), {
    rule: "001-R16",
    about: "Where, as file:line; the place of the blocking issue.",
  }),
  "#text": field.required(shape.filledText(), { rule: "001-R16", about: "What was done." }),
});

const failure = shape.record({
  "@type": field.required(shape.oneOf(["test", "lint", "type_check"]), {
    rule: "001-R18",
    about: "test, lint or type_check.",
  }),
  "#text": field.required(shape.filledText(), { rule: "001-R18", about: "What failed." }),
});

const commit = shape.record({
  "@sha": field.required(shape.formatted(word), { rule: "001-R13", about: "Commit id." }),
  "#text": field.required(shape.filledText(), { rule: "001-R13", about: "Subject of the commit." }),
});

const error = shape.record({
  type: field.required(shape.filledText(), { rule: "001-R21", about: "Kind of error, such as BuildError." }),
  message: field.required(shape.filledText(), { rule: "001-R21", about: "What happened." }),
  details: field.required(shape.text(), { rule: "001-R21", about: "More of it; may be empty." }),
  recoverable: field.required(shape.formatted(booleanText), { rule: "001-R21", about: "true when a retry can help." }),
  suggested_action: field.required(shape.filledText(), { rule: "001-R21", about: "What to do." }),
});

/** Payload, which stands in `<data>` or directly below the root. */
const payload = {
  issue_url: field.optional(shape.formatted(webAddress), { rule: "001-R11", about: "Address of the issue." }),
  issue_title: field.optional(shape.filledText(), { rule: "001-R11", about: "Title of the issue." }),
  type: field.optional(shape.oneOf(["feature", "bug", "enhancement", "refactor", "chore"]), {
    rule: "001-R11",
    about: "feature, bug, enhancement, refactor or chore.",
  }),
  priority: field.optional(shape.oneOf(["critical", "high", "medium", "low"]), {
    rule: "001-R11",
    about: "critical, high, medium or low.",
  }),
  requirements: field.optional(shape.list(shape.filledText(), { element: "requirement", minimum: 1 }), {
    rule: "001-R11",
    about: "What is asked for, one requirement each.",
  }),
  branch: field.optional(shape.formatted(word), { rule: "001-R12", about: "Branch, type/issue-N-slug." }),
  workspace_path: field.optional(shape.filledText(), { rule: "001-R12", about: "Where the workspace is." }),
  workspace_type: field.optional(shape.oneOf(["worktree", "in-place", "cloud"]), {
    rule: "001-R12",
    about: "worktree, in-place or cloud.",
  }),
  port: field.optional(count, { rule: "001-R12", about: "Port of the development server." }),
  validation: field.optional(
    shape.record({
      dependencies: field.required(shape.filledText(), {
        rule: "001-R12",
        about: "Whether dependencies are installed.",
      }),
      build: field.required(shape.filledText(), { rule: "001-R12", about: "Whether it builds." }),
      dev_server: field.required(shape.filledText(), { rule: "001-R12", about: "Whether the server answers." }),
    }),
    { rule: "001-R12", about: "State of the workspace." },
  ),
  pr_url: field.optional(shape.formatted(webAddress), { rule: "001-R13", about: "Address of the pull request." }),
  files_changed: field.optional(count, { rule: "001-R13", about: "Number of files changed." }),
  tests_added: field.optional(count, { rule: "001-R13", about: "Number of tests added." }),
  coverage: field.optional(shape.formatted(percentText), { rule: "001-R13", about: "Coverage, such as 96%." }),
  commits: field.optional(shape.list(commit, { element: "commit" }), {
    rule: "001-R13",
    about: "The commits, each with its sha.",
  }),
  review_status: field.optional(shape.oneOf(["approved", "changes_requested"]), {
    rule: "001-R14",
    about: "approved or changes_requested.",
  }),
  critical_count: field.optional(count, { rule: "001-R14", about: "Critical issues found." }),
  important_count: field.optional(count, { rule: "001-R14", about: "Important issues found." }),
  suggestion_count: field.optional(count, { rule: "001-R14", about: "Suggestions made; these do not block." }),
  blocking_issues: field.optional(shape.list(blockingIssue, { element: "issue" }), {
    rule: "001-R14",
    about: "Issues that must be fixed.",
  }),
  fixes_applied: field.optional(shape.list(fix, { element: "fix" }), {
    rule: "001-R16",
    about: "Fixes, each at the place of its issue.",
  }),
  commits_added: field.optional(count, { rule: "001-R16", about: "Number of commits added." }),
  merge_status: field.optional(shape.oneOf(["merged"]), { rule: "001-R17", about: "merged." }),
  merge_sha: field.optional(shape.formatted(word), { rule: "001-R17", about: "Id of the merge commit." }),
  merge_strategy: field.optional(shape.filledText(), { rule: "001-R17", about: "squash, merge or rebase." }),
  validation_summary: field.optional(
    shape.record({
      tests: field.required(shape.filledText(), { rule: "001-R17", about: "Result of the tests." }),
      coverage: field.required(shape.filledText(), { rule: "001-R17", about: "Coverage." }),
      lint: field.required(shape.filledText(), { rule: "001-R17", about: "Result of the linter." }),
      type_check: field.required(shape.filledText(), { rule: "001-R17", about: "Result of the type check." }),
      security: field.required(shape.filledText(), { rule: "001-R17", about: "Result of the audit." }),
    }),
    { rule: "001-R17", about: "Results of the final validation." },
  ),
  validation_status: field.optional(shape.oneOf(["failed"]), { rule: "001-R18", about: "failed." }),
  failures: field.optional(shape.list(failure, { element: "failure", minimum: 1 }), {
    rule: "001-R18",
    about: "What failed, by type.",
  }),
  cycle_time: field.optional(shape.filledText(), { rule: "001-R20", about: "From the issue's opening to its end." }),
  metrics: field.optional(shape.freeMap(), {
    rule: "001-R20",
    about: "review_iterations, total_commits, tests_added, coverage.",
  }),
  actions_taken: field.optional(shape.list(shape.filledText(), { element: "action", minimum: 1 }), {
    rule: "001-R20",
    about: "Closing actions.",
  }),
  context: field.optional(shape.filledText(), {
    rule: "001-R10",
    about: "What else the next agent must know.",
  }),
  carried: field.optional(shape.text(), {
    rule: "001-R10",
    about: "Content of another format that has no element here, as JSON; written by conversions.",
  }),
  error: field.optional(error, { rule: "001-R21", about: "Why it failed." }),
};

export const payloadShape = shape.record(payload);

export const issueShape = shape.record({
  "#root": field.optional(shape.oneOf(["handoff", "workflow-complete"]), {
    rule: "001-R01",
    about: "Name of the root element.",
  }),
  from: field.optional(shape.formatted(kebabName), {
    rule: "001-R03",
    about: "The agent that writes this, in lower case with hyphens or as the workflow calls it.",
  }),
  to: field.optional(shape.formatted(kebabName), { rule: "001-R04", about: "The agent it is for, or orchestrator." }),
  timestamp: field.optional(shape.formatted(utcTimestamp), {
    rule: "001-R05",
    about: "When it was written, ISO 8601 with Z.",
  }),
  issue_number: field.optional(count, { rule: "001-R06", about: "Number of the issue." }),
  pr_number: field.optional(count, { rule: "001-R07", about: "Number of the pull request, once there is one." }),
  status: field.optional(shape.outcome(STATUSES, { done: "success", failed: "failure" }), {
    rule: "001-R08",
    about: "success, failure, blocked, pending or skipped.",
  }),
  summary: field.optional(shape.formatted(oneLine), { rule: "001-R09", about: "The outcome in one line." }),
  data: field.optional(payloadShape, { rule: "001-R10", about: "What this agent hands over." }),
  ...payload,
});

export type IssueDocument = Infer<typeof issueShape>;
export type IssuePayload = Infer<typeof payloadShape>;
