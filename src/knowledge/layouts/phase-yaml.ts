import { WORDS } from "../../protocol/dialects/phase-yaml/words.ts";
import type { SectionTitle } from "../packet.ts";
import { itemOf, plainName, printItem, packetAsYaml, treeOf, type TreeNames } from "./packet-tree.ts";
import { inertLine, pageOf, type PacketLayout } from "./page.ts";

/** In the order in which a coordinator of 002 reads: figures, then context. */
const SECTIONS = {
  "Issues to Fix": "issues_to_fix",
  "Fields of the Run": "run",
  "Reported Figures": "metrics",
  Delivered: "summary",
  Context: "context",
  "Blocking Questions": "blocking_questions",
  "Answered Questions": "answered_questions",
  Warnings: "warnings",
  "Files to Review": "files_to_review",
  "Patterns to Follow": "patterns",
  Decisions: "decisions",
  Limitations: "limitations",
  Assumptions: "assumptions",
  "Files Changed": "files_changed",
  "Test Requirements": "test_requirements",
  "Next Steps": "next_steps",
} as const satisfies Readonly<Record<SectionTitle, string>>;

/** The `context` of a handoff of 002: each dependency with its phase, its status and its metrics (002-R19). */
const NAMES: TreeNames = {
  issues: "issues_to_fix",
  fields: "run",
  tasks: "dependencies",
  project: "project",
  leftOut: "left_out",
  section: (title) => SECTIONS[title],
  task: ({ task, name, phase, outcome }) => ({
    task,
    name,
    ...(phase === null ? {} : { phase: PHASE_WORDS[phase] ?? phase }),
    status: WORDS[outcome],
  }),
  item: itemOf,
};

/** 002 writes its phases with a capital. */
const PHASE_WORDS: Readonly<Record<string, string>> = {
  research: "Research",
  planning: "Planning",
  infrastructure: "Infrastructure",
  implementation: "Implementation",
  testing: "Testing",
  integration: "Integration",
  qa: "QA",
  complete: "Complete",
};

export const phaseYamlLayout: PacketLayout = {
  render(packet) {
    const tree = treeOf(pageOf(packet, Object.keys(SECTIONS) as SectionTitle[]), NAMES);
    return Object.keys(tree).length === 0 ? "" : packetAsYaml({ context: tree });
  },
  line: (title, line) => printItem(itemOf(title, inertLine(line)), plainName),
};
