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
  words: WORDS,
  demanded: [...METADATA_FIELDS],
  example,
  freeSpace: [],
  lift,
  lower,
  print: writeJson,
  wrap: (block) => `---\n\n## Metadata\n\n${printFence("json", block)}`,
};
