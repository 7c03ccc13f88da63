import { WORDS } from "../../protocol/dialects/pipeline-json/words.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { SectionTitle } from "../packet.ts";
import { itemOf, itemWith, printItem, packetAsJson, treeOf, type TreeNames } from "./packet-tree.ts";
import { type InertLine, inertLine, pageOf, type PacketLayout } from "./page.ts";

/** The context object of 000: issues to fix, then the previous handoffs under the field names of 000. */
const NAMES: TreeNames = {
  issues: "issues_to_fix",
  fields: "run",
  tasks: "previous_handoffs",
  project: "project",
  leftOut: "left_out",
  section: (title, line) => (title === "Test Requirements" ? requirementName(line) : SECTIONS[title]),
  task: ({ task, name, outcome }) => ({ task, name, status: WORDS[outcome] }),
  item: pipelineItem,
};

function pipelineItem(title: SectionTitle, line: InertLine): JsonRecord {
  if (title === "Issues to Fix") return issueItem(line);
  // The name of its list says what kind of requirement it is.
  return itemOf(title, title === "Test Requirements" ? { ...line, detail: "" } : line);
}

/** In the order of 000; sections that it has no field for follow. */
const SECTIONS = {
  "Issues to Fix": "issues_to_fix",
  "Fields of the Run": "run",
  Delivered: "summary",
  "Files Changed": "artifacts",
  Decisions: "context.design_decisions",
  Limitations: "context.known_limitations",
  Assumptions: "context.assumptions",
  Context: "context.notes",
  "Test Requirements": "test_requirements",
  "Reported Figures": "metrics",
  "Blocking Questions": "blocking_questions",
  "Answered Questions": "answered_questions",
  "Files to Review": "files_to_review",
  "Patterns to Follow": "patterns",
  Warnings: "warnings",
  "Next Steps": "next_steps",
} as const satisfies Readonly<Record<SectionTitle, string>>;

function requirementName({ detail }: InertLine): string {
  if (detail === "critical path") return "test_requirements.critical_paths";
  return detail === "edge case" ? "test_requirements.edge_cases_to_test" : "test_requirements.coverage";
}

/** As the orchestrator of 000 writes them: file and line in separate fields. */
function issueItem({ id, severity, place, text, detail, source }: InertLine): JsonRecord {
  const [, file = place, line = ""] = /^(.*?):(\d+)/.exec(place) ?? [];
  const number = line === "" ? "" : Number(line);
  return itemWith({ id, severity, file, line: number, description: text, remediation: detail }, source);
}

export const pipelineJsonLayout: PacketLayout = {
  render(packet) {
    const tree = treeOf(pageOf(packet, Object.keys(SECTIONS) as SectionTitle[]), NAMES);
    return Object.keys(tree).length === 0 ? "" : packetAsJson(tree);
  },
  line: (title, line) => printItem(NAMES.item(title, inertLine(line)), JSON.stringify),
};
