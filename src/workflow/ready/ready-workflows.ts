import { collective } from "./collective.ts";
import { feature } from "./feature.ts";
import { issue } from "./issue.ts";
import { pipeline } from "./pipeline.ts";
import { tasks } from "./tasks.ts";

interface ReadyWorkflow {
  readonly title: string;
  /** Content of the workflow file. */
  readonly text: string;
}

/** The five workflows that ship with baton, one per format. */
export const READY_WORKFLOWS = {
  pipeline: { title: "Build, test, review, scan, document, with loops back to the builder", text: pipeline },
  issue: { title: "From an issue to a merged pull request, with review and fixing", text: issue },
  collective: { title: "Hub and spoke: agents that delegate to specialists", text: collective },
  tasks: { title: "Tasks with dependencies, one implementer for each", text: tasks },
  feature: { title: "Architecture, implementation, testing, with checkpoints and blocked routing", text: feature },
} as const satisfies Readonly<Record<string, ReadyWorkflow>>;

export type ReadyWorkflowName = keyof typeof READY_WORKFLOWS;
