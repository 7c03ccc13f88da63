import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Filling } from "../../dialect.ts";
import { fileLine, lineRange, relativePath, tag } from "../../format.ts";
import { type Handoff, type Outcome, groupsOf } from "../../handoff.ts";
import { loopReasonOf, loopTargetOf } from "../blocked-reason.ts";
import { present, withExtensions } from "../lift-and-lower.ts";
import { withNamedParts } from "../phase-yaml/named-context.ts";
import { isDone, isSaid, unsettledIssues, remarkOf, sayParts } from "../say-parts.ts";
import { fits } from "../../unfilled-template.ts";
import { WORDS } from "./words.ts";

export function lower(stated: Handoff, filling: Filling): JsonRecord {
  const handoff = withNamedParts(stated);
  const outcome = WORDS[handoff.outcome];
  const { work } = groupsOf(handoff);
  const document = present({
    outcome,
    files_created: extendedBy(work.created, artifactFiles(handoff))?.map(lowerCreated),
    files_modified: extendedBy(work.modified, fixedFiles(handoff))?.map((file) => lowerModified(file, handoff.summary)),
    patterns_discovered: lowerPatterns(handoff),
    gotchas: lowerGotchas(handoff),
    dependencies_for_next: extendedBy(handoff.files_to_read, sourceFiles(handoff))?.map((read) => ({
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

function extendedBy<T>(own: T[] | undefined, more: readonly T[]): T[] | undefined {
  return more.length === 0 ? own : [...(own ?? []), ...more];
}

/** Decisions are what later tasks follow. */
function lowerPatterns({ knowledge, context }: Handoff) {
  const decisions = (context?.decisions ?? []).filter(isSaid).map((pattern): Pattern => ({ pattern }));
  return extendedBy(knowledge?.patterns, decisions)?.map((pattern) => ({
    ...pattern,
    pattern: pattern.pattern ?? "",
    location: pattern.location ?? "",
    applies_to: (pattern.applies_to ?? []).filter((word) => fits(word, tag)),
  }));
}

type Pattern = NonNullable<NonNullable<Handoff["knowledge"]>["patterns"]>[number];
type Gotcha = NonNullable<NonNullable<Handoff["knowledge"]>["gotchas"]>[number];

/** What a later task must know and has no field for. */
function lowerGotchas(handoff: Handoff) {
  const { context, knowledge } = groupsOf(handoff);
  const isRemarked = isDone(handoff) && remarkOf(handoff) !== undefined;
  const remark = isRemarked ? [remarkOf(handoff), handoff.summary].filter(isSaid).join(": ") : undefined;
  const known = [remark, context.text, ...(context.limitations ?? [])].filter(isSaid);
  const said = [...known, ...sayParts(handoff, ["assumptions", "attempted", "dependsOn", "data"])];
  const issues = (isDone(handoff) ? unsettledIssues(handoff) : []).map(
    ({ id, description, location, remediation, severity }): Gotcha =>
      present({
        id,
        issue: description,
        discovered_in: location,
        mitigation: remediation,
        severity: level(severity) as "high" | "medium" | "low",
      }),
  );
  return extendedBy(knowledge.gotchas, [...said.map((issue): Gotcha => ({ issue })), ...issues])?.map((gotcha) => ({
    ...gotcha,
    issue: gotcha.issue ?? "",
    discovered_in: gotcha.discovered_in ?? "",
    mitigation: gotcha.mitigation ?? "",
    severity: level(gotcha.severity),
  }));
}

type FileChange = NonNullable<NonNullable<Handoff["work"]>["modified"]>[number];

function artifactFiles({ work }: Handoff): FileChange[] {
  const named = new Set([...(work?.created ?? []), ...(work?.modified ?? [])].map((file) => file.path));
  return (work?.artifacts ?? [])
    .filter((artifact) => fits(artifact.path, relativePath) && !named.has(artifact.path))
    .map(({ path, purpose }): FileChange => present({ path, purpose }));
}

/** Sources that an agent read for its work are worth reading for the next one. */
function sourceFiles({ work }: Handoff): { file: string; reason: string }[] {
  return (work?.verified ?? []).flatMap((place) => {
    const file = place.replace(/:[\d:-]+$/, "");
    return fits(file, relativePath) ? [{ file, reason: `Read for this work: ${place}` }] : [];
  });
}

/** A fix says which file it changed. */
function fixedFiles({ findings, work }: Handoff): FileChange[] {
  const named = new Set(work?.modified?.map((file) => file.path));
  return (findings?.fixes ?? []).flatMap(({ location, description }): FileChange[] => {
    const path = fits(location, fileLine) ? location.replace(/:[\d:-]+$/, "") : undefined;
    return fits(path, relativePath) && !named.has(path) ? [present({ path, description })] : [];
  });
}

function lowerCreated(file: FileChange) {
  return { ...file, path: safePath(file.path), purpose: file.purpose ?? file.description ?? "", lines: lines(file) };
}

function lowerModified(file: FileChange, summary: string | undefined) {
  const change = ["add", "modify", "delete", "refactor"].includes(file.change_type ?? "") ? file.change_type : "modify";
  const kept = {
    ...file,
    path: safePath(file.path),
    change_type: change,
    description: file.description ?? file.purpose ?? summary ?? "",
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
  const stated = handoff.next_steps ?? [];
  const all = [
    ...stated,
    ...(stated.length > 0 ? [] : stepsOf(handoff).map((step) => ({ step, priority: "high" as const }))),
  ];
  const steps = all.map((step) => ({
    ...step,
    step: step.step ?? "",
    priority: level(step.priority),
    depends_on: ("depends_on" in step ? step.depends_on : undefined) ?? [],
  }));
  if (steps.length > 0) return steps;
  if (outcome !== "partial") return handoff.next_steps && [];
  const step = `Finish what was handed over as ${handoff.status ?? handoff.outcome}`;
  filling.filledIn("suggested_next_steps", step, "partial work must say what to do next");
  return [{ step, priority: "high", depends_on: [] }];
}

/** What the source asks for, where it suggests no steps. */
function stepsOf(handoff: Handoff): string[] {
  if (handoff.dialect === "task-yaml") return [];
  const checks = sayParts(handoff, ["command"]);
  if (isDone(handoff)) return [...handingOn(handoff), ...sayParts(handoff, ["tests", "requirements"]), ...checks];
  const { routing } = groupsOf(handoff);
  const target = loopTargetOf(handoff);
  return [
    ...unsettledIssues(handoff).map((issue) =>
      [`Fix: ${issue.description ?? ""}`, issue.remediation].filter(isSaid).join(". "),
    ),
    ...[handoff.error?.suggested_action].filter(isSaid),
    ...(target === undefined ? [] : [`Send it back to ${target}: ${routing.loop?.reason ?? loopReasonOf(handoff)}`]),
    ...(handoff.outcome === "needs-review"
      ? [`Get the approval${isSaid(handoff.to) ? `, then hand on to ${handoff.to}` : ""}`]
      : []),
    ...(UNFINISHED.has(handoff.outcome) && isSaid(handoff.from) ? [`${handoff.from} finishes the work`] : []),
    ...checks,
  ];
}

/** Whom finished work is for, what it is about where no file says so, and where it is found. */
function handingOn(handoff: Handoff): string[] {
  const about = handoff.work?.modified === undefined ? handoff.summary : undefined;
  const to = isSaid(handoff.to) ? `Hand on to ${handoff.to}` : undefined;
  const said = [about, to, ...sayParts(handoff, ["references"])].filter(isSaid);
  return said.length === 0 ? [] : [said.join(". ")];
}

const UNFINISHED: ReadonlySet<Outcome> = new Set(["in-progress", "pending"]);

type Blocker = NonNullable<Handoff["blockers"]>[number];

function lowerBlockers(handoff: Handoff, outcome: string, filling: Filling) {
  const isCompleted = outcome === "completed";
  const stated = handoff.blockers ?? [];
  const found = isCompleted || handoff.dialect === "task-yaml" ? [] : troubles(handoff);
  if (stated.length + found.length > 0)
    return [...stated, ...found].map((blocker) => lowerBlocker(blocker, handoff, outcome, filling));
  if (isCompleted) return handoff.blockers && [];
  const blocker = handoff.summary ?? `Handed over as ${handoff.status ?? handoff.outcome}`;
  filling.filledIn("blockers", blocker, `${outcome} work must say what stands in its way`);
  return [lowerBlocker({ description: blocker, impact: "" }, handoff, outcome, filling)];
}

/** Whatever the source says stands in the way, beside its blockers. */
function troubles(handoff: Handoff): Blocker[] {
  const { findings, routing } = groupsOf(handoff);
  const { error } = handoff;
  const isStated = (handoff.blockers ?? []).length > 0;
  const remark = remarkOf(handoff);
  return [
    ...(remark === undefined ? [] : [{ description: remark }]),
    ...(error === undefined ? [] : [present({ description: error.message, resolution: error.suggested_action })]),
    ...unsettledIssues(handoff).map((issue, at) =>
      present({
        description: issue.description,
        impact: [[issue.severity, issue.location].filter(isSaid).join(" issue at "), at === 0 ? handoff.summary : ""]
          .filter(isSaid)
          .join(": "),
        resolution: issue.remediation,
      }),
    ),
    ...(findings.failures ?? []).map((failure) => present({ description: failure.description, type: failure.type })),
    ...(isStated || !isSaid(routing.on_failure?.context) ? [] : [{ description: routing.on_failure.context }]),
  ].filter((blocker) => isSaid(blocker.description));
}

function lowerBlocker(blocker: Blocker, handoff: Handoff, outcome: string, filling: Filling): JsonRecord {
  const { description, resolution, blocks, ...rest } = blocker;
  const own = handoff.dialect === "task-yaml";
  return {
    ...rest,
    blocker: filledText(description),
    impact: rest.impact ?? (own ? "" : (handoff.summary ?? "")),
    suggested_resolution: own || outcome !== "failed" || isSaid(resolution) ? (resolution ?? "") : wayOut(filling),
    blocking_tasks: waitingTasks(blocks, handoff, outcome, filling),
  };
}

function wayOut(filling: Filling): string {
  filling.filledIn("blockers.suggested_resolution", "Ask the author", "failed work must name a way out");
  return "Ask the author";
}

function waitingTasks(blocks: string[] | undefined, handoff: Handoff, outcome: string, filling: Filling): string[] {
  const waiting = blocks ?? handoff.depends_on ?? [];
  if (handoff.dialect === "task-yaml" || outcome !== "blocked" || waiting.some(isSaid)) return waiting;
  const task = handoff.task?.id ?? "unknown";
  filling.filledIn("blockers.blocking_tasks", task, "blocked work must name what waits for it");
  return [task];
}

function filledText(text: string | undefined): string {
  return text === undefined || text.trim() === "" ? "not stated" : text;
}
