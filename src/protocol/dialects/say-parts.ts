import { type JsonRecord, shown } from "../../shared/json-value.ts";
import { type Handoff, type Outcome, groupsOf } from "../handoff.ts";

/**
 * What a handoff says, as sentences: for a target that has no field for a part, but a context that the next agent reads.
 * Values stand in the sentences as they are, so that carried parts can refer to them.
 */
type SayablePart = keyof typeof SAYERS;

export function sayParts(handoff: Handoff, parts: readonly SayablePart[], said?: string): string[] {
  const sentences = parts.flatMap((part) => SAYERS[part](handoff));
  return sentences.filter((sentence) => said === undefined || !sentence.endsWith(said));
}

const REMARKS: Readonly<Partial<Record<Outcome, string>>> = {
  "done-with-warnings": "Done, with remarks",
  "needs-review": "Waits for the approval of a person before it goes on",
  "in-progress": "The work is not finished",
  pending: "The work has not begun",
  skipped: "The step was skipped",
};

/** What the outcome says beyond the word that a target has for it. */
export function remarkOf({ outcome }: Handoff): string | undefined {
  return REMARKS[outcome];
}

type Issues = NonNullable<NonNullable<Handoff["findings"]>["issues"]>;

export function unsettledIssues(handoff: Handoff): Issues {
  return (handoff.findings?.issues ?? []).filter((issue) => issue.status === undefined || issue.status === "open");
}

/** What stands in the way or was found, in one line; undefined when nothing is said. */
export function troubleOf(handoff: Handoff): string | undefined {
  const { findings, routing } = groupsOf(handoff);
  return [
    handoff.error?.message,
    handoff.blockers?.[0]?.description,
    unsettledIssues(handoff)[0]?.description,
    findings.failures?.[0]?.description,
    routing.on_failure?.context,
  ].find(isSaid);
}

const DONE: ReadonlySet<Outcome> = new Set(["done", "done-with-warnings", "skipped"]);

/** Whether the work may go on. */
export function isDone({ outcome }: Handoff): boolean {
  return DONE.has(outcome);
}

/** One line that says what the handoff is about: its summary, or what stands for it. */
export function headlineOf(handoff: Handoff): string | undefined {
  const { context, work } = groupsOf(handoff);
  const trouble = isDone(handoff) ? undefined : troubleOf(handoff);
  const files = [...(work.created ?? []), ...(work.modified ?? [])].map((file) => file.description ?? file.purpose);
  return [handoff.summary, trouble, context.decisions?.[0], taskTitle(handoff), context.text, ...files].find(isSaid);
}

export function isSaid(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text.trim() !== "";
}

function taskTitle({ task }: Handoff): string | undefined {
  if (!isSaid(task?.name)) return undefined;
  return task.id === undefined ? task.name : `Task ${task.id}: ${task.name}`;
}

/** `Label: a. b.` of the pieces that say something; nothing when the first does not. */
function say(label: string, first: string | undefined, ...more: (string | undefined)[]): string[] {
  if (!isSaid(first)) return [];
  return [`${label}: ${[first, ...more.filter(isSaid)].map(stopped).join(" ")}`];
}

function stopped(text: string, index: number, all: readonly string[]): string {
  return index === all.length - 1 || /[.!?:]$/.test(text) ? text : `${text}.`;
}

function labelled(label: string, text: string | undefined): string | undefined {
  return isSaid(text) ? `${label}: ${text}` : undefined;
}

function note(label: string, ...notes: (string | undefined)[]): string {
  const given = notes.filter(isSaid);
  return given.length === 0 ? label : `${label} (${given.join(", ")})`;
}

const SAYERS = {
  remark: (handoff: Handoff) => say("Outcome", remarkOf(handoff)),
  task: (handoff: Handoff) => (taskTitle(handoff) === undefined ? [] : [taskTitle(handoff) ?? ""]),
  summary: ({ summary }: Handoff) => (isSaid(summary) ? [summary] : []),
  text: ({ context }: Handoff) => (isSaid(context?.text) ? [context.text] : []),
  decisions: ({ context }: Handoff) => (context?.decisions ?? []).flatMap((text) => say("Decision", text)),
  limitations: ({ context }: Handoff) => (context?.limitations ?? []).flatMap((text) => say("Limitation", text)),
  assumptions: ({ context }: Handoff) => (context?.assumptions ?? []).flatMap((text) => say("Assumption", text)),
  requirements: ({ requirements = [] }: Handoff) => requirements.flatMap((text) => say("Required", text)),
  patterns: ({ knowledge }: Handoff) =>
    (knowledge?.patterns ?? []).flatMap((item) => say("Pattern", item.pattern, labelled("See", item.location))),
  gotchas: ({ knowledge }: Handoff) =>
    (knowledge?.gotchas ?? []).flatMap((item) =>
      say(
        note("Watch out", item.severity, isSaid(item.discovered_in) ? `found in ${item.discovered_in}` : undefined),
        item.issue,
        item.mitigation,
      ),
    ),
  files: ({ work }: Handoff) => [
    ...(work?.artifacts ?? []).flatMap((file) => say("File", file.path, file.purpose)),
    ...(work?.created ?? []).flatMap((file) => say("Created", file.path, file.purpose ?? file.description)),
    ...(work?.modified ?? []).flatMap((file) =>
      say(file.change_type === "delete" ? "Deleted" : "Changed", file.path, file.description ?? file.purpose),
    ),
  ],
  filesToRead: ({ files_to_read = [] }: Handoff) =>
    files_to_read.flatMap((item) => say("Read", item.file, item.reason)),
  questions: ({ questions = [] }: Handoff) =>
    questions.flatMap((item) =>
      say(
        note("Open question", item.blocking === true ? "blocking" : undefined),
        item.question,
        item.context,
        labelled("Recommendation", item.recommendation),
      ),
    ),
  nextSteps: ({ next_steps = [] }: Handoff) =>
    next_steps.flatMap((item) =>
      say(note("Next", item.priority), item.step, labelled("Needs", listed(item.depends_on))),
    ),
  blockers: ({ blockers = [] }: Handoff) =>
    blockers.flatMap((item) =>
      say(
        note("Blocker", item.type),
        item.description,
        labelled("Impact", item.impact),
        labelled("Resolution", item.resolution),
        labelled("Waiting", listed(item.blocks)),
      ),
    ),
  issues: (handoff: Handoff) => unsettledIssues(handoff).flatMap(sayIssue),
  settledIssues: ({ findings }: Handoff) =>
    (findings?.issues ?? []).filter((issue) => issue.status === "wontfix").flatMap(sayIssue),
  failures: ({ findings }: Handoff) =>
    (findings?.failures ?? []).flatMap((item) => say(note("Failed check", item.type, item.location), item.description)),
  fixes: ({ findings }: Handoff) =>
    (findings?.fixes ?? []).flatMap((item) => say(note("Fixed", item.location), item.description)),
  error: ({ error }: Handoff) =>
    say(
      note("Error", error?.type),
      error?.message,
      error?.details,
      labelled("Suggested action", error?.suggested_action),
    ),
  attempted: ({ routing }: Handoff) => (routing?.attempted ?? []).flatMap((text) => say("Tried", text)),
  blockedReason: ({ routing }: Handoff) => say("Blocked by", routing?.blocked_reason),
  loop: ({ routing }: Handoff) =>
    routing?.loop?.required === true
      ? say("Send back to", routing.loop.target ?? undefined, labelled("Reason", routing.loop.reason ?? undefined))
      : [],
  onFailure: ({ routing }: Handoff) => [
    ...say("On failure to", routing?.on_failure?.route_to, routing?.on_failure?.context),
    ...(isSaid(routing?.on_failure?.route_to) ? [] : say("On failure", routing?.on_failure?.context)),
  ],
  tests: ({ test_requirements: wanted }: Handoff) => [
    ...(wanted?.coverage === undefined ? [] : [`Tests must cover ${wanted.coverage} %`]),
    ...(wanted?.critical_paths ?? []).flatMap((text) => say("Test", text)),
    ...(wanted?.edge_cases_to_test ?? []).flatMap((text) => say("Test the edge case", text)),
  ],
  dependsOn: ({ depends_on }: Handoff) => say("Depends on or affects", listed(depends_on)),
  describedFiles: ({ work }: Handoff) => [
    ...[...(work?.artifacts ?? []), ...(work?.created ?? [])].flatMap((file) =>
      isSaid(file.purpose) ? say(file.path ?? "", file.purpose) : [],
    ),
    ...(work?.modified ?? []).flatMap((file) =>
      isSaid(file.description) ? say(file.path ?? "", file.description) : [],
    ),
  ],
  command: ({ checks }: Handoff) => [
    ...say("Check with", checks?.command, labelled("Expected", checks?.expected_result)),
    ...(checks?.checklist ?? []).flatMap((text) => say("To check", text)),
  ],
  references: ({ work, issue, pull_request }: Handoff) => [
    ...say("Issue", issue?.url, issue?.title),
    ...say("Pull request", pull_request?.url),
    ...say("Branch", work?.branch),
    ...(work?.commits ?? []).flatMap((item) => say("Commit", item.sha, item.message)),
  ],
  sources: ({ work }: Handoff) => [
    ...say("Directory", work?.directory),
    ...(work?.verified ?? []).flatMap((place) => say("Read in the source", place)),
  ],
  data: ({ context }: Handoff) => Object.entries(context?.data ?? {}).flatMap(([key, value]) => sayDatum(key, value)),
} as const satisfies Readonly<Record<string, (handoff: Handoff) => string[]>>;

function sayIssue(issue: Issues[number]): string[] {
  const place = isSaid(issue.location) ? `at ${issue.location}` : undefined;
  return say(
    note(issue.id === undefined ? "Issue" : `Issue ${issue.id}`, issue.severity, issue.category, place),
    issue.description,
    labelled("Fix", issue.remediation),
  );
}

function sayDatum(key: string, value: JsonRecord[string]): string[] {
  return value === undefined || value === null ? [] : say(key, shown(value));
}

function listed(texts: readonly string[] | undefined): string | undefined {
  return texts === undefined || texts.length === 0 ? undefined : texts.join(", ");
}
