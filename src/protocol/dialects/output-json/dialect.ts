import type { Dialect } from "../../dialect.ts";
import { writeJson } from "../../syntax/json.ts";
import { printFence } from "../../syntax/markdown-outline.ts";
import { example } from "./example.ts";
import { METADATA_FIELDS, severityIn } from "./layers.ts";
import { lift } from "./lift.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules.ts";
import { outputShape } from "./shape.ts";
import { WORDS } from "./words.ts";

function isMeantBy(text: string): boolean {
  if (/"(?:output_type|skills_invoked|library_skills_read|blocked_reason)"\s*:/.test(text)) return true;
  if (!/"status"\s*:/.test(text)) return false;
  return /"(?:next_agent|next_phase)"\s*:/.test(text) || (/"phase"\s*:/.test(text) && /"summary"\s*:/.test(text));
}

export const outputJson: Dialect = {
  name: "output-json",
  number: "004",
  title: "Output metadata (JSON block at the end of an output file)",
  container:
    "A fenced json code block under the heading `## Metadata`, as the very last thing of the Markdown output file.",
  syntax: "json",
  shape: outputShape,
  rules,
  rootRule: "004-R02",
  syntaxRule: "004-R02",
  lastCounts: true,
  severityIn,
  isMeantBy,
  words: WORDS,
  demanded: [...METADATA_FIELDS],
  example,
  freeSpace: [],
  lift,
  lower,
  print: writeJson,
  wrap: (block) => `---\n\n## Metadata\n\n${printFence("json", block)}`,
};
