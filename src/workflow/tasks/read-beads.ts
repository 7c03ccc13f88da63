import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import type { Priority } from "../definition.ts";
import { type BeadsLine, beadsLines, statusOf } from "./beads-lines.ts";
import { type FoundTask, type Standing, broken, runId } from "./found-task.ts";

/**
 * Issues of beads. `blocks` and `waits-for` order them. A parent orders nobody by itself: its children wait for what it
 * waits for, and it is done when they are. What beads keeps beside work (messages, gates, templates) is no task.
 */
export function readBeads(text: string, path: string): FoundTask[] {
  return beadsLines(text).map(({ issue, line, text: written }) => {
    if (issue !== null) return readIssue(issue);
    const isMerging = /^(?:<{7}|={7}|>{7})/.test(written);
    throw broken(
      path,
      isMerging ? `has an unfinished merge in line ${line}.` : `holds no issue with an id in line ${line}.`,
      "Each line is one issue as JSON; repair the file, or export it again with bd.",
    );
  });
}

function readIssue(issue: NonNullable<BeadsLine["issue"]>): FoundTask {
  const links = linksOf(issue);
  const parent = links.find(({ type }) => type === "parent-child")?.to ?? null;
  const condition = links.find(({ type }) => type === "conditional-blocks");
  const { standing, word } = standingOf(issue);
  const isConditional = standing === "open" && condition !== undefined;
  return {
    id: runId(issue.id),
    sourceId: issue.id,
    name: typeof issue["title"] === "string" && issue["title"] !== "" ? issue["title"] : issue.id,
    priority: priorityOf(issue["priority"]),
    dependsOn: links.filter(({ type }) => ORDERING.has(type)).map(({ to }) => runId(to)),
    brief: briefOf(issue),
    standing: isConditional ? "held" : standing,
    word: isConditional ? `only if ${condition.to} fails` : word,
    parent: parent === null ? null : runId(parent),
  };
}

const ORDERING: ReadonlySet<string> = new Set(["blocks", "waits-for"]);

function linksOf(issue: JsonRecord): { readonly type: string; readonly to: string }[] {
  const list = Array.isArray(issue["dependencies"]) ? issue["dependencies"] : [];
  return list
    .filter(isRecord)
    .flatMap(({ type, depends_on_id: to }) =>
      typeof type === "string" && typeof to === "string" && to !== "" ? [{ type, to }] : [],
    );
}

function standingOf(issue: JsonRecord): { readonly standing: Standing; readonly word: string } {
  const status = statusOf(issue);
  if (status === "closed" || status === "tombstone") return { standing: "done", word: status };
  const type = typeof issue["issue_type"] === "string" ? issue["issue_type"] : "task";
  if (NO_WORK.has(type)) return { standing: "held", word: type };
  if (issue["is_template"] === true) return { standing: "held", word: "a template" };
  if (issue["pinned"] === true) return { standing: "held", word: "pinned" };
  return { standing: status === "open" || status === "in_progress" ? "open" : "held", word: status };
}

const NO_WORK: ReadonlySet<string> = new Set(["message", "molecule", "gate", "agent", "role", "convoy", "event"]);

/** 0 is the most urgent of five. */
function priorityOf(level: unknown): Priority {
  const names: readonly Priority[] = ["critical", "high", "medium", "low", "low"];
  return (typeof level === "number" ? names[level] : undefined) ?? "medium";
}

function briefOf(issue: JsonRecord): string {
  const part = (title: string, key: string): string[] => {
    const text = issue[key];
    if (typeof text !== "string" || text.trim() === "") return [];
    return [title === "" ? text : `${title}:\n${text}`];
  };
  return [
    ...part("", "description"),
    ...part("Design", "design"),
    ...part("Acceptance criteria", "acceptance_criteria"),
    ...part("Notes", "notes"),
  ].join("\n\n");
}
