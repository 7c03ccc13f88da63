import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Filling } from "../../dialect.ts";
import { lineRange, relativePath, tag } from "../../format.ts";
import type { Handoff } from "../../handoff.ts";
import { present, withExtensions } from "../lift-and-lower.ts";
import { fits } from "../../unfilled-template.ts";
import { WORDS } from "./words.ts";

export function lower(handoff: Handoff, filling: Filling): JsonRecord {
  const outcome = WORDS[handoff.outcome];
  const document = present({
    outcome,
    files_created: handoff.work?.created?.map(lowerCreated),
    files_modified: handoff.work?.modified?.map(lowerModified),
    patterns_discovered: handoff.knowledge?.patterns?.map((pattern) => ({
      ...pattern,
      pattern: pattern.pattern ?? "",
      location: pattern.location ?? "",
      applies_to: (pattern.applies_to ?? []).filter((word) => fits(word, tag)),
    })),
    gotchas: handoff.knowledge?.gotchas?.map((gotcha) => ({
      ...gotcha,
      issue: gotcha.issue ?? "",
      discovered_in: gotcha.discovered_in ?? "",
      mitigation: gotcha.mitigation ?? "",
      severity: level(gotcha.severity),
    })),
    dependencies_for_next: handoff.files_to_read?.map((read) => ({
      ...read,
      file: safePath(read.file),
      reason: read.reason ?? "",
    })),
    open_questions: handoff.questions?.map((question) => ({
      ...question,
      question: question.question ?? "",
      context: question.context ?? "",
      recommendation: question.recommendation ?? "",
      blocking: question.blocking ?? true,
    })),
    suggested_next_steps: lowerNextSteps(handoff, outcome, filling),
    blockers: lowerBlockers(handoff, outcome, filling),
  });
  return withExtensions(document, handoff, "task-yaml");
}

type FileChange = NonNullable<NonNullable<Handoff["work"]>["modified"]>[number];

function lowerCreated(file: FileChange) {
  return { ...file, path: safePath(file.path), purpose: file.purpose ?? file.description ?? "", lines: lines(file) };
}

function lowerModified(file: FileChange) {
  const change = ["add", "modify", "delete", "refactor"].includes(file.change_type ?? "") ? file.change_type : "modify";
  const kept = {
    ...file,
    path: safePath(file.path),
    change_type: change,
    description: file.description ?? file.purpose ?? "",
  };
  return change === "delete" && file.lines === undefined ? kept : { ...kept, lines: lines(file) };
}

function lines(file: FileChange): string {
  return fits(file.lines, lineRange) ? file.lines : "all";
}

function safePath(path: string | undefined): string {
  return fits(path, relativePath) ? path : "unknown";
}

function level(word: string | undefined): string {
  if (word === "critical") return "high";
  return word !== undefined && ["high", "medium", "low"].includes(word) ? word : "medium";
}

function lowerNextSteps(handoff: Handoff, outcome: string, filling: Filling) {
  const steps = handoff.next_steps?.map((step) => ({
    ...step,
    step: step.step ?? "",
    priority: level(step.priority),
    depends_on: step.depends_on ?? [],
  }));
  if (outcome !== "partial" || (steps !== undefined && steps.length > 0)) return steps;
  const step = `Finish what was handed over as ${handoff.status ?? handoff.outcome}`;
  filling.filledIn("suggested_next_steps", step, "partial work must say what to do next");
  return [{ step, priority: "high", depends_on: [] }];
}

function lowerBlockers(handoff: Handoff, outcome: string, filling: Filling) {
  const blockers = handoff.blockers?.map(({ description, resolution, blocks, ...rest }) => ({
    ...rest,
    blocker: filledText(description),
    impact: rest.impact ?? "",
    suggested_resolution: resolution ?? "",
    blocking_tasks: blocks ?? [],
  }));
  if (outcome === "completed" || (blockers !== undefined && blockers.length > 0)) return blockers;
  const blocker = handoff.summary ?? `Handed over as ${handoff.status ?? handoff.outcome}`;
  filling.filledIn("blockers", blocker, `${outcome} work must say what stands in its way`);
  return [
    {
      blocker: filledText(blocker),
      impact: "",
      suggested_resolution: handoff.error?.suggested_action ?? "",
      blocking_tasks: [],
    },
  ];
}

function filledText(text: string | undefined): string {
  return text === undefined || text.trim() === "" ? "not stated" : text;
}
