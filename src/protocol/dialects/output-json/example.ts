import type { JsonRecord } from "../../../shared/json-value.ts";

export const example: JsonRecord = {
  agent: "frontend-developer",
  output_type: "implementation",
  timestamp: "2026-03-09T14:05:00Z",
  feature_directory: ".output/features/2026-03-09-gift-cards",
  skills_invoked: ["writing-components"],
  library_skills_read: [],
  source_files_verified: ["src/cart/total.ts:1-120"],
  status: "complete",
  phase: "implementation",
  summary: "Built the gift card field with 3 states and wired it to the cart total",
  files_modified: ["src/gift-card/field.tsx", "src/cart/total.ts"],
  artifacts: [".output/features/2026-03-09-gift-cards/notes.md"],
  verification: {
    tests_passed: true,
    build_success: true,
    lint_passed: true,
    coverage_percent: 91,
    command_output: "31 passed",
  },
  handoff: {
    next_phase: "testing",
    next_agent: "frontend-tester",
    context:
      "The field is in src/gift-card/field.tsx. Test an expired card, a used card and a card worth more than the cart.",
    blockers: [],
  },
};

/** The same work in the phase layer, which names no agent. */
export const phaseExample = {
  agent: undefined,
  output_type: undefined,
  timestamp: undefined,
  feature_directory: undefined,
  skills_invoked: undefined,
  library_skills_read: undefined,
  source_files_verified: undefined,
} as const;
