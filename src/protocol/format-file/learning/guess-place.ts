import type { Shape } from "../../shape.ts";
import { type CanonicalPlace, CANONICAL_ROOT, placeAt } from "../canonical-place.ts";
import { itemPlace } from "../place-fits.ts";
import type { Confidence } from "./guess-outcome.ts";

export interface PlaceGuess {
  readonly place: string;
  readonly confidence: Confidence;
}

/** `filesChanged`, `files-changed` and `@filesChanged` are one name. */
export function bareName(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase();
}

/** What a field outside of lists most likely means, by its name; places are counted from the root. */
export function guessPlace(name: string): PlaceGuess | null {
  const bare = bareName(name);
  return (
    lookUp(ROOT_NAMES, bare) ??
    lookUp(ROOT_NAMES, bare.replace(/^(?:handoff|agent|the)_|_(?:list|text|info)$/, ""), "low")
  );
}

/** What a field of an entry of this list most likely means; places are counted from the entry. */
export function guessEntryPlace(list: string, name: string): PlaceGuess | null {
  const guess = lookUp(ENTRY_NAMES, bareName(name));
  const entry = guess === null ? null : entryOf(list);
  return guess !== null && entry !== null && placeAt(guess.place, entry).place !== null ? guess : null;
}

/** What an entry that is a text most likely means; null where texts need no further place. */
export function textEntryPlace(list: string): string | null {
  return TEXT_ENTRIES[list] ?? null;
}

function entryOf(list: string): CanonicalPlace | null {
  const { place } = placeAt(list, CANONICAL_ROOT);
  return place === null ? null : itemPlace(place);
}

/** What the canonical handoff says of a place. */
export function aboutPlace(place: string, list: string | null): string | null {
  const steps = `${list === null ? "" : `${list}.`}${place}`.split(".");
  let shape: Shape | undefined = CANONICAL_ROOT.shape ?? undefined;
  let about: string | null = null;
  for (const step of steps) {
    const record: Shape | undefined = shape?.kind === "list" ? shape.item : shape;
    const field = record?.kind === "record" ? record.fields[step] : undefined;
    about = field?.about ?? null;
    shape = field?.shape;
  }
  return about;
}

type Names = ReadonlyMap<string, PlaceGuess>;

function lookUp(names: Names, bare: string, atMost: Confidence = "high"): PlaceGuess | null {
  const guess = names.get(bare);
  return guess === undefined ? null : atMost === "high" ? guess : { ...guess, confidence: atMost };
}

/** Names that are clear, and after the bar names that are used for other things too. */
function namesOf(table: Readonly<Record<string, string>>): Names {
  const names = new Map<string, PlaceGuess>();
  for (const [place, listed] of Object.entries(table)) {
    const [clear = "", likely = ""] = listed.split("|");
    for (const name of words(likely)) names.set(name, { place, confidence: "medium" });
    for (const name of words(clear)) names.set(name, { place, confidence: "high" });
  }
  return names;
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}

const ROOT_NAMES = namesOf({
  from: "from from_agent source_agent handoff_from sender | agent agent_name author created_by written_by by reporter worker von",
  to: "to to_agent target_agent handoff_to next_agent recipient | next_owner assignee receiver an recommended_next_agent",
  at: "timestamp created_at written_at generated_at completed_at | date time at created updated_at finished_at datum",
  "task.id": "task_id | task ticket ticket_id story_id work_item job_id",
  "task.name": "task_name task_title | title",
  "issue.number": "issue_number | issue issue_id",
  "issue.url": "issue_url",
  "issue.title": "issue_title",
  "pull_request.number": "pr_number pull_request_number | pr",
  "pull_request.url": "pr_url pull_request_url",
  phase: "phase current_phase | stage current_stage",
  iteration: "iteration | round loop_number loop cycle iteration_count",
  attempt: "attempt attempts | retry_count retries",
  summary:
    "summary outcome_summary result_summary work_summary session_summary | headline description message reason bericht",
  requirements: "requirements | acceptance_criteria objective goal goals",
  "work.created": "files_created created_files | created new_files",
  "work.modified":
    "files_modified modified_files files_changed changed_files | modified changes files_touched files_affected",
  "work.artifacts": "artifacts | artefacts deliverables outputs artifacts_produced artefacts_created",
  "work.commits": "commits",
  "work.branch": "branch | branch_name git_branch",
  "context.text": "| context notes note background",
  "context.decisions": "decisions key_decisions design_decisions | decisions_made",
  "context.limitations": "limitations known_limitations | caveats warnings known_issues",
  "context.assumptions": "assumptions",
  "findings.issues": "issues issues_found | findings problems bugs defects found minor_issues",
  "findings.fixes": "fixes fixes_applied",
  "findings.failures": "failures | failed_checks failed_tests",
  "knowledge.gotchas": "gotchas | pitfalls",
  "knowledge.patterns": "patterns patterns_discovered",
  questions: "questions open_questions | unresolved_questions",
  next_steps: "next_steps suggested_next_steps next_actions | next recommendations todos todo remaining",
  blockers: "blockers | blocked_by blocking_issues",
  files_to_read: "files_to_read | read_first",
  depends_on: "depends_on dependencies",
  "checks.command": "test_command verification_command | verify",
  "checks.results": "| tests test_results checks command_results verification",
  "checks.checklist": "checklist",
  metrics: "metrics | figures stats statistics numbers",
  "routing.blocked_reason": "blocked_reason | blocker_reason",
  "routing.attempted": "attempted | attempted_solutions",
  error: "| error failure_details",
});

const ENTRY_NAMES = namesOf({
  path: "path file file_path filename | name",
  purpose: "purpose | role",
  lines: "lines line_range",
  change_type: "change_type | action",
  description: "description issue what details | message summary detail problem title change why text",
  id: "id | key",
  severity: "severity | level weight",
  category: "category | kind",
  location: "location | place where",
  remediation: "remediation fix suggestion suggested_fix | recommendation resolution_hint",
  resolution: "resolution | workaround",
  impact: "impact",
  type: "type",
  sha: "sha commit hash",
  question: "question",
  recommendation: "recommendation",
  context: "context",
  blocking: "blocking is_blocking",
  step: "step | task next",
  priority: "priority",
  depends_on: "depends_on",
  mitigation: "mitigation",
  pattern: "pattern",
  reason: "reason",
});

const TEXT_ENTRIES: Readonly<Record<string, string>> = {
  "work.created": "path",
  "work.modified": "path",
  "work.artifacts": "path",
  "work.commits": "sha",
  "findings.issues": "description",
  "findings.fixes": "description",
  "findings.failures": "description",
  "knowledge.gotchas": "issue",
  "knowledge.patterns": "pattern",
  questions: "question",
  next_steps: "step",
  blockers: "description",
  files_to_read: "file",
};
