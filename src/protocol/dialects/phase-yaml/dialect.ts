import type { Dialect } from "../../dialect.ts";
import { printFence } from "../../syntax/markdown-outline.ts";
import { printYaml } from "../../syntax/yaml.ts";
import { example } from "./example.ts";
import { lift } from "./lift.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules.ts";
import { phaseShape } from "./shape.ts";
import { WORDS } from "./words.ts";

export const phaseYaml: Dialect = {
  name: "phase-yaml",
  number: "002",
  title: "Phase handoff (YAML block in a Markdown summary)",
  container: "A fenced yaml code block at the end of the Markdown summary, with everything under the key `handoff`.",
  syntax: "yaml",
  shape: phaseShape,
  rules,
  rootRule: "002-R02",
  syntaxRule: "002-R01",
  lastCounts: true,
  mark: "handoff",
  words: WORDS,
  example,
  freeSpace: ["handoff", "context"],
  lift,
  lower,
  print: printYaml,
  wrap: (block) => printFence("yaml", block),
};
