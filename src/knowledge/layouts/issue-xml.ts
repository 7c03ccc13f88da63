import { WORDS } from "../../protocol/dialects/issue-xml/words.ts";
import { SECTION_TITLES, type SectionTitle } from "../packet.ts";
import { type InertLine, inertLine, type PagePart, pageOf, joinedText, type PacketLayout } from "./page.ts";

/** The fields that the chain of 001 has accumulated (001-R23) and the sections of its tasks, as elements. */
export const issueXmlLayout: PacketLayout = {
  render(packet) {
    const { parts, leftOut } = pageOf(packet, SECTION_TITLES);
    if (parts.length === 0 && leftOut.length === 0) return "";
    const out = leftOut.map((line) => `<reason>${escaped(line)}</reason>`);
    return element("context", "", [
      ...parts.flatMap(partLines),
      ...(out.length === 0 ? [] : element("left_out", "", out)),
    ]).join("\n");
  },
  line: (title, line) => itemText(title, inertLine(line)),
};

function partLines({ about, from, sections }: PagePart): string[] {
  const inner = sections.flatMap(({ title, lines }) =>
    element(
      ELEMENTS[title][0],
      "",
      lines.map((line) => itemText(title, line)),
    ),
  );
  if (about === "issues" || about === "fields") return inner;
  if (from === null) return element("project", "", inner);
  const named = attributes({ id: from.task, name: from.name, status: WORDS[from.outcome] });
  return element("task", named, inner);
}

function element(name: string, named: string, inner: readonly string[]): string[] {
  return [`<${name}${named}>`, ...inner.map((line) => `  ${line}`), `</${name}>`];
}

/** The element of the list, that of an item, and the attribute for the text where the detail is the content. */
const ELEMENTS: Readonly<Record<SectionTitle, readonly [list: string, one: string, key: string]>> = {
  "Issues to Fix": ["blocking_issues", "issue", ""],
  "Fields of the Run": ["fields", "field", "name"],
  "Blocking Questions": ["blocking_questions", "question", ""],
  "Answered Questions": ["answered_questions", "question", ""],
  "Files to Review": ["files_to_review", "file", "path"],
  "Patterns to Follow": ["patterns", "pattern", ""],
  Warnings: ["warnings", "warning", ""],
  Decisions: ["decisions", "decision", ""],
  Limitations: ["limitations", "limitation", ""],
  Assumptions: ["assumptions", "assumption", ""],
  Delivered: ["summaries", "summary", ""],
  Context: ["notes", "note", ""],
  "Files Changed": ["files_changed", "file", "path"],
  "Test Requirements": ["requirements", "requirement", ""],
  "Reported Figures": ["metrics", "metric", "name"],
  "Next Steps": ["next_steps", "step", ""],
};

function itemText(title: SectionTitle, line: InertLine): string {
  const [, name, key] = ELEMENTS[title];
  const { id, text, place, severity, source } = line;
  const content = key === "" ? joinedText(title, line) : line.detail;
  const named = attributes({
    id: title === "Issues to Fix" ? id : "",
    ...(key === "" ? {} : { [key]: text }),
    location: place,
    [title === "Next Steps" ? "priority" : "severity"]: severity,
    source,
  });
  return content === "" ? `<${name}${named}/>` : `<${name}${named}>${escaped(content)}</${name}>`;
}

function attributes(values: Readonly<Record<string, string>>): string {
  const there = Object.entries(values).filter(([, value]) => value !== "");
  return there.map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Also removes two characters that XML does not allow. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"\ufffe\uffff]/g, (sign) => ENTITIES[sign] ?? "");
}
