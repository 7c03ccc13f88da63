import { describe, expect, it } from "vitest";
import { baton } from "./run-baton.ts";
import { put, repository } from "./verify-repository.ts";

/**
 * Each text names the same paths several times. A line that ends in `«kind»` makes a claim of that kind which is
 * refuted; the mark is taken off before the text is verified.
 */
const CASES: readonly (readonly [name: string, file: string, text: string])[] = [
  [
    "pipeline-json: as a decision, an assumption, an artifact and the location of issues",
    "handoff-BackendBuilder.json",
    `{
  "from_agent": "BackendBuilder",
  "to_agent": "TestAgent",
  "timestamp": "2026-03-09T14:05:00.000Z",
  "status": "PASS",
  "iteration": 1,
  "context": {
    "design_decisions": ["src/gone.js", "src/gone.js:3"],
    "known_limitations": ["src/new.js"],
    "assumptions": [
      "src/gone.js"
    ]
  },
  "artifacts": [«undeclared»
    { "type": "source_file", "path": "src/old.js", "purpose": "src/gone.js", "priority": "high" },
    {
      "type": "source_file",
      "purpose": "src/gone.js",
      "path": "src/gone.js",«artifact»
      "priority": "high"
    }
  ],
  "issues": [
    {
      "id": "A",
      "severity": "low",
      "category": "bug",
      "remediation": "src/gone.js:3",
      "description": "src/gone.js",
      "location": "src/gone.js:3",«place»
      "status": "open"
    },
    {
      "id": "B",
      "severity": "low",
      "category": "bug",
      "location": "src/gone.js:3",«place»
      "description": "src/gone.js",
      "remediation": "src/gone.js:3",
      "status": "open"
    }
  ],
  "test_requirements": { "coverage": 1, "critical_paths": [], "edge_cases_to_test": [] },
  "metrics": {
    "quality_score": 7,
    "high_issues": 7,«count»
    "files_changed": 7«count»
  },
  "validation": { "command": "npm test", "expected_result": "passes", "checklist": [] }
}
`,
  ],
  [
    "issue-xml: as requirements, in attributes and in texts",
    "review.xml",
    `<handoff>
  <from>auditor</from>
  <to>clerk</to>
  <timestamp>2026-03-09T14:05:00Z</timestamp>
  <issue_number>71</issue_number>
  <status>success</status>
  <summary>deadbee1</summary>
  <data>
    <requirements>
      <requirement>src/gone.js:4</requirement>
      <requirement>fix/issue-71-gone</requirement>
      <requirement>9</requirement>
    </requirements>
    <branch>fix/issue-71-gone</branch>«branch»
    <commits>
      <commit sha="deadbee2">deadbee1</commit>«commit»
      <commit
        sha="deadbee1">deadbee2</commit>«commit»
      <commit sha="deadbee1">deadbee2</commit>«commit»
    </commits>
    <commits_added>9</commits_added>«commit»
    <blocking_issues>
      <issue severity="critical" location="src/old.js:1">src/gone.js:4</issue>
      <issue severity="critical" location="src/gone.js:4">src/gone.js:4</issue>«place»
      <issue
        severity="critical"
        location="src/a&amp;&lt;b&gt;.js:4"«place»
      >src/gone.js:4</issue>
      <issue location='src/gone.js:4' severity="critical">src/gone.js:4</issue>«place»
    </blocking_issues>
  </data>
</handoff>
`,
  ],
  [
    "issue-xml: where the payload stands below the root and the envelope in <data>, in an answer",
    "answer.md",
    `I looked at src/gone.js:4.

<handoff>
  <from>reviewer-agent</from>
  <to>fixer-agent</to>
  <timestamp>2026-03-09T14:05:00Z</timestamp>
  <pr_url>https://git.example/shop/pull/84</pr_url>
  <review_status>changes_requested</review_status>
  <important_count>0</important_count>
  <suggestion_count>2</suggestion_count>
  <requirements>
    <requirement>src/gone.js:4</requirement>
  </requirements>
  <blocking_issues>
    <issue severity="critical" location="src/gone.js:4">src/gone.js:4</issue>«place»
  </blocking_issues>
  <critical_count>2</critical_count>«count»
  <data>
    <status>blocked</status>
    <issue_number>71</issue_number>
    <pr_number>2</pr_number>
    <summary>src/gone.js:4</summary>
  </data>
</handoff>
`,
  ],
  [
    "phase-yaml: in the context, and beside the fields",
    "summary.md",
    `# Testing COMPLETE

\`\`\`yaml
handoff:
  phase: Testing
  from: "@tester"
  to: "@lead"
  status: complete
  retry_count: 0
  metrics:
    notes: 31
    files_modified: 31«count»
  dependencies: [src/gone.js]
  timestamp: 2026-03-09T14:05:00Z
  context:
    looked_at:
      - src/gone.js
      - "src/gone.js"
    files_modified:
      - src/old.js
      - "src/g\\u006Fne.js"«file»
      - 'src/it''s gone.js'«file»
      - src/gone.js«file»
      - { path: src/gone.js }«file»
    files_created:
      - file: src/gone.js«file»
  files_deleted:«undeclared»
    - src/old.js«file»
    - src/gone.js«file»
\`\`\`
`,
  ],
  [
    "task-yaml: as the location of a pattern, before the files",
    "task-4.md",
    `# Task 4: Gift cards

src/gone.js is what was made.

## Handoff

\`\`\`yaml
outcome: completed
patterns_discovered:
  - id: pattern-001
    pattern: src/gone.js
    location: src/gone.js«place»
    applies_to: [src-gone]
dependencies_for_next:
  - file: src/gone.js«place»
    reason: src/gone.js
files_modified:«undeclared»
  - description: src/gone.js
    change_type: modify
    lines: 1-2
    path: src/gone.js«file»
  - path: src/old.js
    lines: all
    change_type: modify
    description: src/gone.js
  - path: "src/g\\x6fne.js"«file»
    lines: all
    change_type: modify
    description: |
      src/gone.js
files_created:
  - purpose: src/gone.js
    path: src/gone.js«file»
    lines: all
  - path: 'src/gone.js'«file»
    purpose: src/gone.js
    lines: all
\`\`\`
`,
  ],
  [
    "output-json: in two lists and in a block that is superseded",
    "out/notes.md",
    `# Output

\`\`\`json
{
  "status": "blocked",
  "phase": "implementation",
  "summary": "Begun, 1 of 2 parts is there",
  "files_modified": [
    "src/gone.js",
    "src/gone.js"
  ],
  "artifacts": ["src/gone.js"],
  "handoff": { "next_phase": "testing", "next_agent": null, "context": "src/gone.js", "blockers": [] }
}
\`\`\`

The rest followed: src/gone.js.

## Metadata

\`\`\`json
{
  "agent": "frontend-developer",
  "output_type": "implementation",
  "timestamp": "2026-03-09T14:05:00Z",
  "feature_directory": "src",
  "skills_invoked": ["src/gone.js"],
  "library_skills_read": ["src/gone.js:1-2"],
  "source_files_verified": [
    "src/gone.js:1-2",«source»
    "src/old.js:1-2",
    7,
    "src/gone.js:1-2"«source»
  ],
  "status": "complete",
  "phase": "implementation",
  "summary": "Built the cart with 2 parts and wired it to src/gone.js",
  "artifacts": [
    "src/gone.js",«artifact»
    "src/\\u0067one.js"«artifact»
  ],
  "files_modified": [
    "src/gone.js",«file»
    "src/old.js",
    "src/\\"gone\\".js",«file»
    "src/\\u0067one.js",«file»
    "src/new.js",
    "src/gone.js"«file»
  ],
  "verification": { "tests_passed": true },
  "handoff": { "next_phase": "testing", "next_agent": "tester", "context": "src/gone.js", "blockers": [] }
}
\`\`\`
`,
  ],
];

const MARK = /«(\w+)»/;

/** `kind line` of each mark, in order. */
function marksIn(text: string): string[] {
  return text.split("\n").flatMap((line, at) => {
    const kind = MARK.exec(line)?.[1];
    return kind === undefined ? [] : [`${at + 1} ${kind}`];
  });
}

function inOrder(places: readonly string[]): string[] {
  return places.toSorted((left, right) => Number.parseInt(left, 10) - Number.parseInt(right, 10));
}

interface Sarif {
  readonly runs: readonly {
    readonly results: readonly {
      readonly ruleId: string;
      readonly locations: readonly { readonly physicalLocation: { readonly region: { readonly startLine: number } } }[];
    }[];
  }[];
}

const READERS: Readonly<Record<string, (output: string) => string[]>> = {
  pretty: (output) => {
    const [, refuted = ""] = /^refuted \(\d+\)\n(.*?)\n\n/ms.exec(output) ?? [];
    return [...refuted.matchAll(/^ {2}\S+ \S+:(\d+) {2}([\w-]+): /gm)].map(([, line, kind]) => `${line} ${kind}`);
  },
  // Those beyond the tenth of a kind are in the log alone.
  github: (output) =>
    [...output.matchAll(/^(?:::\w+ file=[^:]*?,line=(\d+),.*?|\w+: \S+:(\d+):\d+.*?)claim\/([\w-]+)/gm)].map(
      ([, annotated, plain, kind]) => `${annotated ?? plain} ${kind}`,
    ),
  sarif: (output) =>
    (JSON.parse(output) as Sarif).runs
      .flatMap(({ results }) => results)
      .filter(({ ruleId }) => ruleId.startsWith("claim/"))
      .map(
        ({ ruleId, locations }) =>
          `${locations[0]?.physicalLocation.region.startLine} ${ruleId.slice("claim/".length)}`,
      ),
};

describe.each(CASES)("a path that stands several times in %s", (_name, file, text) => {
  it.each(Object.keys(READERS))("is annotated by %s at the line that claims it", async (format) => {
    const folder = repository();
    put(folder, file, text.replaceAll(new RegExp(MARK, "g"), ""));
    const run = await baton(["verify", file, "--format", format, "--base", "main"], { cwd: folder });
    const places = READERS[format]?.(run.stdout) ?? [];
    expect(inOrder(places), run.stdout + run.stderr).toEqual(marksIn(text));
  });
});
