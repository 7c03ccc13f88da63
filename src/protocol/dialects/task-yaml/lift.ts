import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Origin } from "../../dialect.ts";
import type { Handoff, Outcome } from "../../handoff.ts";
import { compact, present, extended, unknownFields } from "../lift-and-lower.ts";
import { type TaskDocument, taskShape } from "./shape.ts";

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  completed: "done",
  partial: "needs-fixes",
  failed: "failed",
  blocked: "blocked",
};

export function lift(raw: JsonRecord, origin: Origin, isClosed = false): Handoff {
  const document = raw as unknown as TaskDocument;
  const handoff: Handoff = present({
    dialect: "task-yaml",
    task: origin.task && { ...origin.task },
    outcome: OUTCOMES[document.outcome] ?? "failed",
    status: document.outcome,
    work: compact({ created: document.files_created, modified: document.files_modified }),
    knowledge: compact({
      patterns: document.patterns_discovered,
      gotchas: document.gotchas?.map((gotcha) => ({ ...gotcha, severity: gotcha.severity ?? "medium" })),
    }),
    files_to_read: document.dependencies_for_next,
    questions: document.open_questions,
    next_steps: document.suggested_next_steps,
    blockers: document.blockers?.map(liftBlocker),
  });
  return isClosed ? handoff : extended(handoff, unknownFields(raw, taskShape));
}

function liftBlocker(item: NonNullable<TaskDocument["blockers"]>[number]) {
  const { blocker, suggested_resolution, blocking_tasks, ...rest } = item;
  return present({ ...rest, description: blocker, resolution: suggested_resolution, blocks: blocking_tasks });
}
