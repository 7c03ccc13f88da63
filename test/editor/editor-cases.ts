import type { Dialect, Sample } from "../../src/protocol/dialect.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";

type Changes = Extract<Sample, { set: unknown }>["set"];

/** A mistake in the example of a dialect, and where and how an editor must show it. */
interface EditorCase {
  readonly mistake: string;
  readonly changes: Changes;
  /** Each problem: the beginning of its line, and a part of what is said. */
  readonly shown: readonly (readonly [line: string, message: string])[];
}

/** The example with the changes, without the container: the block as an editor holds it in a file. */
export function printBlock(dialect: Dialect, changes: Changes): string {
  return renderSample({ ...dialect, wrap: (block) => block }, { set: changes }).text;
}

interface Shown {
  readonly range: { readonly start: { readonly line: number } };
  readonly message: string | { readonly value: string };
}

/** What was shown, in the form of the cases; the message is cut down to the expected part where it has it. */
export function shownIn(text: string, diagnostics: readonly Shown[], expected: EditorCase["shown"]): string[][] {
  const lines = text.split("\n");
  return diagnostics
    .toSorted((left, right) => left.range.start.line - right.range.start.line)
    .map(({ range, message }, index) => {
      const [line = "", part = ""] = expected[index] ?? [];
      const found = (lines[range.start.line] ?? "").trim();
      const said = typeof message === "string" ? message : message.value;
      return [found.startsWith(line) ? line : found, said.includes(part) ? part : said];
    });
}

const PARTIAL = { outcome: "partial", suggested_next_steps: undefined };
const BLOCKER = { blocker: "No key for the card service", impact: "Cards cannot be tested" };

export const PHASE_CASES: readonly EditorCase[] = [
  {
    mistake: "a word that is not in the list",
    changes: { "handoff.phase": "Configuration" },
    shown: [["phase: Configuration", '"Implementation", "Testing"']],
  },
  {
    mistake: "a missing field",
    changes: { "handoff.status": undefined },
    shown: [["handoff:", 'Missing property "status"']],
  },
  {
    mistake: "a wrong type",
    changes: { "handoff.on_failure.escalate_after": true },
    shown: [["escalate_after: true", "Incorrect type"]],
  },
  {
    mistake: "names without their @",
    changes: { "handoff.from": "tester", "handoff.on_failure.route_to": "builder" },
    shown: [
      ["from: tester", "does not match the pattern"],
      ["route_to: builder", "does not match the pattern"],
    ],
  },
  {
    mistake: "a number below its minimum",
    changes: { "handoff.retry_count": -1 },
    shown: [["retry_count: -1", "below the minimum of 0"]],
  },
];

export const TASK_CASES: readonly EditorCase[] = [
  {
    mistake: "a word that is not in the list",
    changes: { "gotchas.0.severity": "dire" },
    shown: [["severity: dire", '"high", "medium", "low"']],
  },
  {
    mistake: "a missing field of an item",
    changes: { "files_created.0.purpose": undefined },
    shown: [["- path: src/gift-card/redeem.ts", 'Missing property "purpose"']],
  },
  {
    mistake: "a wrong type",
    changes: { "open_questions.0.blocking": "maybe" },
    shown: [["blocking: maybe", 'Expected "boolean"']],
  },
  {
    mistake: "an absolute path and a tag in capitals",
    changes: { "files_modified.0.path": "/etc/passwd", "patterns_discovered.0.applies_to": ["Price Rules"] },
    shown: [
      ["- path: /etc/passwd", "does not match the pattern"],
      ["- Price Rules", "does not match the pattern"],
    ],
  },
  {
    mistake: "partial work without blockers and next steps",
    changes: PARTIAL,
    shown: [
      ["outcome: partial", 'Missing property "blockers"'],
      ["outcome: partial", 'Missing property "suggested_next_steps"'],
    ],
  },
  {
    mistake: "failed work whose blocker has no resolution",
    changes: { outcome: "failed", blockers: [BLOCKER] },
    shown: [["- blocker: No key", 'Missing property "suggested_resolution"']],
  },
];

export const PIPELINE_CASES: readonly EditorCase[] = [
  {
    mistake: "a word that is not in the list",
    changes: { status: "passed" },
    shown: [['"status": "passed"', '"PASS_WITH_WARNINGS"']],
  },
  {
    mistake: "a missing field",
    changes: { "validation.checklist": undefined },
    shown: [['"validation": {', 'Missing property "checklist"']],
  },
  {
    mistake: "a wrong type",
    changes: { loop_required: "no" },
    shown: [['"loop_required": "no"', 'Expected "boolean"']],
  },
  {
    mistake: "a place without its line",
    changes: { "issues.0.location": "in the cart" },
    shown: [['"location": "in the cart"', "does not match the pattern"]],
  },
  {
    mistake: "a loop without its reason",
    changes: { loop_required: true, loop_target: "DesignAgent", loop_reason: null, to_agent: "DesignAgent" },
    shown: [['"loop_reason": null', 'Expected "string"']],
  },
  {
    mistake: "a target without a loop",
    changes: { loop_target: "DesignAgent" },
    shown: [['"loop_target": "DesignAgent"', 'Expected "null"']],
  },
];

export const OUTPUT_CASES: readonly EditorCase[] = [
  {
    mistake: "a word that is not in the list",
    changes: { phase: "building" },
    shown: [['"phase": "building"', '"architecture", "implementation", "testing"']],
  },
  {
    mistake: "a missing field",
    changes: { skills_invoked: undefined },
    shown: [["{", 'Missing property "skills_invoked"']],
  },
  {
    mistake: "a wrong type",
    changes: { "verification.coverage_percent": "91%" },
    shown: [['"coverage_percent": "91%"', 'Expected "number"']],
  },
  {
    mistake: "a date that is none",
    changes: { timestamp: "today" },
    shown: [['"timestamp": "today"', "does not match the pattern"]],
  },
  {
    mistake: "blocked work that does not say why",
    changes: { status: "blocked", "handoff.next_agent": null },
    shown: [
      ["{", 'Missing property "blocked_reason"'],
      ["{", 'Missing property "attempted"'],
    ],
  },
];
