import { atName, atNameOrNone, timestamp } from "../../format.ts";
import { type Infer, field, shape } from "../../shape.ts";

export const PHASES = [
  "Research",
  "Planning",
  "Infrastructure",
  "Implementation",
  "Testing",
  "Integration",
  "QA",
  "Complete",
] as const;
const STATUSES = ["pending", "in_progress", "complete", "failed", "blocked", "retry"] as const;

const onFailure = shape.record({
  retry: field.optional(shape.number({ minimum: 0 }), { rule: "002-R11", about: "Most retries." }),
  route_to: field.optional(shape.formatted(atName), {
    rule: "002-R12",
    about: "The agent that takes a failure over, with its @.",
  }),
  notify: field.optional(shape.formatted(atName), {
    rule: "002-R12",
    about: "The agent that is told of a failure, with its @.",
  }),
  escalate_after: field.optional(shape.number({ minimum: 0 }), {
    rule: "002-R13",
    about: "Failures after which the delegator is asked.",
  }),
  context: field.optional(shape.text(), { rule: "002-R14", about: "What the one who takes over should know." }),
});

const handoff = shape.record({
  phase: field.required(shape.oneOf(PHASES), { rule: "002-R03", about: `The phase now: ${PHASES.join(", ")}.` }),
  from: field.required(shape.formatted(atName), {
    rule: "002-R04",
    about: 'The agent that finishes this phase, with its @ and in quotes: "@name".',
  }),
  to: field.required(shape.nullable(shape.formatted(atNameOrNone)), {
    rule: "002-R05",
    about: 'The next agent, with its @ and in quotes, or "None".',
  }),
  status: field.required(shape.outcome(STATUSES, { done: "complete", failed: "failed" }), {
    rule: "002-R06",
    about: `How it stands: ${STATUSES.join(", ")}.`,
  }),
  retry_count: field.optional(shape.integer(0), {
    rule: "002-R07",
    about: "Retries made so far; 0 when there were none.",
  }),
  metrics: field.optional(shape.freeMap(), { rule: "002-R08", about: "Figures about the work, under any names." }),
  dependencies: field.optional(shape.list(shape.text()), {
    rule: "002-R09",
    about: "Ids of tasks this depends on or affects, such as task-12 or task-15.3.",
  }),
  on_failure: field.optional(onFailure, { rule: "002-R10", about: "What to do when this fails." }),
  timestamp: field.optional(shape.formatted(timestamp), { rule: "002-R15", about: "When it was written, ISO 8601." }),
  context: field.optional(shape.freeMap(), { rule: "002-R16", about: "Other facts by name." }),
});

export const phaseShape = shape.record({
  handoff: field.required(handoff, { rule: "002-R02", about: "One mapping under the key `handoff`." }),
});

export type PhaseDocument = Infer<typeof phaseShape>;
