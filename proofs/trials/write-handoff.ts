import { writeFileSync } from "node:fs";
import { all, issueOf, one, type Turn } from "./read-play.ts";
import { handOverIssue, type IssueKit } from "./write-issue.ts";

/** Who hands over, in which words. */
export interface Speaker {
  readonly me: string;
  readonly task: string;
  readonly round: number;
  readonly dialect: string;
  readonly phase: string | null;
  readonly kit: IssueKit | null;
}

/** Writes the handoff of a turn where agents of its dialect write it. */
export function writeHandoff(turn: Turn, speaker: Speaker): void {
  switch (speaker.dialect) {
    case "pipeline-json":
      return writeFileSync(`handoff-${speaker.me}.json`, JSON.stringify(pipeline(turn, speaker), null, 2));
    case "issue-xml":
      return speaker.kit === null ? console.log(plainElement(turn, speaker)) : handOverIssue(turn, speaker.kit);
    case "phase-yaml":
      return console.log(phase(turn, speaker));
    case "task-yaml":
      return console.log(task(turn));
    case "output-json":
      return console.log(output(turn, speaker));
  }
  throw new Error(`no words for ${speaker.dialect}`);
}

const listed = (turn: Turn): string[] => [
  ...all(turn, "makes"),
  ...all(turn, "claims"),
  ...all(turn, "resolves").map(mendedFile),
];

/** What is changed for issues that are said to be mended. */
export function mendedFile(issues: string): string {
  return `mended/${issues.replaceAll(/[^\w-]+/g, "-")}.txt`;
}
const figure = (written: string | null, usual: number | null): number | null =>
  written === "none" ? null : written === null ? usual : Number(written);

const PIPELINE_WORDS: Readonly<Record<string, string>> = {
  done: "PASS",
  warnings: "PASS_WITH_WARNINGS",
  fixes: "PASS_WITH_FIXES",
  failed: "FAIL",
};

function pipeline(turn: Turn, { me, round }: Speaker): object {
  const loop = one(turn, "loop");
  const coverage = figure(one(turn, "coverage"), me === "TestAgent" ? 95 : null);
  const score = figure(one(turn, "score"), me === "CodeReviewer" ? 9 : null);
  return {
    from_agent: me,
    to_agent: loop ?? one(turn, "to") ?? turn.next ?? "COMPLETE",
    timestamp: new Date().toISOString(),
    status: PIPELINE_WORDS[turn.word],
    iteration: Number(one(turn, "round") ?? round),
    loop_required: loop !== null,
    loop_target: loop,
    loop_reason: loop === null ? null : "BUGS_FOUND_IN_TESTS",
    artifacts: listed(turn).map((path) => ({ type: "source_file", path, purpose: "Part of it", priority: "high" })),
    context: { design_decisions: [], known_limitations: [], assumptions: [] },
    issues: all(turn, "issue").map((written) => pipelineIssue(written, round)),
    metrics: {
      ...(coverage === null ? {} : { test_coverage: coverage }),
      ...(score === null ? {} : { quality_score: score }),
    },
    validation: { command: "node --version", expected_result: "It prints a version", checklist: ["It runs"] },
    ...resolved(turn),
  };
}

function pipelineIssue(written: string, round: number): object {
  const { id, severity, location } = issueOf(written);
  return {
    id,
    severity,
    category: "bug",
    location,
    description: `${id} does not hold, seen in round ${round}`,
    remediation: `Mend ${id}`,
    status: "open",
    requires_code_change: true,
  };
}

function resolved(turn: Turn): object {
  const ids = (one(turn, "resolves") ?? "").split(" ").filter((id) => id !== "");
  const news = all(turn, "new");
  if (ids.length === 0 && news.length === 0) return {};
  return { fixes_applied: ids.map((id) => `${id}: mended`), issues_resolved: ids, new_issues: news };
}

function plainElement(turn: Turn, { me }: Speaker): string {
  const status = turn.word === "done" ? "success" : "failure";
  const head = `<from>${me}</from><to>${turn.next ?? "end"}</to><timestamp>${new Date().toISOString()}</timestamp>`;
  const data = "<data><note>Nothing else</note></data>";
  return `<handoff>${head}<issue_number>1</issue_number><status>${status}</status><summary>It is done</summary>${data}</handoff>`;
}

const PHASE_WORDS: Readonly<Record<string, string>> = {
  done: "complete",
  fixes: "retry",
  failed: "failed",
  blocked: "blocked",
  "in-progress": "in_progress",
};

function phase(turn: Turn, speaker: Speaker): string {
  const form = one(turn, "form");
  if (form === "legacy") return "## TESTING COMPLETE\n\n✅ Tests passed: 25/25\n\n**Next Agent:** None\n";
  const to = one(turn, "to");
  const target = to === null || to === "none" || to === "end" ? "None" : `@${to}`;
  const from = form === "unquoted" ? `@${speaker.me}` : `"@${speaker.me}"`;
  const route = one(turn, "route");
  const lines = [
    "handoff:",
    `  phase: ${to === "end" ? "Complete" : (one(turn, "phase") ?? speaker.phase ?? "Implementation")}`,
    `  from: ${from}`,
    `  to: "${target}"`,
    `  status: ${PHASE_WORDS[turn.word]}`,
    ...section("metrics", all(turn, "metric"), (written) => [written.replace("=", ": ")]).map((line) =>
      line.replace("  - ", "    ").replace(/^metrics/, "  metrics"),
    ),
    "  retry_count: 0",
    `  timestamp: "${new Date().toISOString()}"`,
    ...(route === null ? [] : ["  on_failure:", "    retry: 1", `    route_to: "@${route}"`]),
  ];
  return `It is over.\n\n\`\`\`yaml\n${lines.join("\n")}\n\`\`\`\n`;
}

const TASK_WORDS: Readonly<Record<string, string>> = {
  done: "completed",
  fixes: "partial",
  failed: "failed",
  blocked: "blocked",
};

function task(turn: Turn): string {
  const isTemplate = one(turn, "form") === "template";
  const gotcha = one(turn, "gotcha");
  const blocks = all(turn, "blocks").map((id) => `task-${id}`);
  const lines = [
    `outcome: ${isTemplate ? "[completed | partial | failed | blocked]" : TASK_WORDS[turn.word]}`,
    ...section("files_created", listed(turn), (path) => [`path: ${path}`, "purpose: A part of it", "lines: 1-1"]),
    ...section("gotchas", gotcha === null ? [] : [gotcha], (issue) => [
      `issue: ${issue}`,
      "discovered_in: The work",
      "mitigation: Wait a second",
      "severity: high",
    ]),
    ...(turn.word === "done" ? [] : section("blockers", ["x"], () => blockerLines(blocks))),
    ...section("suggested_next_steps", turn.word === "fixes" ? ["x"] : [], () => [
      "step: Do the rest",
      "priority: high",
      "depends_on: []",
    ]),
  ];
  return `## Handoff\n\n\`\`\`yaml\n${lines.join("\n")}\n\`\`\`\n`;
}

function blockerLines(blocks: readonly string[]): string[] {
  const waiting = blocks.length === 0 ? "[]" : `[${blocks.join(", ")}]`;
  return [
    "blocker: A part is missing",
    "impact: It is not whole",
    "suggested_resolution: Make the part",
    `blocking_tasks: ${waiting}`,
  ];
}

function section(key: string, items: readonly string[], linesOf: (item: string) => string[]): string[] {
  if (items.length === 0) return [];
  const entries = items.flatMap((item) =>
    linesOf(item).map((line, index) => `${index === 0 ? "  - " : "    "}${line}`),
  );
  return [`${key}:`, ...entries];
}

const NEXT_PHASE: Readonly<Record<string, string>> = {
  architecture: "implementation",
  implementation: "testing",
  testing: "complete",
};

function output(turn: Turn, speaker: Speaker): string {
  const isBlocked = turn.word === "blocked";
  const own = speaker.phase ?? "implementation";
  const form = one(turn, "form");
  const review = form === "hyphen" ? "needs-review" : "needs_review";
  const metadata = {
    agent: speaker.me,
    output_type: own,
    timestamp: new Date().toISOString(),
    feature_directory: "features/trial",
    skills_invoked: ["none"],
    library_skills_read: [],
    source_files_verified: ["src/begun.mjs:1-2"],
    status: isBlocked ? "blocked" : turn.word === "review" ? review : "complete",
    ...(isBlocked
      ? { ...(turn.argument === "" ? {} : { blocked_reason: turn.argument }), attempted: ["This and that"] }
      : {}),
    phase: own,
    summary: `The ${own} part of the trial has 2 functions in src/begun.mjs`,
    files_modified: listed(turn),
    handoff: {
      next_phase: NEXT_PHASE[own],
      next_agent: isBlocked ? null : (one(turn, "to") ?? (own === "testing" ? null : turn.next)),
      context: "Look at src/begun.mjs.",
      blockers: isBlocked ? blockers(turn) : [],
    },
  };
  const block = `## Metadata\n\n\`\`\`json\n${JSON.stringify(metadata, null, 2)}\n\`\`\`\n`;
  return `# Output\n\nIt is over.\n\n---\n\n${block}${form === "after" ? "\nThat was all.\n" : ""}`;
}

function blockers(turn: Turn): object[] {
  const issues = all(turn, "issue").map((id) => `This does not hold: ${id}`);
  const described = issues.length === 0 ? [`Somebody must decide about ${turn.argument}`] : issues;
  return described.map((description) => ({ type: "technical_limitation", description, resolution: "Mend it" }));
}
