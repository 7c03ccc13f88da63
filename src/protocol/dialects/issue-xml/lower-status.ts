import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Filling } from "../../dialect.ts";
import type { Handoff } from "../../handoff.ts";
import { kebabCase } from "../lift-and-lower.ts";
import { isSaid, unsettledIssues } from "../say-parts.ts";
import { type RoleEdge, edgesBetween } from "./edges.ts";
import { STATUS_OUTCOMES, WORDS } from "./words.ts";

/** A word of this format that means this outcome stays; any other takes the table's word, or that of its edge. */
export function lowerStatus(handoff: Handoff, complete: boolean, filling: Filling): string | undefined {
  const { status } = handoff;
  if (complete) return "completed";
  const meant = status === undefined ? undefined : STATUS_OUTCOMES[status];
  if (handoff.dialect === "issue-xml") return meant === undefined ? undefined : status;
  // `completed` is the word of task-yaml, and here of the end of a run.
  if (meant === handoff.outcome && status !== "completed") return status;
  return wordFor(handoff, filling);
}

function wordFor(handoff: Handoff, filling: Filling): string {
  if (handoff.outcome === "needs-fixes") return verdictOf(handoff, filling) === undefined ? "failure" : "success";
  const usual = WORDS[handoff.outcome];
  return usual === "success" ? (edgeFor(handoff, filling)?.fixed?.["status"] ?? usual) : usual;
}

function edgeFor(handoff: Handoff, filling: Filling): RoleEdge | undefined {
  if (!isSaid(handoff.from) || !isSaid(handoff.to)) return undefined;
  return edgesBetween(agentNameFor(handoff.from, filling), agentNameFor(handoff.to, filling))[0];
}

/** The field by which an edge asks for fixes; undefined on an edge that cannot. */
function verdictOf(handoff: Handoff, filling: Filling): "review_status" | "validation_status" | undefined {
  const fixed = edgeFor(handoff, filling)?.fixed ?? {};
  if (fixed["review_status"] === "changes_requested") return "review_status";
  return fixed["validation_status"] === "failed" ? "validation_status" : undefined;
}

/** What asks for fixes on an edge that the format has for it. */
export function lowerVerdict(handoff: Handoff, filling: Filling): JsonRecord {
  if (handoff.dialect === "issue-xml" || handoff.outcome !== "needs-fixes") return {};
  const verdict = verdictOf(handoff, filling);
  if (verdict === "validation_status") return { validation_status: "failed" };
  if (verdict === undefined) return {};
  const severities = unsettledIssues(handoff).map((issue) => issue.severity ?? "medium");
  return {
    review_status: "changes_requested",
    critical_count: String(severities.filter((one) => one === "critical").length),
    important_count: String(severities.filter((one) => one !== "critical" && one !== "low").length),
    suggestion_count: String(severities.filter((one) => one === "low").length),
  };
}

/** In a run an agent has the name of the workflow, elsewhere that of the format. */
export function agentNameFor(name: string, { agents = [] }: Filling): string {
  return agents.includes(name) ? name : kebabCase(name);
}
