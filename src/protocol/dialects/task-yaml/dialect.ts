import type { Dialect, Origin } from "../../dialect.ts";
import type { Handoff } from "../../handoff.ts";
import { printFence } from "../../syntax/markdown-outline.ts";
import { printYaml } from "../../syntax/yaml.ts";
import { example } from "./example.ts";
import { lift } from "./lift.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules.ts";
import { taskShape } from "./shape.ts";
import { WORDS } from "./words.ts";

/** The title of a task file holds only ids and names that can be read back from it. */
function originOf(handoff: Handoff): Origin {
  const { id = "", name = "" } = handoff.task ?? {};
  return /^[^\s:[\]]+$/.test(id) && /^[^\s[\]](?:[^[\]\n\r]*[^\s[\]#])?$/.test(name) && !name.startsWith("#")
    ? { task: { id, name } }
    : {};
}

export const taskYaml: Dialect = {
  name: "task-yaml",
  number: "003",
  title: "Task handoff (YAML section of a task file)",
  container: "A section with the heading `## Handoff` in the Markdown task file, which holds a fenced yaml code block.",
  syntax: "yaml",
  shape: taskShape,
  rules,
  rootRule: "003-R01",
  syntaxRule: "003-R01",
  lastCounts: true,
  mark: "outcome",
  words: WORDS,
  example,
  freeSpace: [],
  lift,
  lower,
  originOf,
  print: printYaml,
  wrap: (block, handoff) => {
    const { task } = originOf(handoff);
    const title = task === undefined ? "" : `# Task ${task.id}: ${task.name}\n\n`;
    return `${title}## Handoff\n\n${printFence("yaml", block)}`;
  },
};
