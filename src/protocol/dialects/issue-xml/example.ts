import type { JsonRecord } from "../../../shared/json-value.ts";

export const example: JsonRecord = {
  "#root": "handoff",
  from: "reviewer-agent",
  to: "fixer-agent",
  timestamp: "2026-03-09T14:05:00Z",
  issue_number: "71",
  pr_number: "84",
  status: "success",
  summary: "One critical and one important issue in the gift card change",
  data: {
    pr_url: "https://git.example/shop/pull/84",
    review_status: "changes_requested",
    critical_count: "1",
    important_count: "1",
    suggestion_count: "2",
    blocking_issues: [
      {
        "@location": "src/gift-card/redeem.ts:31",
        "@severity": "critical",
        "#text": "A used card can be redeemed again",
      },
      { "@location": "src/cart/total.ts:52", "@severity": "important", "#text": "The total can become negative" },
    ],
  },
};

const summary = "Gift cards can pay a part of an order";
const pullRequest = { pr_url: "https://git.example/shop/pull/84" };

/** For a handover that the format does not describe, as a change to the example: a verdict would decide the receiver. */
export const GENERAL_FORM: JsonRecord = {
  status: "success",
  summary,
  data: { ...pullRequest, branch: "feature/issue-71-gift-cards" },
};

/** The other described forms, as changes to the example; each breaks no rule. */
export const FORMS: Readonly<Record<string, JsonRecord>> = {
  "001-R11": {
    from: "issue-manager",
    to: "prep-agent",
    pr_number: undefined,
    status: "success",
    summary,
    data: {
      issue_url: "https://git.example/shop/issues/71",
      issue_title: "Gift cards",
      type: "feature",
      priority: "high",
      requirements: ["A card can pay a part of an order"],
    },
  },
  "001-R12": {
    from: "prep-agent",
    to: "implementer-agent",
    pr_number: undefined,
    status: "ready",
    summary,
    data: {
      issue_url: "https://git.example/shop/issues/71",
      branch: "feature/issue-71-gift-cards",
      workspace_path: "../shop-issue-71",
      workspace_type: "worktree",
      port: "3100",
      validation: { dependencies: "installed", build: "passing", dev_server: "verified" },
    },
  },
  "001-R13": {
    from: "implementer-agent",
    to: "reviewer-agent",
    status: "success",
    summary,
    data: {
      ...pullRequest,
      issue_url: "https://git.example/shop/issues/71",
      branch: "feature/issue-71-gift-cards",
      files_changed: "6",
      tests_added: "14",
      coverage: "93%",
      commits: [{ "@sha": "4f2a9c1", "#text": "feat(cart): accept gift cards" }],
    },
  },
  "001-R15": {
    from: "reviewer-agent",
    to: "validator-agent",
    status: "approved",
    summary,
    data: { ...pullRequest, review_status: "approved", critical_count: "0", important_count: "0" },
  },
  "001-R16": {
    from: "fixer-agent",
    to: "reviewer-agent",
    status: "ready-for-re-review",
    summary,
    data: {
      ...pullRequest,
      fixes_applied: [{ "@location": "src/cart/total.ts:52", "#text": "Totals stop at zero" }],
      commits_added: "1",
    },
  },
  "001-R17": {
    from: "validator-agent",
    to: "closer-agent",
    status: "merged",
    summary,
    data: {
      ...pullRequest,
      merge_status: "merged",
      merge_sha: "9d03b7e",
      merge_strategy: "squash",
      validation_summary: {
        tests: "passed (212/212)",
        coverage: "93%",
        lint: "passed",
        type_check: "passed",
        security: "no vulnerabilities",
      },
    },
  },
  "001-R18": {
    from: "validator-agent",
    to: "fixer-agent",
    status: "success",
    summary: "A test of the gift card change fails",
    data: {
      ...pullRequest,
      validation_status: "failed",
      failures: [{ "@type": "test", "#text": "redeem.test.ts: expected 400, got 200" }],
    },
  },
  "001-R20": {
    "#root": "workflow-complete",
    from: undefined,
    to: undefined,
    status: "completed",
    summary,
    data: {},
    ...pullRequest,
    issue_url: "https://git.example/shop/issues/71",
    cycle_time: "1 day 3 hours",
    metrics: { review_iterations: 2, total_commits: 9, tests_added: 14, coverage: "93%" },
    actions_taken: ["Issue closed", "Branch deleted"],
  },
  "001-R21": {
    from: "implementer-agent",
    to: "orchestrator",
    pr_number: undefined,
    status: "failure",
    summary: "The gift card change does not build",
    data: {
      error: {
        type: "BuildError",
        message: "The build failed",
        details: "Cannot find module ./amount",
        recoverable: "true",
        suggested_action: "Check the import paths",
      },
    },
  },
};
