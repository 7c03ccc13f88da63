import { readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { RunRow } from "../../ports/event-log.ts";
import type { Engine } from "../engine.ts";
import { readRun } from "../read-run.ts";
import { WORKFLOW_FILE, understandWorkflow } from "./load-workflow.ts";
import { pinOf } from "./start-run.ts";

/** How the workflow file of a run differs from the definition that the run is pinned to. */
interface ChangedWorkflow {
  /** From the root of the repository. */
  readonly file: string;
  readonly how: "changed" | "cannot be run now" | "gone";
}

/** Null when it is the same, and when it is not known from which file the run was started. */
export async function findChangedWorkflow({ ports, root }: Engine, row: RunRow): Promise<ChangedWorkflow | null> {
  const { workflow: pinned, events } = await readRun(ports, row);
  const [first] = events;
  const known = first?.event.kind === "run-started" ? first.event.file : undefined;
  const file = known ?? WORKFLOW_FILE;
  const text = readText(join(root, file));
  if (text === null) return known === undefined ? null : { file, how: "gone" };
  const { workflow } = understandWorkflow(text, file, dirname(join(root, file)));
  // An older log does not name its file: another workflow with the usual name says nothing about the run.
  if (known === undefined && workflow?.name !== pinned.name) return null;
  if (workflow === null) return { file, how: "cannot be run now" };
  // These may have been chosen on the command line.
  const { mode, workspace } = pinned;
  return pinOf({ ...workflow, mode, workspace }) === pinOf(pinned) ? null : { file, how: "changed" };
}

/** From the root of the repository; null when the file lies elsewhere. */
export function fileInRoot(root: string, file: string | undefined): string | null {
  if (file === undefined) return null;
  const path = relative(realpathSync(root), realpathSync(resolve(file)));
  return path === ".." || path.startsWith(`..${sep}`) ? null : path;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
