import { lineRange, relativePath, tag } from "../../format.ts";
import { type Infer, field, shape } from "../../shape.ts";

const LEVELS = ["high", "medium", "low"] as const;
const texts = shape.list(shape.text());

const created = shape.record({
  path: field.required(shape.formatted(relativePath), { rule: "003-R17", about: "Path from the project root." }),
  purpose: field.required(shape.text(), { rule: "003-R03", about: "What the file is for, in one sentence." }),
  lines: field.required(shape.formatted(lineRange), { rule: "003-R18", about: "N-M, or all." }),
});

const modified = shape.record({
  path: field.required(shape.formatted(relativePath), { rule: "003-R17", about: "Path from the project root." }),
  lines: field.optional(shape.formatted(lineRange), {
    rule: "003-R18",
    about: "The lines affected, N-M, or all; not needed for a deleted file.",
  }),
  change_type: field.required(shape.oneOf(["add", "modify", "delete", "refactor"]), {
    rule: "003-R05",
    about: "add, modify, delete or refactor.",
  }),
  description: field.required(shape.text(), { rule: "003-R04", about: "What changed and why." }),
});

const pattern = shape.record({
  id: field.optional(shape.filledText(), { rule: "003-R09", about: "pattern-001; leave it out to have it made." }),
  pattern: field.required(shape.text(), { rule: "003-R07", about: "The pattern, in one sentence." }),
  location: field.required(shape.text(), { rule: "003-R07", about: "Where it is used or defined." }),
  applies_to: field.required(shape.list(shape.formatted(tag)), {
    rule: "003-R19",
    about: "Tags in lower case with hyphens.",
  }),
});

const gotcha = shape.record({
  id: field.optional(shape.filledText(), { rule: "003-R09", about: "gotcha-001; leave it out to have it made." }),
  issue: field.required(shape.text(), { rule: "003-R08", about: "The trap, in one sentence." }),
  discovered_in: field.required(shape.text(), { rule: "003-R08", about: "Where or how it was found." }),
  mitigation: field.required(shape.text(), { rule: "003-R08", about: "How to avoid or handle it." }),
  severity: field.optional(shape.oneOf(LEVELS), { rule: "003-R20", about: "high, medium or low.", default: "medium" }),
});

const question = shape.record({
  question: field.required(shape.text(), { rule: "003-R11", about: "What is open." }),
  context: field.required(shape.text(), { rule: "003-R11", about: "Why it matters." }),
  recommendation: field.required(shape.text(), { rule: "003-R11", about: "Your own answer." }),
  blocking: field.required(shape.boolean(), { rule: "003-R11", about: "true when it stops the next tasks." }),
});

const blocker = shape.record({
  blocker: field.required(shape.filledText(), { rule: "003-R13", about: "What blocks." }),
  impact: field.required(shape.text(), { rule: "003-R13", about: "What cannot be done.", missing: "warning" }),
  suggested_resolution: field.optional(shape.text(), { rule: "003-R15", about: "How it could be resolved." }),
  blocking_tasks: field.optional(texts, { rule: "003-R16", about: "Ids of the tasks that wait." }),
});

export const taskShape = shape.record({
  outcome: field.required(
    shape.outcome(["completed", "partial", "failed", "blocked"], { done: "completed", failed: "failed" }),
    {
      rule: "003-R02",
      about: "completed, partial (work can go on), failed (needs help) or blocked (something outside prevents it).",
    },
  ),
  files_created: field.optional(shape.list(created), { rule: "003-R03", about: "Every file you created." }),
  files_modified: field.optional(shape.list(modified), {
    rule: "003-R04",
    about: "Every file you changed or deleted.",
  }),
  patterns_discovered: field.optional(shape.list(pattern), {
    rule: "003-R07",
    about: "Patterns the next agent should follow.",
  }),
  gotchas: field.optional(shape.list(gotcha), { rule: "003-R08", about: "Traps you found." }),
  dependencies_for_next: field.optional(
    shape.list(
      shape.record({
        file: field.required(shape.formatted(relativePath), {
          rule: "003-R17",
          about: "Path the next agent should read.",
        }),
        reason: field.required(shape.text(), { rule: "003-R10", about: "Why." }),
      }),
    ),
    { rule: "003-R10", about: "Files the next agent should read." },
  ),
  open_questions: field.optional(shape.list(question), { rule: "003-R11", about: "What you could not settle." }),
  suggested_next_steps: field.optional(
    shape.list(
      shape.record({
        step: field.required(shape.text(), { rule: "003-R12", about: "What should happen next." }),
        priority: field.required(shape.oneOf(LEVELS), { rule: "003-R21", about: "high, medium or low." }),
        depends_on: field.required(texts, { rule: "003-R12", about: "Files or components it needs; may be empty." }),
      }),
    ),
    { rule: "003-R12", about: "What should happen next; required when partial." },
  ),
  blockers: field.optional(shape.list(blocker), {
    rule: "003-R13",
    about: "What stopped you; required unless completed.",
  }),
});

export type TaskDocument = Infer<typeof taskShape>;
