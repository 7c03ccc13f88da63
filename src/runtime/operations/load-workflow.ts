import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { AppError } from "../../shared/app-error.ts";
import { ownValue, type JsonRecord } from "../../shared/json-value.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Schedule } from "../../workflow/schedule.ts";
import type { ReadSessions } from "../../workflow/file/check-sessions.ts";
import { readWorkflow } from "../../workflow/file/read-workflow.ts";
import { READY_WORKFLOWS, type ReadyWorkflowName } from "../../workflow/ready/ready-workflows.ts";
import { renderWorkflowGraph, describeRoute, printMermaid } from "../../workflow/file/print-graph.ts";
import { workflowSchema } from "../../workflow/file/workflow-schema.ts";
import { listCommands } from "./list-commands.ts";
import { pinFormats } from "./load-formats.ts";

export interface LoadedWorkflow {
  readonly path: string;
  /** What names it on the command line: its file, or the name of one that comes with baton. */
  readonly operand: string;
  readonly text: string;
  /** Of the text alone. */
  readonly hash: string;
  /** True for a workflow that ships with baton. */
  readonly isShipped: boolean;
  /** Its path when it was read from a file. */
  readonly file?: string;
  readonly workflow: Workflow | null;
  /** Its section `sessions`, which may be all that the file holds. */
  readonly sessions: ReadSessions | null;
  /** When `baton serve` starts runs of it. */
  readonly schedules: readonly Schedule[];
  readonly diagnostics: readonly Diagnostic[];
}

export const WORKFLOW_FILE = "baton.yaml";

/** Loads a workflow by the path of its file, or by the name of one that ships with baton. */
export function loadWorkflow(name: string): LoadedWorkflow {
  const ready = ownValue<{ readonly text: string }>(READY_WORKFLOWS, name);
  const text = ready?.text ?? readText(name);
  if (ready === undefined) return { ...understandWorkflow(text, name), file: name };
  return { ...understandWorkflow(text, `${name} (comes with baton)`), operand: name };
}

/** Parses a workflow that is not in a file yet. */
export function understandWorkflow(text: string, path: string, folder = dirname(resolve(path))): LoadedWorkflow {
  const hash = createHash("sha256").update(text).digest("hex");
  const source = { path, hash, formats: () => pinFormats(folder) };
  return { path, operand: path, text, hash, isShipped: SHIPPED.has(hash), ...readWorkflow(text, source) };
}

/** The same workflow with another mode. */
export function withMode(loaded: LoadedWorkflow, mode: string | undefined): LoadedWorkflow {
  if (mode === undefined || loaded.workflow === null) return loaded;
  return { ...loaded, workflow: { ...loaded.workflow, mode: mode as Workflow["mode"] } };
}

/** The same workflow with a worktree for each run. */
export function withWorktree(loaded: LoadedWorkflow, isWanted: boolean): LoadedWorkflow {
  if (!isWanted || loaded.workflow === null) return loaded;
  return { ...loaded, workflow: { ...loaded.workflow, workspace: "worktree" } };
}

export function readyNames(): ReadyWorkflowName[] {
  return Object.keys(READY_WORKFLOWS) as ReadyWorkflowName[];
}

const SHIPPED: ReadonlySet<string> = new Set(
  Object.values(READY_WORKFLOWS).map(({ text }) => createHash("sha256").update(text).digest("hex")),
);

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message =
      code === "ENOENT" ? `There is no workflow ${path}.` : `${path} cannot be read: ${code ?? String(error)}.`;
    const hint = `Name a workflow file or one of ${Object.keys(READY_WORKFLOWS).join(", ")}; \`baton init\` writes one.`;
    throw new AppError("cannot-read", message, hint);
  }
}

export function drawGraph(workflow: Workflow, kind: "text" | "mermaid"): string {
  return kind === "text" ? renderWorkflowGraph(workflow) : printMermaid(workflow);
}

/** The steps of a workflow for programs; routes and commands are worded as for people. */
export function describePlan(workflow: Workflow): JsonRecord {
  const { name, mode, start, agents, tasks } = workflow;
  return {
    workflow: name,
    mode,
    start,
    agents: Object.values(agents).map((agent) => ({
      name: agent.name,
      kind: agent.runner.kind,
      dialect: agent.dialect,
      gates: [...agent.gates],
      routes: Object.fromEntries(
        Object.entries(agent.routes).map(([outcome, routes]) => [outcome, routes.map(describeRoute)]),
      ),
    })),
    tasks: tasks.map((task) => ({
      id: task.id,
      name: task.name,
      priority: task.priority,
      depends_on: [...task.dependsOn],
    })),
    commands: listCommands(workflow),
  };
}

/** The JSON Schema of a workflow file, for editors. */
export function describeWorkflowFile(): JsonRecord {
  return workflowSchema();
}
