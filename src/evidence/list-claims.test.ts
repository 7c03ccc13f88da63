import { describe, expect, it } from "vitest";
import type { Handoff } from "../protocol/handoff.ts";
import { readHandoffs } from "../protocol/read-handoff.ts";
import type { JsonRecord, JsonValue } from "../shared/json-value.ts";
import type { Claim } from "./claim.ts";
import { listClaims } from "./list-claims.ts";

function claimsIn(text: string): Claim[] {
  const reading = readHandoffs(text);
  const handoff = reading.handoffs[0]?.handoff;
  if (!handoff) throw new Error(JSON.stringify(reading.diagnostics));
  return listClaims(handoff);
}

function about(claims: readonly Claim[], where: string): unknown {
  return claims.find((claim) => claim.where === where)?.about;
}

function pipeline(more: JsonRecord): Claim[] {
  return claimsIn(
    JSON.stringify({
      from_agent: "TestAgent",
      to_agent: "CodeReviewer",
      timestamp: "2026-03-09T14:05:00.000Z",
      status: "PASS",
      iteration: 1,
      loop_required: false,
      artifacts: [],
      context: {},
      validation: { command: "npm test", expected_result: "All pass", checklist: ["No flaky test"] },
      ...more,
    }),
  );
}

describe("claims of pipeline-json", () => {
  it("are artifacts, metrics, issues, resolved ids and the validation", () => {
    const claims = pipeline({
      artifacts: [{ type: "test_file", path: "tests/*.test.js", purpose: "Tests", priority: "high" }],
      metrics: { test_coverage: 92, tests_passed: 85, tests_failed: 2, issues_found: 2, quality_score: 8 },
      issues: [
        {
          id: "BUG-1",
          severity: "high",
          category: "bug",
          location: "src/a.js:245",
          description: "d",
          remediation: "r",
          status: "open",
          test_that_failed: "tests/a.test.js:67",
        },
      ],
      issues_resolved: ["BUG-0", "BUG-1"],
    });
    expect(claims.map(({ kind, where }) => `${kind} ${where}`)).toEqual([
      "artifact work.artifacts.0",
      "undeclared work",
      "place findings.issues.0.location",
      "place findings.issues.0.test_that_failed",
      "ledger findings.resolved.0",
      "ledger findings.resolved.1",
      "count metrics.issues_found",
      "test metrics.tests_passed",
      "coverage metrics.test_coverage",
      "command checks.command",
      "command checks.expected_result",
      "command checks.checklist.0",
      "time at",
    ]);
    expect(about(claims, "metrics.tests_passed")).toEqual({
      of: "tests",
      stated: { passed: 85, failed: 2, total: null, allPassed: null },
    });
    expect(about(claims, "metrics.issues_found")).toMatchObject({ of: "count", stated: 2, listed: 1 });
    expect(about(claims, "findings.resolved.0")).toEqual({ of: "resolved", id: "BUG-0", isListed: false });
    // Perhaps found and mended in one step: then no ledger knows it yet.
    expect(about(claims, "findings.resolved.1")).toMatchObject({ of: "resolved", isListed: true });
  });

  it("say that no other file was created (000-R36), the handoff's own file apart", () => {
    expect(about(pipeline({}), "work")).toEqual({
      of: "all-changes",
      change: "created",
      declared: ["handoff-TestAgent.json", "handoff-TestAgent-iteration-*.json"],
    });
  });

  it("let the command fail when the work goes back (ruling 30)", () => {
    const command = (more: JsonRecord): unknown => about(pipeline(more), "checks.command");
    const loop = {
      loop_required: true,
      loop_target: "Builder",
      loop_reason: "BUGS_FOUND_IN_TESTS",
      to_agent: "Builder",
    };
    expect(command({})).toEqual({ of: "command", command: "npm test", expectsFailure: false });
    expect(command({ status: "PASS_WITH_WARNINGS" })).toMatchObject({ expectsFailure: false });
    expect(command({ ...loop, status: "PASS_WITH_FIXES" })).toMatchObject({ expectsFailure: true });
    expect(command({ status: "FAIL" })).toMatchObject({ expectsFailure: true });
  });
});

describe("claims of issue-xml", () => {
  const xml = (from: string, to: string, inner: string): Claim[] =>
    claimsIn(
      `<handoff><from>${from}</from><to>${to}</to><timestamp>2026-03-09T14:05:00Z</timestamp><issue_number>7</issue_number><pr_number>8</pr_number><status>success</status><summary>Done</summary><data>${inner}</data></handoff>`,
    );

  it("are branch, commits and figures of an implementer", () => {
    const claims = xml(
      "implementer-agent",
      "reviewer-agent",
      `<issue_url>https://x.example/issues/7</issue_url><pr_url>https://x.example/pull/8</pr_url><branch>feature/issue-7-x</branch><files_changed>6</files_changed><tests_added>14</tests_added><coverage>93.5%</coverage><commits><commit sha="4f2a9c1">feat: cards</commit></commits>`,
    );
    expect(about(claims, "work.commits.0")).toEqual({ of: "commit", sha: "4f2a9c1", message: "feat: cards" });
    expect(about(claims, "work.branch")).toEqual({ of: "branch", name: "feature/issue-7-x", isMerged: false });
    expect(about(claims, "metrics.files_changed")).toEqual({ of: "files-changed", count: 6 });
    expect(about(claims, "metrics.tests_added")).toEqual({ of: "tests-added", count: 14 });
    expect(about(claims, "metrics.coverage")).toEqual({ of: "coverage", measure: null, percent: 93.5 });
    // It lists no files, so it does not say that there are no others.
    expect(claims.some(({ kind }) => kind === "undeclared")).toBe(false);
  });

  it("are the workspace and its checks of a preparer", () => {
    const claims = xml(
      "prep-agent",
      "implementer-agent",
      `<issue_url>https://x.example/issues/7</issue_url><branch>feature/issue-7-x</branch><workspace_path>../x-issue-7</workspace_path><workspace_type>worktree</workspace_type><port>3100</port><validation><dependencies>installed</dependencies><build>passing</build><dev_server>not started</dev_server></validation>`,
    );
    expect(about(claims, "work.workspace.path")).toMatchObject({ path: "../x-issue-7", type: null, port: null });
    expect(about(claims, "work.workspace.type")).toMatchObject({ path: "../x-issue-7", type: "worktree" });
    expect(about(claims, "work.workspace.port")).toMatchObject({ port: "3100" });
    expect(about(claims, "checks.environment.dependencies")).toEqual({
      of: "check",
      check: "dependencies",
      passed: true,
    });
    expect(about(claims, "checks.environment.build")).toEqual({ of: "check", check: "build", passed: true });
    expect(about(claims, "checks.environment.dev_server")).toEqual({ of: "words" });
  });

  it("are merge and results of a validator", () => {
    const claims = xml(
      "validator-agent",
      "closer-agent",
      `<pr_url>https://x.example/pull/8</pr_url><merge_status>merged</merge_status><merge_sha>9d03b7e</merge_sha><merge_strategy>squash</merge_strategy><validation_summary><tests>passed (156/156)</tests><coverage>94%</coverage><lint>passed</lint><type_check>3 errors</type_check><security>no vulnerabilities</security></validation_summary>`,
    );
    expect(about(claims, "work.merge.sha")).toEqual({ of: "merge", sha: "9d03b7e", strategy: null });
    expect(about(claims, "work.merge.strategy")).toEqual({ of: "merge", sha: "9d03b7e", strategy: "squash" });
    expect(about(claims, "checks.results.tests")).toMatchObject({ of: "tests", stated: { passed: 156, total: 156 } });
    expect(about(claims, "checks.results.type_check")).toEqual({ of: "check", check: "typecheck", passed: false });
    expect(about(claims, "checks.results.security")).toEqual({ of: "check", check: "audit", passed: true });
  });

  it("are the counts of a reviewer beside its list, and failures of a validator", () => {
    const reviewer = xml(
      "reviewer-agent",
      "fixer-agent",
      `<pr_url>https://x.example/pull/8</pr_url><review_status>changes_requested</review_status><critical_count>2</critical_count><important_count>0</important_count><suggestion_count>4</suggestion_count><blocking_issues><issue location="src/a.ts:42" severity="critical">x</issue></blocking_issues>`,
    );
    expect(about(reviewer, "findings.review.critical_count")).toMatchObject({ stated: 2, listed: 1 });
    expect(about(reviewer, "findings.review.important_count")).toMatchObject({ stated: 0, listed: 0 });
    expect(about(reviewer, "findings.review.suggestion_count")).toEqual({ of: "words" });
    const validator = xml(
      "validator-agent",
      "fixer-agent",
      `<pr_url>https://x.example/pull/8</pr_url><validation_status>failed</validation_status><failures><failure type="test">x</failure><failure type="type_check">y</failure></failures>`,
    );
    expect(about(validator, "findings.failures.0")).toEqual({ of: "check", check: "tests", passed: false });
    expect(about(validator, "findings.failures.1")).toEqual({ of: "check", check: "typecheck", passed: false });
  });

  it("are fixes and commits of a fixer", () => {
    const claims = xml(
      "fixer-agent",
      "reviewer-agent",
      `<pr_url>https://x.example/pull/8</pr_url><fixes_applied><fix location="src/a.ts:42">x</fix></fixes_applied><commits_added>1</commits_added>`,
    );
    expect(about(claims, "findings.fixes.0.location")).toEqual({ of: "fix", location: "src/a.ts:42" });
    expect(about(claims, "metrics.commits_added")).toEqual({ of: "commits-added", count: 1 });
  });
});

describe("claims of phase-yaml", () => {
  it("stand in metrics and context under any names", () => {
    const claims = claimsIn(
      [
        "```yaml",
        "handoff:",
        "  phase: Testing",
        '  from: "@tester"',
        '  to: "None"',
        "  status: complete",
        "  metrics:",
        '    testsPassed: "24/25"',
        "    files_created: 2",
        "    coverage: { lines: 91.5, branches: 80% }",
        "    lint_errors: 0",
        "  context:",
        "    branch: feature/x",
        "    files_deleted: [src/old.ts]",
        "    commits: [4f2a9c1 feat(cart) add cards]",
        "```",
      ].join("\n"),
    );
    expect(about(claims, "metrics.testsPassed")).toMatchObject({ stated: { passed: 24, total: 25 } });
    expect(about(claims, "metrics.files_created")).toEqual({ of: "files-counted", change: "created", count: 2 });
    expect(about(claims, "metrics.coverage.lines")).toEqual({ of: "coverage", measure: "lines", percent: 91.5 });
    expect(about(claims, "metrics.coverage.branches")).toEqual({ of: "coverage", measure: "branches", percent: 80 });
    expect(about(claims, "metrics.lint_errors")).toEqual({ of: "check", check: "lint", passed: true });
    expect(about(claims, "context.data.branch")).toMatchObject({ of: "branch", name: "feature/x" });
    expect(about(claims, "context.data.files_deleted.0")).toMatchObject({ path: "src/old.ts", change: "deleted" });
    expect(about(claims, "context.data.commits.0")).toEqual({
      of: "commit",
      sha: "4f2a9c1",
      message: "feat(cart) add cards",
    });
    expect(about(claims, "phase")).toEqual({ of: "phase", name: "Testing" });
    expect(about(claims, "work")).toMatchObject({ of: "all-changes", change: "any", declared: ["src/old.ts"] });
  });
});

describe("claims of task-yaml", () => {
  it.each([
    ["add", "3-9", "modified", { first: 3, last: 9 }],
    ["modify", "all", "modified", null],
    ["refactor", "3-9", "changed", { first: 3, last: 9 }],
    ["delete", "all", "deleted", null],
    // The lines were deleted, not the file.
    ["delete", "3-9", "changed", { first: 3, last: 9 }],
  ] as const)("a change of type %s with lines %s", (type, lines, change, range) => {
    const claims = claimsIn(
      `## Handoff\n\n\`\`\`yaml\noutcome: completed\nfiles_created:\n  - { path: src/new.ts, purpose: New, lines: 1-84 }\nfiles_modified:\n  - { path: src/a.ts, lines: ${lines}, change_type: ${type}, description: d }\n\`\`\`\n`,
    );
    expect(about(claims, "work.created.0")).toMatchObject({ change: "created", lines: { first: 1, last: 84 } });
    expect(about(claims, "work.modified.0")).toEqual({ of: "file", path: "src/a.ts", change, lines: range });
    expect(about(claims, "work")).toMatchObject({ change: "any", declared: ["src/new.ts", "src/a.ts"] });
  });
});

describe("claims of output-json", () => {
  it("are files, artifacts, sources, skills and the verification", () => {
    const claims = claimsIn(
      `# Report\n\n\`\`\`json\n${JSON.stringify({
        agent: "frontend-developer",
        output_type: "implementation",
        timestamp: "2026-03-09T14:05:00Z",
        feature_directory: ".output/cards",
        skills_invoked: ["writing-components"],
        library_skills_read: [],
        source_files_verified: ["src/a.ts:1-120"],
        status: "complete",
        phase: "implementation",
        summary: "Built the gift card field with 3 states",
        files_modified: ["src/a.ts"],
        artifacts: [".output/cards/notes.md"],
        verification: { tests_passed: false, build_success: true, coverage_percent: 91, patterns_referenced: true },
      })}\n\`\`\`\n`,
    );
    expect(about(claims, "work.modified.0")).toMatchObject({ change: "changed", lines: null });
    expect(about(claims, "work.verified.0")).toEqual({
      of: "source",
      path: "src/a.ts",
      lines: { first: 1, last: 120 },
    });
    expect(about(claims, "checks.results.tests_passed")).toMatchObject({ stated: { allPassed: false } });
    expect(about(claims, "checks.results.build_success")).toEqual({ of: "check", check: "build", passed: true });
    expect(about(claims, "checks.results.patterns_referenced")).toEqual({ of: "words" });
    expect(about(claims, "work")).toMatchObject({ declared: ["src/a.ts", ".output/cards/notes.md", ".output/cards/"] });
  });

  it.each([
    [".output/features/2026-03-09-cards", true],
    [".claude/.output/features/cards", true],
    ["features/cards", true],
    ["docs/features/cards", true],
    ["src", false],
    ["src/features/cards", false],
    ["features", false],
    ["..output/x", false],
  ])("declare the feature's folder %s: %s", (folder, isDeclared) => {
    const claims = listClaims({
      dialect: "output-json",
      outcome: "done",
      work: { directory: folder, modified: [{ path: "a.ts" }] },
    });
    const lists = isDeclared ? { declared: ["a.ts", `${folder}/`] } : { declared: ["a.ts"], folders: [folder] };
    expect(about(claims, "work")).toEqual({ of: "all-changes", change: "any", ...lists });
  });
});

describe("a result in words", () => {
  const said = (name: string, value: JsonValue): unknown =>
    about(
      listClaims({ dialect: "output-json", outcome: "done", checks: { results: { [name]: value } } }),
      `checks.results.${name}`,
    );

  it.each([
    "passed",
    "PASS",
    "ok",
    "\u2705 clean",
    "success",
    "no errors",
    "0 errors",
    "all checks passed",
    "passed with 2 warnings",
    "12/12",
    "0/12 failed",
    "Errors: 0",
    "failures: none",
    true,
    { status: "passed" },
  ])("%j passes", (value) => expect(said("lint", value)).toEqual({ of: "check", check: "lint", passed: true }));

  it.each([
    "failed",
    "FAIL",
    "3 errors",
    "\u274c",
    "not passing",
    "broken",
    "24/25",
    "1/25 failed",
    false,
    { passed: false },
  ])("%j fails", (value) => expect(said("unit_tests", value)).toEqual({ of: "check", check: "unit", passed: false }));

  it.each([
    "not run",
    "NOT_RUN",
    "skipped",
    "n/a",
    "passed, 3 failed",
    "Passed: 20, Failed: 5",
    "passed: false",
    "Pass rate: 98%",
    "completed with errors",
    "errors fixed",
    "1,234/1,234",
    "passable",
    "see the log",
    7,
    [],
  ])("%j says neither", (value) => expect(said("build_success", value)).toEqual({ of: "words" }));

  it.each([
    ["25/25", { passed: 25, total: 25 }],
    ["24 of 25", { passed: 24, total: 25 }],
    ["passed (156/156)", { passed: 156, total: 156 }],
    ["failed (3/156)", { failed: 3, total: 156 }],
    ["3/156 failed", { failed: 3, total: 156 }],
    ["0 of 156 tests failed", { failed: 0, total: 156 }],
    ["24 passed, 1 failed", { passed: 24, failed: 1 }],
    ["Passed: 24, Failed: 1", { passed: 24, failed: 1 }],
    ["pass: 24 fail: 1", { passed: 24, failed: 1 }],
    ["FAILED (failures=1)", { failed: 1 }],
    ["Tests: 24 passed, 1 failed", { passed: 24, failed: 1 }],
    ["ok. 24 passed; 0 failed", { passed: 24, failed: 0 }],
    ["all tests pass", { allPassed: true }],
    [
      { passed: 24, failed: 1, total: 25 },
      { passed: 24, failed: 1, total: 25 },
    ],
    [12, { total: 12 }],
    [false, { allPassed: false }],
  ] as const)("tests: %j", (value, stated) => {
    const nothing = { passed: null, failed: null, total: null, allPassed: null };
    expect(said("tests", value)).toEqual({ of: "tests", stated: { ...nothing, ...stated } });
  });
});

describe("a claim", () => {
  it("of a command may fail whenever a loop is asked for, whatever the outcome is", () => {
    const loop = { required: true, target: "builder", reason: "BUGS" };
    const handoff: Handoff = {
      dialect: "pipeline-json",
      outcome: "done",
      checks: { command: "npm test" },
      routing: { loop },
    };
    expect(about(listClaims(handoff), "checks.command")).toMatchObject({ expectsFailure: true });
  });

  it("shows what an agent wrote without obeying it", () => {
    const handoff: Handoff = {
      dialect: "task-yaml",
      outcome: "done",
      work: { created: [{ path: "a\u001b[31m\n::error::" + "x".repeat(1000) }] },
    };
    for (const { says } of listClaims(handoff)) {
      expect(says).not.toMatch(/\p{Cc}/u);
      expect(says.length).toBeLessThan(300);
    }
  });
});
