import { field, shape } from "./shape.ts";

/** MANIFEST.yaml of a feature directory: an index of outputs, not a handoff. It is known and looked over. */
const notes = (about: string) => ({ rule: "manifest", about, missing: "warning" as const });

const contribution = shape.record({
  agent: field.required(shape.text(), notes("The agent.")),
  artifact: field.required(shape.text(), notes("Its output file.")),
  timestamp: field.required(shape.text(), notes("When.")),
  status: field.required(shape.text(), notes("How it ended.")),
});

export const manifestShape = shape.record({
  feature_name: field.required(shape.text(), notes("Name of the feature.")),
  status: field.required(
    shape.oneOf(["in-progress", "complete", "blocked"]),
    notes("in-progress, complete or blocked."),
  ),
  agents_contributed: field.optional(shape.list(contribution), notes("Outputs, one entry each.")),
  artifacts: field.optional(shape.list(shape.anything()), notes("Files made.")),
});
