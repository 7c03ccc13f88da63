import type { Dialect } from "../../dialect.ts";
import { printYaml } from "../../syntax/yaml.ts";
import { example } from "./example.ts";
import { lift } from "./lift.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules.ts";
import { taskShape } from "./shape.ts";
import { WORDS } from "./words.ts";

export const taskYaml: Dialect = {
  name: "task-yaml",
  number: "003",
  title: "Task handoff (YAML section of a task file)",
  container: "A section with the heading `## Handoff` in the Markdown task file, which holds a fenced yaml code block.",
  syntax: "yaml",
  shape: taskShape,
  rules,
  rootRule: "003-R01",
  words: WORDS,
  example,
  freeSpace: [],
  lift,
  lower,
  print: (document, handoff) => {
    const title = handoff.task === undefined ? "" : `# Task ${handoff.task.id ?? ""}: ${handoff.task.name ?? ""}\n\n`;
    return `${title}## Handoff\n\n\`\`\`yaml\n${printYaml(document)}\`\`\`\n`;
  },
};
