import { agentName, relativePath, timestamp, verifiedRange } from "../../format.ts";
import { type Infer, field, shape } from "../../shape.ts";

const texts = shape.list(shape.text());
export const BLOCKED_REASONS = [
  "security_concern",
  "architecture_decision",
  "missing_requirements",
  "test_failures",
  "out_of_scope",
  "unknown",
] as const;
export const PHASES = ["architecture", "implementation", "testing"] as const;

/** Words that real agents write instead, and what they stand for. */
function toleratedStatus(word: string): string | null {
  if (word === "needs-review") return "needs_review";
  if (word === "in-progress") return "in-progress";
  return /^approved\b|^approved_/i.test(word) ? "complete" : null;
}

const verification = shape.record({
  tests_passed: field.optional(shape.boolean(), { rule: "004-R18", about: "Whether all tests pass." }),
  build_success: field.optional(shape.boolean(), { rule: "004-R18", about: "Whether it builds." }),
  lint_passed: field.optional(shape.boolean(), { rule: "004-R18", about: "Whether the linter is content." }),
  coverage_percent: field.optional(shape.number({ minimum: 0, maximum: 100 }), {
    rule: "004-R18",
    about: "Percent covered, as a number.",
  }),
  command_output: field.optional(shape.text(), { rule: "004-R18", about: "The last lines the check printed." }),
  patterns_referenced: field.optional(shape.boolean(), {
    rule: "004-R19",
    about: "Whether existing patterns were looked up.",
  }),
  decisions_documented: field.optional(shape.boolean(), {
    rule: "004-R19",
    about: "Whether decisions are written down.",
  }),
  rationale_provided: field.optional(shape.boolean(), { rule: "004-R19", about: "Whether their reasons are." }),
});

const blocker = shape.record({
  type: field.required(shape.text(), { rule: "004-R22", about: "Kind of blocker, such as missing_dependency." }),
  description: field.required(shape.text(), { rule: "004-R22", about: "What blocks." }),
  resolution: field.required(shape.text(), { rule: "004-R22", about: "What would resolve it." }),
});

const handoff = shape.record({
  next_agent: field.optional(shape.nullable(shape.formatted(agentName)), {
    rule: "004-R13",
    about: "Suggested next agent; null when blocked or finished.",
  }),
  next_phase: field.optional(shape.oneOf(["implementation", "testing", "complete"]), {
    rule: "004-R20",
    about: "implementation, testing or complete.",
  }),
  context: field.optional(shape.text(), { rule: "004-R21", about: "What the next agent must know." }),
  blockers: field.optional(shape.list(blocker), { rule: "004-R22", about: "What blocks; only when blocked." }),
});

export const outputShape = shape.record({
  agent: field.optional(shape.formatted(agentName), { rule: "004-R03", about: "The agent that writes this output." }),
  output_type: field.optional(shape.text(), {
    rule: "004-R04",
    about: "What kind of output it is, such as implementation.",
  }),
  timestamp: field.optional(shape.formatted(timestamp), { rule: "004-R05", about: "When it was written, ISO 8601." }),
  feature_directory: field.optional(shape.filledText(), {
    rule: "004-R06",
    about: "Directory of the feature, from the project root.",
  }),
  skills_invoked: field.optional(texts, { rule: "004-R03", about: "Skills used; may be empty." }),
  library_skills_read: field.optional(texts, { rule: "004-R03", about: "Library skills read; may be empty." }),
  source_files_verified: field.optional(shape.list(shape.formatted(verifiedRange)), {
    rule: "004-R07",
    about: "Places read, as path:start-end.",
  }),
  status: field.required(
    shape.outcome(["complete", "blocked", "needs_review"], { done: "complete" }, toleratedStatus),
    {
      rule: "004-R08",
      about: "complete, blocked or needs_review.",
    },
  ),
  blocked_reason: field.optional(shape.oneOf(BLOCKED_REASONS), {
    rule: "004-R09",
    about: `When blocked: ${BLOCKED_REASONS.join(", ")}.`,
  }),
  attempted: field.optional(texts, { rule: "004-R10", about: "When blocked: what you tried." }),
  phase: field.optional(shape.oneOf(PHASES), { rule: "004-R14", about: "architecture, implementation or testing." }),
  summary: field.optional(shape.filledText(), {
    rule: "004-R15",
    about: "What was done, in one or two sentences with names and numbers.",
  }),
  files_modified: field.optional(shape.list(shape.formatted(relativePath)), {
    rule: "004-R16",
    about: "Paths from the repository root.",
  }),
  artifacts: field.optional(texts, { rule: "004-R17", about: "Paths of documents and diagrams made." }),
  verification: field.optional(verification, { rule: "004-R18", about: "What shows that the work is right." }),
  handoff: field.optional(shape.nullable(handoff), { rule: "004-R13", about: "What the next agent gets." }),
});

export type OutputDocument = Infer<typeof outputShape>;
