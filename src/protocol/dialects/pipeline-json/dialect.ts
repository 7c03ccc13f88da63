import type { Dialect } from "../../dialect.ts";
import { writeJson } from "../../syntax/json.ts";
import { example } from "./example.ts";
import { lift } from "./lift.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules.ts";
import { pipelineShape } from "./shape.ts";
import { WORDS } from "./words.ts";

export const pipelineJson: Dialect = {
  name: "pipeline-json",
  number: "000",
  title: "Pipeline handoff (JSON file)",
  container:
    "A JSON file called handoff-{AgentName}.json in the project root, which holds one object and nothing else.",
  syntax: "json",
  shape: pipelineShape,
  rules,
  rootRule: "000-R03",
  syntaxRule: "000-R02",
  lastCounts: false,
  words: WORDS,
  demanded: ["iteration", "loop_required"],
  example,
  freeSpace: [],
  lift,
  lower,
  print: writeJson,
};
