import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { AppError } from "../../shared/app-error.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { readWorkflow } from "../../workflow/file/read-workflow.ts";
import { READY_WORKFLOWS, type ReadyWorkflowName } from "../../workflow/ready/ready-workflows.ts";

export interface LoadedWorkflow {
  readonly path: string;
  readonly text: string;
  readonly hash: string;
  /** It came with baton itself. */
  readonly isShipped: boolean;
  readonly workflow: Workflow | null;
  readonly diagnostics: readonly Diagnostic[];
}

export const WORKFLOW_FILE = "baton.yaml";

/** A workflow by the path of its file, or by the name of one that comes with baton. */
export function loadWorkflow(name: string): LoadedWorkflow {
  const ready = ownValue<{ readonly text: string }>(READY_WORKFLOWS, name);
  const text = ready?.text ?? readText(name);
  return understandWorkflow(text, ready === undefined ? name : `${name} (comes with baton)`);
}

/** A workflow that is not in its file yet. */
export function understandWorkflow(text: string, path: string): LoadedWorkflow {
  const hash = createHash("sha256").update(text).digest("hex");
  return { path, text, hash, isShipped: SHIPPED.has(hash), ...readWorkflow(text, { path, hash }) };
}

/** The same workflow with another mode than its file says. */
export function withMode(loaded: LoadedWorkflow, mode: string | undefined): LoadedWorkflow {
  if (mode === undefined || loaded.workflow === null) return loaded;
  return { ...loaded, workflow: { ...loaded.workflow, mode: mode as Workflow["mode"] } };
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
